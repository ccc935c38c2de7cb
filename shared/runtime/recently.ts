// What was read a few seconds ago, for whoever may be told what is some moments old: a runtime that reports much asks the same each time.
// Values last 4 to 5 s, so that what was read for a hundred runtimes at one time is not read anew for all of them at one time.
import { BoundedCache } from '../core/bounded-cache.ts'

const lastsMilliseconds = 5_000
/** A value may last so much less. */
const shareLess = 0.2
const valuesMost = 1_000

export class Recently<Value> {
  readonly #kept = new BoundedCache<string, { readonly value: Value; readonly until: number }>(valuesMost)
  readonly #now: () => number
  readonly #random: () => number

  /** `now`: monotonic milliseconds. `random`: 0 to 1. */
  constructor(now: () => number = () => performance.now(), random = Math.random) {
    this.#now = now
    this.#random = random
  }

  of(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    return kept && this.#now() < kept.until ? kept.value : undefined
  }

  keep(key: string, value: Value): void {
    this.#kept.set(key, { value, until: this.#now() + lastsMilliseconds * (1 - shareLess * this.#random()) })
  }
}
