// DELETE of one object and of a collection: preconditions, finalizers, propagation, grace.
import type { KubeObject } from '../../core/objects/object.ts'
import type { Attributes } from '../admission/attributes.ts'
import { customResourceCleanup } from '../builtin/customresourcedefinitions.ts'
import { namespaceFinalizer } from '../builtin/namespaces.ts'
import { traitsOf } from '../builtin/traits.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import { conflict, notFound } from '../status.ts'
import type { Stored } from '../storage/stored.ts'
import { nowText } from '../time.ts'
import { fieldsAt, listAt, textAt } from '../value.ts'
import type { Call, Reply } from './call.ts'
import { type DeleteOptions, deleteOptions, type Propagation } from './delete-options.ts'
import { selectorOf } from './read.ts'

export const remove = async (call: Call): Promise<Reply> => {
  const reply = await removeOne(call, deleteOptions(call))
  if (!reply) throw notFound(call.kind, call.name)
  return reply
}

const currentOf = ({ cluster, kind, namespace, name }: Call): Stored | undefined =>
  cluster.store.get(kind.collection, storageKey(kind, namespace, name))

/** undefined if the object does not exist, or has gone during admission. `asked`: the name in the request. */
const removeOne = async (call: Call, options: DeleteOptions, asked = call.name): Promise<Reply | undefined> => {
  const before = currentOf(call)
  if (!before) return undefined
  checkPreconditions(call, options, before)
  await call.cluster.admission.validate({ ...attributesOf(call, options, before), name: asked })
  const current = currentOf(call)
  if (!current) return undefined
  checkPreconditions(call, options, current)
  return performed(call, options, current)
}

const attributesOf = (call: Call, { isDryRun }: DeleteOptions, before: Stored): Attributes => ({
  operation: 'DELETE',
  kind: call.kind,
  subresource: '',
  namespace: call.namespace,
  name: call.name,
  object: undefined,
  before: before.shown(call.kind),
  user: call.user,
  isDryRun,
  warnings: call.warnings,
})

const checkPreconditions = (
  { kind, name }: Call,
  { uid, resourceVersion }: DeleteOptions,
  { object }: Stored,
): void => {
  const named = { ...kind, plural: kind.kind }
  const { metadata } = object
  if (uid && uid !== metadata.uid)
    throw conflict(
      named,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    )
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      named,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    )
}

const performed = (call: Call, options: DeleteOptions, current: Stored): Reply => {
  const { kind, cluster, namespace } = call
  const key = storageKey(kind, namespace, current.object.metadata.name)
  const before = current.object
  const finalizers = finalizersFor(before, propagationFor(kind, before, options.propagation))
  const grace = graceFor(before, options)
  const object = { ...before, metadata: { ...before.metadata, finalizers } }
  if (grace === 0 && finalizers.length === 0 && !isHeld(before)) {
    if (!options.isDryRun) cluster.store.remove(kind.collection, key)
    return deleted(call, traitsOf(kind).endsInTime ? markedForDeletion(object, before, 0) : before)
  }
  const marked = markedForDeletion(object, before, grace)
  if (options.isDryRun) return { is: 'object', code: 200, kind, object: marked }
  if (marked === before) return { is: 'stored', code: 200, kind, stored: current }
  return { is: 'stored', code: 200, kind, stored: cluster.store.write(kind.collection, key, marked) }
}

const garbage = { Orphan: 'orphan', Foreground: 'foregroundDeletion' } as const

/** The client's value, else the object's, else the kind's default. */
const propagationFor = (kind: Kind, { metadata }: KubeObject, asked?: Propagation): Propagation | undefined => {
  const { propagation } = traitsOf(kind)
  if (propagation === 'None') return undefined
  const isSaid = metadata.finalizers?.some(each => each === garbage.Orphan || each === garbage.Foreground)
  return asked ?? (isSaid ? undefined : propagation)
}

/** The finalizers an object has once it is being deleted this way. */
const finalizersFor = ({ kind, metadata }: KubeObject, propagation: Propagation | undefined): string[] => {
  const before = metadata.finalizers ?? []
  const own = kind === 'CustomResourceDefinition' ? [...new Set([...before, customResourceCleanup])] : before
  if (!propagation) return own
  const kept = own.filter(finalizer => finalizer !== garbage.Orphan && finalizer !== garbage.Foreground)
  return propagation === 'Background' ? kept : [...kept, garbage[propagation]]
}

/** A namespace is held by the finalizers in its spec. */
const isHeld = ({ kind, spec }: KubeObject): boolean =>
  kind === 'Namespace' && listAt(spec, 'finalizers').includes(namespaceFinalizer)

/** Only a Pod on a node is given time: its node says when it is gone. */
const graceFor = (object: KubeObject, { graceSeconds }: DeleteOptions): number => {
  const phase = textAt(object, 'status', 'phase')
  if (object.kind !== 'Pod' || !textAt(object, 'spec', 'nodeName') || phase === 'Failed' || phase === 'Succeeded')
    return 0
  const asked = graceSeconds ?? Number(fieldsAt(object, 'spec')?.terminationGracePeriodSeconds ?? 30)
  const left = (object.metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds
  return left === undefined ? asked : Math.min(asked, left)
}

const markedForDeletion = (object: KubeObject, before: KubeObject, grace: number): KubeObject => {
  const { finalizers = [], ...metadata } = object.metadata
  const isFirst = before.metadata.deletionTimestamp === undefined
  const isDefinition = object.kind === 'CustomResourceDefinition'
  const left = (before.metadata as { deletionGracePeriodSeconds?: number }).deletionGracePeriodSeconds
  if (!isFirst && finalizers.join() === (before.metadata.finalizers ?? []).join() && left === grace) return before
  const marked = {
    ...metadata,
    ...(finalizers.length && { finalizers }),
    ...(isFirst && !isDefinition && metadata.generation !== undefined && { generation: metadata.generation + 1 }),
    deletionTimestamp: before.metadata.deletionTimestamp ?? nowText(),
    ...(object.kind !== 'Namespace' && !isDefinition && { deletionGracePeriodSeconds: grace }),
  }
  return withTerminatingState({ ...object, metadata: marked })
}

const withTerminatingState = (object: KubeObject): KubeObject => {
  const status = fieldsAt(object, 'status')
  if (object.kind === 'Namespace') return { ...object, status: { ...status, phase: 'Terminating' } }
  if (object.kind !== 'CustomResourceDefinition') return object
  const others = listAt(status, 'conditions').filter(condition => textAt(condition, 'type') !== 'Terminating')
  return { ...object, status: { ...status, conditions: [...others, deletionPending()] } }
}

const deletionPending = () => ({
  type: 'Terminating',
  status: 'True',
  lastTransitionTime: nowText(),
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
})

const deleted = ({ kind }: Call, object: KubeObject): Reply => {
  if (traitsOf(kind).answersDeleted) return { is: 'object', code: 200, kind, object }
  const details = {
    name: object.metadata.name,
    ...(kind.group && { group: kind.group }),
    kind: kind.plural,
    uid: object.metadata.uid,
  }
  return {
    is: 'object',
    code: 200,
    object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details },
  }
}

/** DELETE of all selected objects: answers the list of what was there. */
export const removeCollection = async (call: Call): Promise<Reply> => {
  const options = deleteOptions(call)
  const selector = selectorOf(call)
  const { kind, cluster } = call
  const { store } = cluster
  const prefix = kind.namespaced && call.namespace ? `${call.namespace}/` : ''
  const chosen = [...store.now(kind.collection).keys(prefix)]
    .flatMap(key => store.get(kind.collection, key) ?? [])
    .filter(stored => selector.matches(stored))
  for (const { object } of chosen)
    await removeOne(
      { ...call, namespace: object.metadata.namespace ?? '', name: object.metadata.name },
      options,
      call.name,
    )
  return { is: 'list', kind, list: { items: chosen, revision: store.revision } }
}

/** For the cluster's own housekeeping: deletes as if an administrator had, without admission. */
export const removeQuietly = (call: Call, options: { propagation?: Propagation; uid?: string }): void => {
  const current = currentOf(call)
  if (!current || (options.uid && current.object.metadata.uid !== options.uid)) return
  performed(
    call,
    {
      isDryRun: false,
      propagation: options.propagation,
      graceSeconds: undefined,
      uid: options.uid,
      resourceVersion: undefined,
    },
    current,
  )
}
