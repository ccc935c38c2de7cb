// The cluster's memory: collections of objects, one revision counter for all of them, and who wants to hear of changes.
// It knows nothing of kinds, rules or HTTP. Every write is one synchronous step, so nothing is ever half done.
import type { KubeObject } from '../../core/object.ts'
import { Collection, position } from './collection.ts'
import { type Change, History } from './history.ts'
import { Stored } from './stored.ts'

export type ChangeListener = (change: Change) => void

/** Objects of a collection as they were at one revision. */
export type Snapshot = {
  readonly revision: number
  keys(prefix: string, start?: string): string[]
  get(key: string): Stored | undefined
}

export class Store {
  revision = 1
  readonly history: History
  readonly #collections = new Map<string, Collection>()
  readonly #watchers = new Map<string, Set<ChangeListener>>()
  readonly #listeners = new Set<ChangeListener>()

  constructor(historyLimit: number) {
    this.history = new History(historyLimit)
  }

  collection(name: string): Collection {
    const found = this.#collections.get(name)
    if (found) return found
    const made = new Collection()
    this.#collections.set(name, made)
    return made
  }

  collectionNames(): string[] {
    return [...this.#collections.keys()]
  }

  get(collection: string, key: string): Stored | undefined {
    return this.#collections.get(collection)?.get(key)
  }

  /** Stores an object under the next revision and tells everyone. */
  write(collection: string, key: string, object: KubeObject): Stored {
    const items = this.collection(collection)
    const previous = items.get(key)
    const stored = this.#next(object)
    items.put(key, stored)
    const type = previous ? 'MODIFIED' : 'ADDED'
    this.#announce({ type, collection, key, revision: stored.revision, stored, previous })
    return stored
  }

  /** Removes an object; answers its last state at the revision of its end. `last` is what it changed into in that moment. */
  remove(collection: string, key: string, last?: KubeObject): Stored | undefined {
    const previous = this.get(collection, key)
    if (!previous) return undefined
    this.collection(collection).remove(key)
    const stored = this.#next(last ?? previous.object)
    this.#announce({ type: 'DELETED', collection, key, revision: stored.revision, stored, previous })
    return stored
  }

  /** Hears every change of every collection, after it happened. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Hears the changes of one collection. */
  watch(collection: string, listener: ChangeListener): () => void {
    const watchers = this.#watchers.get(collection) ?? new Set()
    this.#watchers.set(collection, watchers.add(listener))
    return () => watchers.delete(listener)
  }

  now(collection: string): Snapshot {
    const items = this.collection(collection)
    return {
      revision: this.revision,
      keys: (prefix, start) => items.keys(prefix, start),
      get: key => items.get(key),
    }
  }

  /** The collection as it was; only for revisions that are not compacted. */
  snapshot(collection: string, revision: number): Snapshot {
    const changes = this.history.since(revision, collection)
    if (changes.length === 0) return { ...this.now(collection), revision }
    const before = new Map<string, Stored | undefined>()
    for (const { key, previous } of changes) if (!before.has(key)) before.set(key, previous)
    const items = this.collection(collection)
    const get = (key: string) => (before.has(key) ? before.get(key) : items.get(key))
    const keys = (prefix: string, start?: string) => keysThen(items, before, prefix, start)
    return { revision, get, keys }
  }

  #next(object: KubeObject): Stored {
    const revision = ++this.revision
    const metadata = { ...object.metadata, resourceVersion: String(revision) }
    return new Stored({ ...object, metadata }, revision)
  }

  #announce(change: Change): void {
    this.history.add(change)
    for (const watcher of this.#watchers.get(change.collection) ?? []) watcher(change)
    for (const listener of this.#listeners) listener(change)
  }
}

const keysThen = (
  items: Collection,
  before: Map<string, Stored | undefined>,
  prefix: string,
  start?: string,
): string[] => {
  const keys = items.keys(prefix, start).filter(key => !before.has(key) || before.get(key))
  for (const [key, stored] of before) {
    const at = position(keys, key)
    const isWanted = stored && key.startsWith(prefix) && key >= (start ?? prefix) && keys[at] !== key
    if (isWanted) keys.splice(at, 0, key)
  }
  return keys
}
