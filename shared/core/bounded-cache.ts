// What was made lately and may be asked for again, bounded: what was longest not asked for goes first. Losing any of it costs
// time, never an answer.
//
//   const charts = new BoundedCache<string, string>(1_000_000, text => text.length)
//   charts.set('shop', text) // forgets others until all have at most a million characters

export class BoundedCache<Key, Value> {
  readonly #most: number
  readonly #sizeOf: (value: Value) => number
  /** Longest not asked for first. */
  readonly #kept = new Map<Key, Value>()
  #size = 0

  /** `most`: so many values, or so much of what `sizeOf` measures, which stays the same for a value. */
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

  /** What alone is larger than all may be is not kept, and drives nobody out. */
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

  /** Longest not asked for first; looking is not asking. */
  entries(): Iterable<readonly [Key, Value]> {
    return this.#kept.entries()
  }
}
