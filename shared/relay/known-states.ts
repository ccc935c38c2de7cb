// States of objects that work on an id knows already, as it left or found them so: remembered for as long as watches may
// take to tell of them. Losing one costs a call.

const keptMilliseconds = 10_000

export class KnownStates {
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

/**
 * The state as one shows it who watches the object for those that name it. What is named is read once in a call, so a state
 * that the call itself left it in is known to those who watch what it writes, and is news here.
 */
export const asNamed = (version: string): string => `named ${version}`

const keyOf = (id: string, version: string): string => `${id} ${version}`
