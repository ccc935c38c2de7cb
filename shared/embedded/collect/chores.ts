// Runs the cluster's own work after a change (garbage collection, deletion of namespaces, definitions, workloads). A chore runs after the
// current turn of the event loop, so that the change is answered first.

/** An asynchronous chore is not started again before it ends. */
type Chore = () => void | Promise<void>

export class Chores {
  #waiting = new Map<string, Chore>()
  #isPlanned = false
  #isStopped = false
  readonly #running = new Set<string>()
  readonly #onSettled = new Set<() => void>()

  /** Runs a chore soon. The chore replaces a waiting chore with the same name. */
  add(name: string, chore: Chore): void {
    if (this.#isStopped) return
    this.#waiting.set(name, chore)
    if (!this.#running.has(name)) this.#plan()
  }

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
    this.#resolveSettled()
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
        this.#resolveSettled()
      })
  }

  #isSettled(): boolean {
    return !this.#isPlanned && this.#running.size === 0 && this.#waiting.size === 0
  }

  #resolveSettled(): void {
    if (!this.#isSettled()) return
    for (const resolve of this.#onSettled) resolve()
    this.#onSettled.clear()
  }
}

/** Reports a failing chore, which is a defect of this program. The cluster continues. */
const report = (name: string, error: unknown): void =>
  process.emitWarning(`embedded cluster, ${name}: ${error instanceof Error ? (error.stack ?? error.message) : error}`)
