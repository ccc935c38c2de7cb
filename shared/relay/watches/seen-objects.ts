// Remembers the objects of one watch up to a limit, with a few numbers per object. Detects changes, and after a list also deleted objects.
// A forgotten object counts as new at its next event, which costs one call.
import type { WatchFilter } from '../../api/serverless.ts'
import {
  type GroupVersionKind,
  type Key,
  type KubeObject,
  keyOf,
  keyText,
  type ObjectRef,
  versionText,
} from '../../core/objects/object.ts'
import type { WatchEvent } from '../../kube/client-types.ts'
import { keyIn } from '../key-text.ts'
import { type ContentMark, changedFilters, isSteered, marksOf, type Steering, steeringOf } from './filters.ts'

export type ObjectChange = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  ref: ObjectRef
  /** Absent when only a list showed that the object is gone. */
  object?: KubeObject
  /** `everything`: created, deleted, listed, suspended or called by annotation (filters.ts). Passes all filters. */
  changed: readonly WatchFilter[] | 'everything'
  /** The version (uid and resourceVersion) in an event; absent for lists and deletions. */
  version?: string
  /** True if the first list found the object, or a later list shows it unchanged. */
  isRoutine?: boolean
}

export const passes = (change: ObjectChange, on: readonly WatchFilter[]): boolean => {
  const { changed } = change
  return changed === 'everything' || on.some(filter => changed.includes(filter))
}

export type Memory = {
  concerns(object: KubeObject): boolean
  objectsMost(): number
}

type Sighting = {
  uid: string | undefined
  resourceVersion: string | undefined
  marks: ContentMark[]
  /** undefined for objects without such annotations, which are most objects. */
  steering: Steering | undefined
  list: number
}

export class SeenObjects {
  readonly #kind: GroupVersionKind
  readonly #filters: readonly WatchFilter[]
  readonly #memory: Memory
  readonly #seen = new Map<string, Sighting>()
  /** Number of the current or last list. */
  #list = 0
  /** Whether a list has been read completely. A list that fails and restarts is still the first list. */
  #hasListed = false

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

  listed(object: KubeObject): ObjectChange {
    const id = keyText(keyOf(object))
    const before = this.#seen.get(id)
    const after = this.#sightingOf(object)
    this.#remember(id, object, after)
    return {
      type: before ? 'MODIFIED' : 'ADDED',
      ref: this.#refTo(keyOf(object)),
      object: this.#named(object),
      changed: 'everything',
      ...((!this.#hasListed || isSameState(before, after)) && { isRoutine: true }),
    }
  }

  /** Ends a list. Returns the remembered objects that were not in the list, because these objects are gone. */
  endList(): ObjectChange[] {
    this.#hasListed = true
    const missing = [...this.#seen].filter(([, sighting]) => sighting.list !== this.#list).map(([id]) => id)
    return missing.map(id => {
      this.#seen.delete(id)
      return { type: 'DELETED', ref: this.#refTo(keyIn(id)), changed: 'everything' }
    })
  }

  /** Returns undefined when no filter finds a change. */
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
    if (isSteered(before.steering, after.steering)) return 'everything'
    return changedFilters(this.#filters, { before: before.marks, after: after.marks })
  }

  #sightingOf(object: KubeObject): Sighting {
    const { uid, resourceVersion } = object.metadata
    const marks = marksOf(object, this.#filters)
    return { uid, resourceVersion, marks, steering: steeringOf(object), list: this.#list }
  }

  #refTo(key: Key): ObjectRef {
    return { apiVersion: this.#kind.apiVersion, kind: this.#kind.kind, ...key }
  }

  /** Sets the kind, because metadata-only answers have PartialObjectMetadata. */
  #named(object: KubeObject): KubeObject {
    return { ...object, apiVersion: this.#kind.apiVersion, kind: this.#kind.kind }
  }
}

const isSameState = (before: Sighting | undefined, after: Sighting): boolean =>
  before !== undefined && before.uid === after.uid && before.resourceVersion === after.resourceVersion

const endless: Memory = { concerns: () => true, objectsMost: () => Number.POSITIVE_INFINITY }

/** A MODIFIED event of a forgotten object is reported as ADDED. */
const typeOfNew = (type: 'ADDED' | 'MODIFIED' | 'DELETED'): ObjectChange['type'] =>
  type === 'DELETED' ? type : 'ADDED'
