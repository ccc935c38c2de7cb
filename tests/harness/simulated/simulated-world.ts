// A cluster as a map of objects, for properties that must hold in thousands of worlds. It knows what a plan's steps mean to an API server (uid and
// resourceVersion preconditions, finalizers that hold a deletion, writes that change nothing). It knows no validation and no field managers; tests
// that need those use a cluster.
import { isDeepStrictEqual } from 'node:util'
import type { StatusChange, Step } from '../../../shared/core/decisions/plan.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import {
  hasFinalizer,
  isDeleting,
  type KubeObject,
  type ObjectRef,
  refOf,
  refText,
} from '../../../shared/core/objects/object.ts'
import type { ListQuery, Reads } from '../../../shared/kube/client-types.ts'

export class SimulatedWorld {
  readonly now = new Date('2026-01-01T00:00:00Z')
  readonly #stored = new Map<string, KubeObject>()
  #version = 0

  constructor(objects: readonly KubeObject[]) {
    for (const object of objects) this.put(object)
  }

  /** All stored objects, in the order of their creation. They are frozen, because readers must not change them. */
  get objects(): KubeObject[] {
    return [...this.#stored.values()]
  }

  get(ref: ObjectRef): KubeObject | undefined {
    return this.#stored.get(refText(ref))
  }

  /** Creates or replaces, as a person would. An object in deletion disappears with its last finalizer. */
  put(object: KubeObject): void {
    const id = refText(refOf(object))
    const before = this.#stored.get(id)?.metadata
    const after = structuredClone({ ...object, metadata: { ...object.metadata, ...identity(before) } })
    if (isDeepStrictEqual(after, this.#stored.get(id))) return
    const resourceVersion = String(++this.#version)
    after.metadata = { uid: `uid-${resourceVersion}`, ...after.metadata, resourceVersion }
    if (isDeleting(after) && !after.metadata.finalizers?.length) this.#stored.delete(id)
    else this.#stored.set(id, frozen(after))
  }

  /** Deletes like `kubectl delete`: the object is gone, or in deletion while a finalizer holds it. */
  delete(ref: ObjectRef): void {
    const object = this.get(ref)
    if (!object) return
    const deletionTimestamp = object.metadata.deletionTimestamp ?? this.now.toISOString()
    this.put({ ...object, metadata: { ...object.metadata, deletionTimestamp } })
  }

  /** Performs one step; false if its object has changed since it was read. Throws for steps that no plan may have. */
  perform(step: Step): boolean {
    if ('target' in step && !this.#isUnchanged(step.target)) return false
    if (step.do === 'hook' || step.do === 'takeSnapshot') throw new Error(`no simulated function has a step ${step.do}`)
    if (step.do === 'create' && this.get(refOf(step.object))) return false
    if (step.do === 'apply' || step.do === 'create') this.#apply(step.object)
    else if (step.do === 'replace') this.put(replaced(step.object, step.target))
    else if (step.do === 'createSecret') {
      if (!this.get(refOf(step.object))) this.put({ ...step.object, data: { madeAs: step.recipe.make } })
    } else if (step.do === 'issueCertificates') this.#apply({ ...step.into, data: { issuedFor: step.for.commonName } })
    else if (step.do === 'delete') this.delete(refOf(step.target))
    else this.put(changed(this.get(refOf(step.target)) ?? step.target, step))
    return true
  }

  /** Merges into the status of an object, if the object still exists. */
  patchStatus(ref: ObjectRef, change: StatusChange): void {
    const object = this.get(ref)
    if (object) this.put({ ...object, status: mergePatched(object.status ?? {}, change) })
  }

  readonly reads: Reads = {
    get: async ref => this.get(ref),
    list: async query => this.objects.filter(object => isMeant(query, object)).flatMap(object => kept(query, object)),
  }

  #apply(object: KubeObject): void {
    this.put(mergePatched(this.get(refOf(object)) ?? {}, object) as KubeObject)
  }

  #isUnchanged(target: KubeObject): boolean {
    const now = this.get(refOf(target))
    return now !== undefined && isDeepStrictEqual(identity(now.metadata), identity(target.metadata))
  }
}

const frozen = <T extends object>(value: T): T => {
  for (const below of Object.values(value)) if (typeof below === 'object' && below !== null) frozen(below)
  return Object.freeze(value)
}

type Change = Extract<Step, { do: 'addFinalizer' | 'removeFinalizer' | 'patch' }>

const changed = (object: KubeObject, step: Change): KubeObject => {
  if (step.do === 'patch') return mergePatched(object, step.merge) as KubeObject
  if (step.do === 'removeFinalizer') return withFinalizers(object, ...others(object, step.finalizer))
  if (hasFinalizer(object, step.finalizer)) return object
  if (isDeleting(object))
    throw new Error(`no new finalizers can be added to ${refText(refOf(object))}, which is being deleted`)
  return withFinalizers(object, ...others(object, step.finalizer), step.finalizer)
}

/** Keeps finalizers and status of the target. */
const replaced = (object: KubeObject, target: KubeObject): KubeObject => {
  const finalizers = new Set([...(target.metadata.finalizers ?? []), ...(object.metadata.finalizers ?? [])])
  const written = withFinalizers(object, ...finalizers)
  return target.status === undefined ? written : { ...written, status: target.status }
}

const others = ({ metadata }: KubeObject, finalizer: string): string[] =>
  (metadata.finalizers ?? []).filter(name => name !== finalizer)

const withFinalizers = (object: KubeObject, ...finalizers: string[]): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers },
})

const identity = (metadata: KubeObject['metadata'] | undefined) =>
  metadata && { uid: metadata.uid, resourceVersion: metadata.resourceVersion }

const isMeant = (query: ListQuery, { apiVersion, kind, metadata }: KubeObject): boolean =>
  apiVersion === query.apiVersion &&
  kind === query.kind &&
  (query.namespace === undefined || query.namespace === metadata.namespace)

const kept = ({ keep, metadataOnly }: ListQuery, object: KubeObject): KubeObject[] => {
  const { apiVersion, kind, metadata } = object
  const read = metadataOnly ? { apiVersion, kind, metadata } : object
  const result = keep ? keep(read) : read
  return result ? [result] : []
}
