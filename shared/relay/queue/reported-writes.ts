// Recognises events that only show what the call itself wrote, from the states (uid and resourceVersion) in its reply. Example: the call for
// key a reported rv=12; for ten seconds an event rv=12 is skipped for a, an event rv=13 calls it. A lost entry costs one call.

const keptMilliseconds = 10_000

export class ReportedWrites {
  /** Until when each state is kept; the oldest first, because all are kept equally long. */
  readonly #until = new Map<string, number>()
  readonly #most: number

  /** No more than `most` are kept at once. */
  constructor(most = 50_000) {
    this.#most = most
  }

  get size(): number {
    return this.#until.size
  }

  /** A call for this id has ended and reported that it wrote these states. */
  note(id: string, versions: readonly string[], now: number): void {
    for (const version of versions) {
      const key = keyOf(id, version)
      this.#until.delete(key)
      this.#until.set(key, now + keptMilliseconds)
    }
    this.#forgetOld(now)
  }

  /** Whether a call for this id reported this state, so that the event is skipped. */
  has(id: string, version: string, now: number): boolean {
    return now < (this.#until.get(keyOf(id, version)) ?? 0)
  }

  #forgetOld(now: number): void {
    for (const [key, until] of this.#until) {
      if (now < until && this.#until.size <= this.#most) return
      this.#until.delete(key)
    }
  }
}

const keyOf = (id: string, version: string): string => `${id} ${version}`
