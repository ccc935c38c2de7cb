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
} from '../../core/objects/object.ts'
import type { WatchEvent } from '../../kube/client-types.ts'
import { keyIn } from '../key-text.ts'
import { type ContentMark, changedFilters, isSteered, marksOf, type Steering, steeringOf } from './filters.ts'

export type ObjectChange = {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  ref: ObjectRef
  /** Absent when a list alone showed that the object is gone. */
  object?: KubeObject
  /** `everything`: created, deleted, listed, or steered by a person (filters.ts); every filter lets it through. */
  changed: readonly WatchFilter[] | 'everything'
  /** The state (uid and resourceVersion) that an event shows; absent for lists and deletions. See shared/core/decisions/outcome.ts. */
  version?: string
  /** The first list shows it, or a later one as it was seen before: nothing says that it has changed just now. */
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
  /** undefined for nearly all objects. */
  steering: Steering | undefined
  list: number
}

export class SeenObjects {
  readonly #kind: GroupVersionKind
  readonly #filters: readonly WatchFilter[]
  readonly #memory: Memory
  readonly #seen = new Map<string, Sighting>()
  /** Number of the list under way or done last. */
  #list = 0
  /** A list was read to its end. One that fails halfway and begins anew is still the first. */
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

  /** The remembered objects that the finished list did not show: they are gone. */
  endList(): ObjectChange[] {
    this.#hasListed = true
    const missing = [...this.#seen].filter(([, sighting]) => sighting.list !== this.#list).map(([id]) => id)
    return missing.map(id => {
      this.#seen.delete(id)
      return { type: 'DELETED', ref: this.#refTo(keyIn(id)), changed: 'everything' }
    })
  }

  /** An event of the watch; undefined when no filter sees a change. */
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

  /** The object with its own kind: metadata-only answers say PartialObjectMetadata. */
  #named(object: KubeObject): KubeObject {
    return { ...object, apiVersion: this.#kind.apiVersion, kind: this.#kind.kind }
  }
}

const isSameState = (before: Sighting | undefined, after: Sighting): boolean =>
  before !== undefined && before.uid === after.uid && before.resourceVersion === after.resourceVersion

const endless: Memory = { concerns: () => true, objectsMost: () => Number.POSITIVE_INFINITY }

/** A MODIFIED event of an object that is not remembered is reported as ADDED. */
const typeOfNew = (type: 'ADDED' | 'MODIFIED' | 'DELETED'): ObjectChange['type'] =>
  type === 'DELETED' ? type : 'ADDED'
