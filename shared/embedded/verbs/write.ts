// The only path by which clients create and change objects: produce, admit, prepare, check, admit again, store. After a concurrent change,
// the write starts again, unless the client sent a resourceVersion.
import { apiVersionOf, type KubeObject } from '../../core/objects/object.ts'
import { ownedAfterUpdate, type WriteContext } from '../apply/ownership.ts'
import { rootTyping } from '../apply/shape.ts'
import { refuseEscalation } from '../authorization/escalation.ts'
import { traitsOf } from '../builtin/traits.ts'
import { storageKey } from '../kinds/kind.ts'
import {
  alreadyExists,
  conflict,
  forbidden,
  invalid,
  invalidValue,
  modified,
  notFound,
  StatusError,
} from '../status.ts'
import type { Stored } from '../storage/store.ts'
import { nowText } from '../time.ts'
import { sameJson } from '../value.ts'
import { attributesOf, type Call, type Reply, type WriteOptions } from './call.ts'
import { isDeletable } from './internal.ts'
import { born, placed, withoutSystemFields } from './metadata.ts'
import {
  blankOf,
  faultsOnCreate,
  faultsOnUpdate,
  ignoredFields,
  preparedForCreate,
  preparedForUpdate,
} from './strategy.ts'

const mostAttempts = 5

export const changeOf = (call: Call, options: WriteOptions): WriteContext => {
  const { kind, subresource, cluster } = call
  return {
    manager: options.fieldManager,
    apiVersion: apiVersionOf(kind),
    subresource,
    time: nowText(),
    typing: rootTyping(kind),
    ignored: ignoredFields(kind, subresource),
    blank: blankOf(kind),
    isServed: apiVersion => cluster.registry.named(apiVersion, kind.kind) !== undefined,
  }
}

type Written = { readonly object: KubeObject; readonly before?: KubeObject }

const attributes = (call: Call, options: WriteOptions, { object, before }: Written) => ({
  ...attributesOf(call, before ? 'UPDATE' : 'CREATE', options),
  name: call.name || object.metadata.name || '',
  object,
  before,
})

const mostNameAttempts = 8
const definitions = 'apiextensions.k8s.io/customresourcedefinitions'

export const create = async (call: Call, wanted: Produced, options: WriteOptions): Promise<Reply> => {
  const { kind, cluster } = call
  const given = wanted.object
  if (given.metadata.resourceVersion)
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created')
  refuseEnding(call, given.metadata.name)
  const start = placed({ ...given, metadata: withoutSystemFields(given.metadata) }, kind, call.namespace)
  const owned = wanted.isOwned ? start : ownedAfterUpdate(undefined, start, changeOf(call, options))
  const admitted = await cluster.admission.mutate(attributes(call, options, { object: owned }))
  refuseEscalation(call, admitted)
  for (let attempt = 1; ; attempt++) {
    const object = newObject(call, admitted)
    await cluster.admission.validate(attributes(call, options, { object }))
    const key = storageKey(kind, call.namespace, object.metadata.name)
    const present = cluster.store.get(kind.collection, key)
    if (!present) return stored(call, object, options, 201)
    if (given.metadata.name || attempt === mostNameAttempts)
      throw alreadyExists(kind, object.metadata.name, present.object.metadata.deletionTimestamp !== undefined)
  }
}

/** Refuses new objects of a definition that is being deleted. */
const refuseEnding = ({ kind, cluster }: Call, name: string): void => {
  const definition = kind.custom && cluster.store.get(definitions, kind.custom.definition)
  if (definition?.object.metadata.deletionTimestamp)
    throw forbidden(kind, name, 'create not allowed while custom resource definition is terminating')
}

const newObject = (call: Call, admitted: KubeObject): KubeObject => {
  const { kind } = call
  const object = preparedForCreate({ ...admitted, metadata: born(admitted.metadata) }, kind)
  const faults = faultsOnCreate(object, kind)
  if (faults.length) throw invalid(kind, object.metadata.name, faults)
  return object
}

const stored = (call: Call, object: KubeObject, options: WriteOptions, code: number): Reply => {
  const { kind, cluster } = call
  if (options.isDryRun) return { is: 'object', code, kind, object }
  const hidden = kind.hide ? kind.hide(object) : object
  const result = cluster.store.write(kind.collection, storageKey(kind, call.namespace, object.metadata.name), hidden)
  return { is: 'stored', code, kind, stored: result }
}

export type Produced = { readonly object: KubeObject; readonly isOwned: boolean }

type Update = {
  /** Makes the requested object from the current object (undefined if none exists). May be called again. */
  produce(before: KubeObject | undefined): Produced
  readonly createsIfAbsent: boolean
  /** The client sends a whole object. Its uid can select the object to replace. */
  readonly isReplacement?: true
  readonly tracking?: WriteContext
}

/** Changes an object. Creates a missing object if the kind or the verb allows it. */
export const change = async (call: Call, options: WriteOptions, update: Update): Promise<Reply> => {
  for (let attempt = 1; ; attempt++) {
    const reply = await tryChange(call, options, update)
    if (reply) return reply
    if (attempt === mostAttempts) throw modified(call.kind, call.name)
  }
}

const tryChange = async (call: Call, options: WriteOptions, update: Update): Promise<Reply | undefined> => {
  const { kind, cluster, name } = call
  const key = storageKey(kind, call.namespace, name)
  const current = cluster.store.get(kind.collection, key)
  if (!current) return createInstead(call, options, update)
  const before = current.shown(kind)
  const { object: wanted, isOwned } = update.produce(before)
  if (update.isReplacement) checkIdentity(call, wanted, before)
  checkRevision(call, wanted, before)
  const owned = isOwned ? wanted : ownedAfterUpdate(before, wanted, update.tracking ?? changeOf(call, options))
  const admitted = await cluster.admission.mutate(attributes(call, options, { object: owned, before }))
  refuseEscalation(call, admitted, before)
  const next = preparedForUpdate(admitted, before, kind, call.subresource)
  const faults = faultsOnUpdate(next, before, kind, call.subresource)
  if (faults.length) throw invalid(kind, name, faults)
  await cluster.admission.validate(attributes(call, options, { object: next, before }))
  if (cluster.store.get(kind.collection, key) !== current) return undefined
  return settle(call, options, current, next)
}

const createInstead = async (call: Call, options: WriteOptions, update: Update): Promise<Reply> => {
  const { kind, name } = call
  if (!update.createsIfAbsent || call.subresource) throw notFound(kind, name)
  const { object, isOwned } = update.produce(undefined)
  const { uid } = object.metadata
  if (uid)
    throw conflict(
      kind,
      name,
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    )
  const { namespace } = call
  call.cluster.authorization.require(call.user, { verb: 'create', kind, subresource: '', namespace, name })
  const { resourceVersion: _, ...metadata } = object.metadata
  return create(call, { object: { ...object, metadata }, isOwned }, options)
}

/** A PUT with another uid means another object and is a conflict. A patch with another uid changes an immutable field. */
const checkIdentity = ({ kind, namespace, name }: Call, wanted: KubeObject, before: KubeObject): void => {
  const { uid } = wanted.metadata
  if (!uid || uid === before.metadata.uid) return
  const key = ['/registry', ...(kind.custom ? [kind.group] : []), kind.plural, storageKey(kind, namespace, name)]
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${before.metadata.uid}`
  throw conflict(
    kind,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key.join('/')}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`,
  )
}

const unparsable = (text: string): string => `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`

/** Refuses a change with another resourceVersion than the current resourceVersion. */
const checkRevision = ({ kind, name }: Call, wanted: KubeObject, before: KubeObject): void => {
  const { resourceVersion } = wanted.metadata
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) throw new StatusError(500, '', unparsable(resourceVersion))
  if (resourceVersion && resourceVersion !== before.metadata.resourceVersion) throw modified(kind, name)
  if (!resourceVersion && traitsOf(kind).needsResourceVersion)
    throw invalid({ group: kind.group, kind: kind.plural }, name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
}

/** Stores a real change, or removes the object if it is being deleted and has no finalizers. */
const settle = (call: Call, options: WriteOptions, current: Stored, next: KubeObject): Reply => {
  const { kind } = call
  const before = current.shown(kind)
  const bound = { ...next, metadata: { ...next.metadata, resourceVersion: before.metadata.resourceVersion } }
  if (sameJson(withoutTimes(bound), withoutTimes(before))) return { is: 'stored', code: 200, kind, stored: current }
  if (!isDeletable(bound)) return stored(call, bound, options, 200)
  if (!options.isDryRun) call.cluster.store.remove(kind.collection, storageKey(kind, call.namespace, call.name))
  return { is: 'object', code: 200, kind, object: bound }
}

const withoutTimes = (object: KubeObject): unknown => {
  const { managedFields } = object.metadata
  if (!managedFields) return object
  const timeless = managedFields.map(entry => ({ ...(entry as Record<string, unknown>), time: undefined }))
  return { ...object, metadata: { ...object.metadata, managedFields: timeless } }
}
