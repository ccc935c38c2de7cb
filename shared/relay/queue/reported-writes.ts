// Recognises events that only show what the call itself wrote, from the states (uid and resourceVersion) in its reply. Example: the call for
// key a reported rv=12; for ten seconds an event rv=12 is skipped for a, an event rv=13 calls it. A lost entry costs one call.

const keptMilliseconds = 10_000

export class ReportedWrites {
  /** Until when; the oldest come first, as all are kept for the same time. */
  readonly #until = new Map<string, number>()
  readonly #most: number

  /** No more than `most` are kept at once. */
  constructor(most = 50_000) {
    this.#most = most
  }

  get size(): number {
    return this.#until.size
  }

  /** A call for this id ended, and left objects in these states. */
  note(id: string, versions: readonly string[], now: number): void {
    for (const version of versions) {
      const key = keyOf(id, version)
      this.#until.delete(key)
      this.#until.set(key, now + keptMilliseconds)
    }
    this.#forgetOld(now)
  }

  /** Whether the event that shows this state is no news to the id. */
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
