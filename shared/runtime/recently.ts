// What was read a few seconds ago, for whoever may be told what is some moments old: a runtime that reports much asks the same each time.
// Values last 4 to 5 s, so that what was read for a hundred runtimes at one time is not read anew for all of them at one time; and whoever
// asks while it is being read waits for that same read.
import { BoundedCache } from '../core/memory/bounded-cache.ts'

const lastsMilliseconds = 5_000
/** A value may last so much less. */
const shareLess = 0.2
const valuesMost = 1_000

export class Recently<Value> {
  readonly #kept = new BoundedCache<string, { readonly value: Value; readonly until: number }>(valuesMost)
  readonly #underWay = new Map<string, Promise<Value | undefined>>()
  readonly #now: () => number
  readonly #random: () => number

  /** `now`: monotonic milliseconds. `random`: 0 to 1. */
  constructor(now: () => number = () => performance.now(), random = Math.random) {
    this.#now = now
    this.#random = random
  }

  /** What was read some moments ago, or is being read; else `read`. Neither a failure nor undefined is kept. */
  of<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Value | Read> {
    const kept = this.#kept.get(key)
    if (kept && this.#now() < kept.until) return Promise.resolve(kept.value)
    return (this.#underWay.get(key) as Promise<Value | Read> | undefined) ?? this.afresh(key, read)
  }

  /** The same for whoever needs what is true now. */
  afresh<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Read> {
    const reading = read()
    this.#underWay.set(key, reading)
    reading.then(
      value => this.#end(key, reading, value),
      () => this.#end(key, reading, undefined),
    )
    return reading
  }

  /** Of two reads the one that began last is kept. */
  #end(key: string, reading: Promise<unknown>, value: Value | undefined): void {
    if (this.#underWay.get(key) !== reading) return
    this.#underWay.delete(key)
    const lasts = lastsMilliseconds * (1 - shareLess * this.#random())
    if (value === undefined) this.#kept.delete(key)
    else this.#kept.set(key, { value, until: this.#now() + lasts })
  }
}
