// A bounded cache with a time to live, which reads missing values. Example: a runtime reports ten events in a second, and the Manifests of
// its Kyma are listed for the first event alone. The time to live of each value is up to a fifth shorter, at random: otherwise the values of
// a hundred runtimes that reported at the same moment would also expire at the same moment.
import { BoundedCache } from '../core/memory/bounded-cache.ts'

const shareLess = 0.2
const valuesMost = 1_000

type LoadingCacheOptions<Value> = {
  /** How long a value lasts at most. */
  readonly milliseconds?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
  /** 0 to 1. */
  readonly random?: () => number
  /** The sum of all sizes, or the number of values. */
  readonly most?: number
  /** Must not change while the value is kept. */
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

  /** The cached value, or the value of the read under way, or else of `read`. Failures and undefined are not cached. */
  get<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Value | Read> {
    const kept = this.peek(key)
    if (kept !== undefined) return Promise.resolve(kept)
    return (this.#underWay.get(key) as Promise<Value | Read> | undefined) ?? this.reload(key, read)
  }

  /** The cached value; undefined if it would have to be read. */
  peek(key: string): Value | undefined {
    const kept = this.#kept.get(key)
    return kept && this.#now() < kept.until ? kept.value : undefined
  }

  set(key: string, value: Value): void {
    this.#kept.set(key, { value, until: this.#now() + this.#milliseconds * (1 - shareLess * this.#random()) })
  }

  /** Reads in any case, for decisions that need the present value. */
  reload<Read extends Value | undefined>(key: string, read: () => Promise<Read>): Promise<Read> {
    const reading = read()
    this.#underWay.set(key, reading)
    reading.then(
      value => this.#end(key, reading, value),
      () => this.#end(key, reading, undefined),
    )
    return reading
  }

  /** Of two reads of a key, the later one is cached. */
  #end(key: string, reading: Promise<unknown>, value: Value | undefined): void {
    if (this.#underWay.get(key) !== reading) return
    this.#underWay.delete(key)
    if (value === undefined) this.#kept.delete(key)
    else this.set(key, value)
  }
}

/**
 * One read for all callers that ask during the same time. The read begins after each of them asked, so no caller gets an older state than a
 * read of its own would have shown.
 *
 *     0 ms   a call for Kyma a asks for the catalogue: it is read
 *     10 ms  calls for Kymas b and c ask for the catalogue while that read is under way: they wait
 *     20 ms  the first read ends; one more read is made, for b and c together
 */
export class SharedReads<Value> {
  #underWay: Promise<unknown> = Promise.resolve()
  #next: Promise<Value> | undefined

  /** A failure is not shared: whoever only waited for it reads for itself. */
  of(read: () => Promise<Value>): Promise<Value> {
    if (this.#next) return this.#next.catch(read)
    this.#next = this.#underWay.then(() => this.#begin(read))
    return this.#next
  }

  #begin(read: () => Promise<Value>): Promise<Value> {
    this.#next = undefined
    const reading = read()
    this.#underWay = reading.catch(() => {})
    return reading
  }
}
