// Values that were read a few seconds ago, for decisions that need nothing newer. Example: a runtime reports ten events in a second, and the
// Manifests of its Kyma are listed for the first alone. A value lasts 4 to 5 s, each a little different, so that a hundred runtimes that
// reported at the same moment are not all read again at the same moment. Whoever asks during a read waits for it.
import { BoundedCache } from '../core/memory/bounded-cache.ts'

const lastsMilliseconds = 5_000
/** A value may last so much less. */
const shareLess = 0.2
const valuesMost = 1_000

type RecentlyOptions<Value> = {
  /** Monotonic milliseconds. */
  readonly now?: () => number
  /** 0 to 1. */
  readonly random?: () => number
  /** The sum of all sizes, or the number of values. */
  readonly most?: number
  /** Must not change while the value is kept. */
  readonly sizeOf?: (value: Value) => number
}

export class Recently<Value> {
  readonly #kept: BoundedCache<string, { readonly value: Value; readonly until: number }>
  readonly #underWay = new Map<string, Promise<Value | undefined>>()
  readonly #now: () => number
  readonly #random: () => number

  constructor({
    now = () => performance.now(),
    random = Math.random,
    most = valuesMost,
    sizeOf = () => 1,
  }: RecentlyOptions<Value> = {}) {
    this.#kept = new BoundedCache(most, ({ value }) => sizeOf(value))
    this.#now = now
    this.#random = random
  }

  /** The value that was read some moments ago or is being read; if there is none, `read` reads it. A failure or undefined is not kept. */
  of<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Value | Read> {
    const kept = this.#kept.get(key)
    if (kept && this.#now() < kept.until) return Promise.resolve(kept.value)
    return (this.#underWay.get(key) as Promise<Value | Read> | undefined) ?? this.afresh(key, read)
  }

  /** Reads in any case, for decisions that need the present value. */
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
