// Waits for watches, remote clusters and lists. The wait doubles with each failure and restarts after a success. queue.ts has its own rules
// for keys.

type Waits = { readonly baseSeconds: number; readonly maxSeconds: number }

/** The wait doubles from base to max, plus up to 10 %, so that watches with the same failure retry at different times. */
export class Backoff {
  readonly #waits: Waits
  readonly #chance: () => number
  #failures = 0

  constructor(waits: Waits, chance: () => number = Math.random) {
    this.#waits = waits
    this.#chance = chance
  }

  /** The wait before the next try. `atLeast`: a minimum, such as a Retry-After. */
  nextMilliseconds(atLeast = 0): number {
    const { baseSeconds, maxSeconds } = this.#waits
    const own = Math.min(baseSeconds * 2 ** this.#failures++, maxSeconds) * 1000
    return Math.max(own, atLeast) * (1 + this.#chance() / 10)
  }

  reset(): void {
    this.#failures = 0
  }
}
