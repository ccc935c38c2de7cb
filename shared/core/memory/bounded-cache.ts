// A cache with a limit on count or size. It drops the least recently used values first. A dropped value costs time and never changes a
// result.
//
//   const charts = new BoundedCache<string, string>(1_000_000, text => text.length)
// charts.set('shop', text) // drops other texts until at most a million characters are cached

export class BoundedCache<Key, Value> {
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  readonly #kept = new Map<Key, Value>()
  #size = 0

  /** `most` limits the sum of all sizes; a value has size 1 by default. The size of a value must not change while it is cached. */
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

  /** A value larger than the whole cache is not stored, and drops no other value. */
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

  /** Least recently used first. Iteration does not count as use. */
  entries(): Iterable<readonly [Key, Value]> {
    return this.#kept.entries()
  }
}
