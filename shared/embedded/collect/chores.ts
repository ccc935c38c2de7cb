// What a cluster does by itself after a change (collecting garbage, ending namespaces, serving definitions) waits here for
// the end of the current turn, so that the change itself is answered first.

type Chore = () => void

export class Chores {
  #waiting = new Map<string, Chore>()
  #isPlanned = false
  #isStopped = false
  readonly #onSettled = new Set<() => void>()

  /** Runs a chore soon; one with the same name that still waits is replaced by it. */
  add(name: string, chore: Chore): void {
    if (this.#isStopped) return
    this.#waiting.set(name, chore)
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(() => this.#run())
  }

  /** Resolves when nothing is left to do. */
  settled(): Promise<void> {
    if (!this.#isPlanned) return Promise.resolve()
    return new Promise(resolve => this.#onSettled.add(resolve))
  }

  stop(): void {
    this.#isStopped = true
    this.#waiting.clear()
  }

  #run(): void {
    const chores = this.#waiting
    this.#waiting = new Map()
    this.#isPlanned = false
    for (const [name, chore] of chores) attempt(name, chore)
    if (this.#isPlanned) return
    for (const resolve of this.#onSettled) resolve()
    this.#onSettled.clear()
  }
}

/** A chore that fails is a fault of this program; it is reported, and the cluster goes on. */
const attempt = (name: string, chore: Chore): void => {
  try {
    chore()
  } catch (error) {
    process.emitWarning(`embedded cluster, ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
  }
}
