// What was read a few seconds ago, for whoever may be told what is some moments old: a runtime that reports much asks the same each time.
import { BoundedCache } from '../core/bounded-cache.ts'

const lastsMilliseconds = 5_000
const valuesMost = 1_000

export class Recently<Value> {
  readonly #kept = new BoundedCache<string, { readonly value: Value; readonly until: number }>(valuesMost)
  readonly #now: () => number

  /** `now`: monotonic milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  of(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    return kept && this.#now() < kept.until ? kept.value : undefined
  }

  keep(key: string, value: Value): void {
    this.#kept.set(key, { value, until: this.#now() + lastsMilliseconds })
  }
}
