// A cache with a limit: the values that have not been used for the longest time are dropped first. A dropped value costs time and never
// changes an answer.
//
//   const charts = new BoundedCache<string, string>(1_000_000, text => text.length)
//   charts.set('shop', text) // forgets others until all have at most a million characters

export class BoundedCache<Key, Value> {
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  readonly #kept = new Map<Key, Value>()
  #size = 0

  /** `most`: the number of values, or the sum of their sizes. The size of a value must not change while it is kept. */
  constructor(most: number, sizeOf: (value: Value) => number = () => 1) {
    this.#most = most
    this.#sizeOf = sizeOf
  }

  get(key: Key): Value | undefined {
    const value = this.#kept.get(key)
    if (value === undefined) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, value)
    return value
  }

  /** A value that is larger than the whole cache is not kept, and drops no others. */
  set(key: Key, value: Value): void {
    this.delete(key)
    const size = this.#sizeOf(value)
    if (size > this.#most) return
    this.#kept.set(key, value)
    this.#size += size
    for (const oldest of this.#kept.keys()) if (this.#size > this.#most) this.delete(oldest)
  }

  delete(key: Key): void {
    const value = this.#kept.get(key)
    if (value === undefined) return
    this.#kept.delete(key)
    this.#size -= this.#sizeOf(value)
  }

  /** The least recently used first. Iterating does not count as use. */
  entries(): Iterable<readonly [Key, Value]> {
    return this.#kept.entries()
  }
}
