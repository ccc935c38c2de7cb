// A bounded cache that reads missing values and has a time to live. Example: a runtime reports ten events in a second, and the Manifests of
// its Kyma are listed once. The time to live varies randomly by up to a fifth, so that not all values expire at the same moment.
import { BoundedCache } from '../core/memory/bounded-cache.ts'

const shareLess = 0.2
const valuesMost = 1_000

type LoadingCacheOptions<Value> = {
  readonly milliseconds?: number
  readonly now?: () => number
  /** Returns a random number from 0 to 1. */
  readonly random?: () => number
  /** Limits the sum of all sizes; a value has size 1 by default. */
  readonly most?: number
  /** The size of a value must not change while it is cached. */
  readonly sizeOf?: (value: Value) => number
}

export class LoadingCache<Value> {
  readonly #kept: BoundedCache<string, { readonly value: Value; readonly until: number }>
  readonly #underWay = new Map<string, Promise<Value | undefined>>()
  readonly #milliseconds: number
  readonly #now: () => number
  readonly #random: () => number

  constructor({
    milliseconds = 5_000,
    now = () => performance.now(),
    random = Math.random,
    most = valuesMost,
    sizeOf = () => 1,
  }: LoadingCacheOptions<Value> = {}) {
    this.#kept = new BoundedCache(most, ({ value }) => sizeOf(value))
    this.#milliseconds = milliseconds
    this.#now = now
    this.#random = random
  }

  /** The cached value, the value of a running read, or else the value of `read`. Failures and undefined are not cached. */
  get<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Value | Read> {
    const kept = this.peek(key)
    if (kept !== undefined) return Promise.resolve(kept)
    return (this.#underWay.get(key) as Promise<Value | Read> | undefined) ?? this.reload(key, read)
  }

  /** The cached value; undefined when no value is cached. */
  peek(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    return kept && this.#now() < kept.until ? kept.value : undefined
  }

  set(key: string, value: Value): void {
    this.#kept.set(key, { value, until: this.#now() + this.#milliseconds * (1 - shareLess * this.#random()) })
  }

  /** Always reads the value, for decisions that need the current value. */
  reload<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Read> {
    const reading = read()
    this.#underWay.set(key, reading)
    reading.then(
      value => this.#end(key, reading, value),
      () => this.#end(key, reading, undefined),
    )
    return reading
  }

  #end(key: string, reading: Promise<unknown>, value: Value | undefined): void {
    if (this.#underWay.get(key) !== reading) return
    this.#underWay.delete(key)
    if (value === undefined) this.#kept.delete(key)
    else this.set(key, value)
  }
}
