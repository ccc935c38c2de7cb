// Remembers the objects that one watch has seen: a few numbers of each, and of a bounded count. It tells what changed since, and after a
// list which objects are gone. An object that is not remembered counts as new at its next event, which costs a call and loses none.
import type { WatchFilter } from '../../api/serverless.ts'
import {
  type GroupVersionKind,
  type Key,
  type KubeObject,
  keyOf,
  keyText,
  type ObjectRef,
  versionText,
} from '../../core/object.ts'
import type { WatchEvent } from '../../kube/client-types.ts'
import { keyIn } from '../key-text.ts'
import { type ContentMark, changedFilters, marksOf } from './filters.ts'

export type ObjectChange = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  ref: ObjectRef
  /** Absent when the object's end was noticed only by its absence from a list. */
  object?: KubeObject
  /** `everything`: created, ended, or listed anew, so that no filter may hold it back. */
  changed: readonly WatchFilter[] | 'everything'
  /** The state it shows of the object, where it tells of that state alone; see shared/core/outcome.ts. */
  version?: string
}

/** Whether any of these filters lets the change through. */
export const passes = (change: ObjectChange, on: readonly WatchFilter[]): boolean => {
  const { changed } = change
  return changed === 'everything' || on.some(filter => changed.includes(filter))
}

/** Who may be remembered. */
export type Memory = {
  /** Whether anybody cares for the object. */
  concerns(object: KubeObject): boolean
  /** How many there is room for. */
  objectsMost(): number
}

type Sighting = { uid: string | undefined; resourceVersion: string | undefined; marks: ContentMark[]; list: number }

export class SeenObjects {
  readonly #kind: GroupVersionKind
  readonly #filters: readonly WatchFilter[]
  readonly #memory: Memory
  readonly #seen = new Map<string, Sighting>()
  /** Number of the list under way or done last. */
  #list = 0

  /** `filters`: all that anybody will ask about these objects. */
  constructor(kind: GroupVersionKind, filters: readonly WatchFilter[], memory: Memory = endless) {
    this.#kind = kind
    this.#filters = filters
    this.#memory = memory
  }

  get size(): number {
    return this.#seen.size
  }

  has(key: Key): boolean {
    return this.#seen.has(keyText(key))
  }

  beginList(): void {
    this.#list++
  }

  /** An object of the list under way. */
  listed(object: KubeObject): ObjectChange {
    const id = keyText(keyOf(object))
    const type = this.#seen.has(id) ? 'MODIFIED' : 'ADDED'
    this.#remember(id, object, this.#sightingOf(object))
    const ref = this.#refTo(keyOf(object))
    return { type, ref, object: this.#named(object), changed: 'everything' }
  }

  /** The objects that the list just done did not show: they ended. */
  endList(): ObjectChange[] {
    const missing = [...this.#seen].filter(([, sighting]) => sighting.list !== this.#list).map(([id]) => id)
    return missing.map(id => {
      this.#seen.delete(id)
      return { type: 'DELETED', ref: this.#refTo(keyIn(id)), changed: 'everything' }
    })
  }

  /** An event of the watch; undefined when it says nothing new. */
  noticed({ type, object }: WatchEvent): ObjectChange | undefined {
    if (type === 'BOOKMARK') return undefined
    const id = keyText(keyOf(object))
    const before = this.#seen.get(id)
    const after = this.#sightingOf(object)
    if (type === 'DELETED') this.#seen.delete(id)
    else this.#remember(id, object, after)
    const changed = this.#changed(type, before, after)
    if (changed.length === 0) return undefined
    return {
      type: before ? type : typeOfNew(type),
      ref: this.#refTo(keyOf(object)),
      object: this.#named(object),
      changed,
      ...(type !== 'DELETED' && { version: versionText(object) }),
    }
  }

  #remember(id: string, object: KubeObject, sighting: Sighting): void {
    const { concerns, objectsMost } = this.#memory
    const hasRoom = this.#seen.has(id) || this.#seen.size < objectsMost()
    if (hasRoom && concerns(object)) this.#seen.set(id, sighting)
    else this.#seen.delete(id)
  }

  #changed(type: WatchEvent['type'], before: Sighting | undefined, after: Sighting): ObjectChange['changed'] {
    if (type === 'DELETED' || before === undefined || before.uid !== after.uid) return 'everything'
    if (before.resourceVersion === after.resourceVersion) return []
    return changedFilters(this.#filters, { before: before.marks, after: after.marks })
  }

  #sightingOf(object: KubeObject): Sighting {
    const { uid, resourceVersion } = object.metadata
    return { uid, resourceVersion, marks: marksOf(object, this.#filters), list: this.#list }
  }

  #refTo(key: Key): ObjectRef {
    return { apiVersion: this.#kind.apiVersion, kind: this.#kind.kind, ...key }
  }

  /** Metadata-only answers call themselves PartialObjectMetadata. */
  #named(object: KubeObject): KubeObject {
    return { ...object, apiVersion: this.#kind.apiVersion, kind: this.#kind.kind }
  }
}

const endless: Memory = { concerns: () => true, objectsMost: () => Number.POSITIVE_INFINITY }

/** Of an object we had not seen, whatever the event says, this is the first we know. */
const typeOfNew = (type: 'ADDED' | 'MODIFIED' | 'DELETED'): ObjectChange['type'] =>
  type === 'DELETED' ? type : 'ADDED'
