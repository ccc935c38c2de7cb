// The objects of one kind, in the order the API server lists them: by key, bytes compared.
import type { Stored } from './stored.ts'

export class Collection {
  readonly #items = new Map<string, Stored>()
  #keys: string[] = []

  get size(): number {
    return this.#items.size
  }

  get(key: string): Stored | undefined {
    return this.#items.get(key)
  }

  put(key: string, stored: Stored): void {
    if (!this.#items.has(key)) this.#keys.splice(position(this.#keys, key), 0, key)
    this.#items.set(key, stored)
  }

  remove(key: string): void {
    if (this.#items.delete(key)) this.#keys.splice(position(this.#keys, key), 1)
  }

  /** Keys from `start` on that begin with `prefix`, in order. */
  keys(prefix: string, start = prefix): string[] {
    const from = position(this.#keys, start)
    if (prefix === '') return from === 0 ? this.#keys : this.#keys.slice(from)
    return this.#keys.slice(from, position(this.#keys, afterPrefix(prefix)))
  }

  values(): IterableIterator<Stored> {
    return this.#items.values()
  }
}

/** Where a key is, or would be put, in a sorted list. */
export const position = (keys: readonly string[], key: string): number => {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}

const afterPrefix = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
