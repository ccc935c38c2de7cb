// The cluster's memory: collections of objects in the API server's order (by the bytes of their keys), one revision counter for all, and
// listeners. The store is independent of kinds, rules and HTTP. Every write is one synchronous step, so no write is incomplete.
import { keptOrMade } from '../../core/memory/remembered.ts'
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import type { Kind } from '../kinds/kind.ts'

type ChangeListener = (change: Change) => void

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
  #journal: ChangeListener = () => undefined

  constructor(historyLimit: number) {
    this.history = new History(historyLimit)
  }

  collection(name: string): Collection {
    return keptOrMade(this.#collections, name, () => new Collection())
  }

  collectionNames(): string[] {
    return [...this.#collections.keys()]
  }

  get(collection: string, key: string): Stored | undefined {
    return this.#collections.get(collection)?.get(key)
  }

  /** The objects whose keys begin with `prefix`, in order. */
  objects(collection: string, prefix = ''): KubeObject[] {
    const items = this.collection(collection)
    return items.keys(prefix).flatMap(key => items.get(key)?.object ?? [])
  }

  write(collection: string, key: string, object: KubeObject): Stored {
    const previous = this.get(collection, key)
    const type = previous ? 'MODIFIED' : 'ADDED'
    return this.#happen({ type, collection, key, previous, ...this.#next(object) })
  }

  /** Returns the last state of the object, with the revision of the removal. `last` replaces this state. */
  remove(collection: string, key: string, last?: KubeObject): Stored | undefined {
    const previous = this.get(collection, key)
    if (!previous) return undefined
    return this.#happen({ type: 'DELETED', collection, key, previous, ...this.#next(last ?? previous.object) })
  }

  /** Adds an object from an earlier run at its old revision. Only listeners are called. */
  restore(collection: string, key: string, object: KubeObject): void {
    const revision = Number(object.metadata.resourceVersion)
    const stored = new Stored(object, revision)
    this.collection(collection).put(key, stored)
    for (const listener of this.#listeners) listener({ type: 'ADDED', collection, key, revision, stored })
  }

  /** Continues at the revision of an earlier run. The history of the earlier run is gone. */
  resumeAt(revision: number): void {
    this.revision = revision
    this.history.compact(revision)
  }

  /** The journal is called with every change before the change happens. If the journal throws, the change does not happen. */
  keepJournal(journal: ChangeListener): void {
    this.#journal = journal
  }

  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  watch(collection: string, listener: ChangeListener): () => void {
    const watchers = keptOrMade(this.#watchers, collection, () => new Set()).add(listener)
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

  /** Only for revisions that are not compacted. */
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

  #next(object: KubeObject): { revision: number; stored: Stored } {
    const revision = this.revision + 1
    const metadata = { ...object.metadata, resourceVersion: String(revision) }
    return { revision, stored: new Stored({ ...object, metadata }, revision) }
  }

  #happen(change: Change): Stored {
    const { type, collection, key, stored, revision } = change
    this.#journal(change)
    this.revision = revision
    if (type === 'DELETED') this.collection(collection).remove(key)
    else this.collection(collection).put(key, stored)
    this.#announce(change)
    return stored
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

class Collection {
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

const position = (keys: readonly string[], key: string): number => {
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

export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly collection: string
  readonly key: string
  readonly revision: number
  /** The object after the change. For a deletion, the last state of the object, with the revision of the deletion. */
  readonly stored: Stored
  readonly previous?: Stored
}

/** The last changes, oldest first. Watches resume from these changes. Paged lists read snapshots. Requests for older changes get 410. */
class History {
  #changes: Change[] = []
  #limit: number
  /** Changes up to this revision are no longer kept. */
  compacted = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(change: Change): void {
    this.#changes.push(change)
    if (this.#changes.length >= this.#limit * 2) this.#keep(this.#limit)
  }

  compact(revision: number): void {
    this.compacted = Math.max(this.compacted, revision)
    this.#changes = this.#after(revision)
  }

  since(revision: number, collection: string): Change[] {
    return this.#after(revision).filter(change => change.collection === collection)
  }

  #keep(count: number): void {
    const last = this.#changes.at(-count - 1)
    if (last) this.compact(last.revision)
  }

  #after(revision: number): Change[] {
    return this.#changes.slice(this.#changes.findLastIndex(change => change.revision <= revision) + 1)
  }
}

/** One stored version of one object. The JSON is made once for all lists and watches. */
export class Stored {
  readonly object: KubeObject
  readonly revision: number
  #kind: Kind | undefined
  #shown: KubeObject | undefined
  #json: string | undefined

  constructor(object: KubeObject, revision: number) {
    this.object = object
    this.revision = revision
  }

  shown(kind: Kind): KubeObject {
    this.#turnTo(kind)
    this.#shown ??= kind.show ? kind.show(this.object) : this.object
    return this.#shown
  }

  json(kind: Kind): string {
    this.#turnTo(kind)
    this.#json ??= JSON.stringify(this.shown(kind))
    return this.#json
  }

  itemJson(kind: Kind): string {
    const json = this.json(kind)
    const head = typeHead(kind)
    return !kind.custom && json.startsWith(head) ? `{${json.slice(head.length)}` : json
  }

  #turnTo(kind: Kind): void {
    if (this.#kind === kind) return
    this.#kind = kind
    this.#shown = undefined
    this.#json = undefined
  }
}

const typeHead = (kind: Kind): string => `{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}",`
