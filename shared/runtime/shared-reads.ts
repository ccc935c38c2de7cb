// One read for all who need the same at the same time. It begins after each of them asked, so nobody sees less than a read of its own would
// have shown.
//
//   0 ms   a call for Kyma a asks for the catalogue: it is read
//   10 ms  calls for Kymas b and c ask for it while that read is under way: they wait
//   20 ms  the first read ends; one more is made, for b and c together

export class SharedReads<Value> {
  #underWay: Promise<unknown> = Promise.resolve()
  #next: Promise<Value> | undefined

  /** A failure is not shared: whoever only waited for it reads for itself. */
  of(read: () => Promise<Value>): Promise<Value> {
    if (this.#next) return this.#next.catch(read)
    this.#next = this.#underWay.then(() => this.#begin(read))
    return this.#next
  }

  #begin(read: () => Promise<Value>): Promise<Value> {
    this.#next = undefined
    const reading = read()
    this.#underWay = reading.catch(() => {})
    return reading
  }
}
