// What a cluster does by itself after a change (collecting garbage, ending namespaces, serving definitions, workloads) waits
// here for the end of the current turn, so that the change itself is answered first.

/** One that takes several turns is not begun again before it ended. */
type Chore = () => void | Promise<void>

export class Chores {
  #waiting = new Map<string, Chore>()
  #isPlanned = false
  #isStopped = false
  readonly #running = new Set<string>()
  readonly #onSettled = new Set<() => void>()

  /** Runs a chore soon; one with the same name that still waits is replaced by it. */
  add(name: string, chore: Chore): void {
    if (this.#isStopped) return
    this.#waiting.set(name, chore)
    if (!this.#running.has(name)) this.#plan()
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    if (this.#isSettled()) return Promise.resolve()
    return new Promise(resolve => this.#onSettled.add(resolve))
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.clear()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    const chores = this.#waiting
    this.#waiting = new Map()
    this.#isPlanned = false
    for (const [name, chore] of chores) {
      if (this.#running.has(name)) this.#waiting.set(name, chore)
      else this.#begin(name, chore)
    }
    this.#tellSettled()
  }

  #begin(name: string, chore: Chore): void {
    try {
      const rest = chore()
      if (rest) this.#follow(name, rest)
    } catch (error) {
      report(name, error)
    }
  }

  #follow(name: string, rest: Promise<void>): void {
    this.#running.add(name)
    rest
      .catch(error => report(name, error))
      .then(() => {
        this.#running.delete(name)
        if (this.#waiting.has(name)) this.#plan()
        this.#tellSettled()
      })
  }

  #isSettled(): boolean {
    return !this.#isPlanned && this.#running.size === 0 && this.#waiting.size === 0
  }

  #tellSettled(): void {
    if (!this.#isSettled()) return
    for (const resolve of this.#onSettled) resolve()
    this.#onSettled.clear()
  }
}

/** A chore that fails is a fault of this program; it is reported, and the cluster goes on. */
const report = (name: string, error: unknown): void =>
  process.emitWarning(`embedded cluster, ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
