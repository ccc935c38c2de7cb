// What work on an id wrote itself, remembered for as long as watches may take to tell of it. Losing it costs calls.

const keptMilliseconds = 10_000

export class OwnWrites {
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

  note(id: string, versions: readonly string[], now: number): void {
    for (const version of versions) {
      const key = keyOf(id, version)
      this.#until.delete(key)
      this.#until.set(key, now + keptMilliseconds)
    }
    this.#forgetOld(now)
  }

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
