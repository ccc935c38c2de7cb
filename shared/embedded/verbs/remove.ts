// DELETE of one object and of a collection: preconditions, finalizers, propagation, grace.
import type { KubeObject } from '../../core/objects/object.ts'
import { customResourceCleanup } from '../builtin/customresourcedefinitions.ts'
import { namespaceFinalizer, traitsOf } from '../builtin/traits.ts'
import type { Cluster } from '../cluster.ts'
import { conditionsOf, withConditions } from '../conditions.ts'
import { decodeAs } from '../kinds/decode.ts'
import { type Kind, storageKey } from '../kinds/kind.ts'
import { badRequest, conflict, faultsIn, invalid, invalidValue, notFound, unsupported } from '../status.ts'
import type { Stored } from '../storage/store.ts'
import { nowText } from '../time.ts'
import { fieldsAt, isMap, listAt, textAt } from '../value.ts'
import { jsonIn, yamlValue } from './body.ts'
import { attributesOf, boolean, type Call, currentOf, dryRunFaults, integer, type Reply } from './call.ts'
import { selectorOf } from './read.ts'

export const remove = async (call: Call): Promise<Reply> => {
  const reply = await removeOne(call, deleteOptions(call))
  if (!reply) throw notFound(call.kind, call.name)
  return reply
}

/** undefined if the object does not exist or was removed during admission. `asked`: the name in the request. */
const removeOne = async (call: Call, options: DeleteOptions, asked = call.name): Promise<Reply | undefined> => {
  const before = currentOf(call)
  if (!before) return undefined
  checkPreconditions(call, options, before)
  const attributes = attributesOf(call, 'DELETE', options)
  await call.cluster.admission.validate({ ...attributes, name: asked, before: before.shown(call.kind) })
  const current = currentOf(call)
  if (!current) return undefined
  checkPreconditions(call, options, current)
  return performed(call, options, current)
}

const checkPreconditions = ({ kind, name }: Call, wanted: DeleteOptions, { object: { metadata } }: Stored): void => {
  const rows = [
    ['UID', wanted.uid, metadata.uid, 'deleted and then recreated'],
    ['ResourceVersion', wanted.resourceVersion, metadata.resourceVersion, 'modified'],
  ]
  for (const [what, asked, found, why] of rows) {
    const fault = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${found})`
    if (asked && asked !== found)
      throw conflict({ ...kind, plural: kind.kind }, name, `${fault}. The object might have been ${why}`)
  }
}

const performed = (
  { kind, cluster, namespace }: Pick<Call, 'kind' | 'cluster' | 'namespace'>,
  options: DeleteOptions,
  current: Stored,
): Reply => {
  const key = storageKey(kind, namespace, current.object.metadata.name)
  const before = current.object
  const finalizers = finalizersFor(before, propagationFor(kind, before, options.propagation))
  const grace = graceFor(before, options)
  const object = { ...before, metadata: { ...before.metadata, finalizers } }
  if (grace === 0 && finalizers.length === 0 && !isHeld(before)) {
    if (!options.isDryRun) cluster.store.remove(kind.collection, key)
    return deleted(kind, traitsOf(kind).endsInTime ? markedForDeletion(object, before, 0) : before)
  }
  const marked = markedForDeletion(object, before, grace)
  if (options.isDryRun) return { is: 'object', code: 200, kind, object: marked }
  if (marked === before) return { is: 'stored', code: 200, kind, stored: current }
  return { is: 'stored', code: 200, kind, stored: cluster.store.write(kind.collection, key, marked) }
}

const garbage = { Orphan: 'orphan', Foreground: 'foregroundDeletion' } as const

/** The value of the client, or else of the object, or else the default of the kind. */
const propagationFor = (kind: Kind, { metadata }: KubeObject, asked?: Propagation): Propagation | undefined => {
  const { propagation } = traitsOf(kind)
  if (propagation === 'None') return undefined
  const isSaid = metadata.finalizers?.some(each => each === garbage.Orphan || each === garbage.Foreground)
  return asked ?? (isSaid ? undefined : propagation)
}

const finalizersFor = ({ kind, metadata }: KubeObject, propagation: Propagation | undefined): string[] => {
  const before = metadata.finalizers ?? []
  const own = kind === 'CustomResourceDefinition' ? [...new Set([...before, customResourceCleanup])] : before
  if (!propagation) return own
  const kept = own.filter(finalizer => finalizer !== garbage.Orphan && finalizer !== garbage.Foreground)
  return propagation === 'Background' ? kept : [...kept, garbage[propagation]]
}

/** Whether the object is a Namespace with finalizers in its spec. */
const isHeld = ({ kind, spec }: KubeObject): boolean =>
  kind === 'Namespace' && listAt(spec, 'finalizers').includes(namespaceFinalizer)

/** Only a Pod on a node gets a grace period, because its node reports the end of the Pod. */
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
  return { ...object, status: { ...status, conditions: withConditions(conditionsOf(object), [deletionPending]) } }
}

const deletionPending = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionPending',
  message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
} as const

const deleted = (kind: Kind, object: KubeObject): Reply => {
  if (traitsOf(kind).answersDeleted) return { is: 'object', code: 200, kind, object }
  const { name, uid } = object.metadata
  const details = { name, ...(kind.group && { group: kind.group }), kind: kind.plural, uid }
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
  return { is: 'object', code: 200, object: status }
}

export const removeCollection = async (call: Call): Promise<Reply> => {
  const options = deleteOptions(call)
  const selector = selectorOf(call)
  const { kind, cluster } = call
  const { store } = cluster
  const prefix = kind.namespaced && call.namespace ? `${call.namespace}/` : ''
  const chosen = [...store.now(kind.collection).keys(prefix)]
    .flatMap(key => store.get(kind.collection, key) ?? [])
    .filter(stored => selector.matches(stored))
  for (const { object } of chosen) {
    const { namespace = '', name } = object.metadata
    await removeOne({ ...call, namespace, name }, options, call.name)
  }
  return { is: 'list', kind, list: { items: chosen, revision: store.revision } }
}

/** Deletes the object for the cluster itself, without admission. An object that was created again stays. */
export const removeQuietly = (
  cluster: Cluster,
  collection: string,
  { metadata: { namespace = '', name, uid } }: KubeObject,
  propagation?: Propagation,
): void => {
  const [kind] = cluster.registry.inCollection(collection)
  const current = kind && currentOf({ cluster, kind, namespace, name })
  if (current?.object.metadata.uid === uid && kind && current)
    performed({ cluster, kind, namespace }, { isDryRun: false, propagation }, current)
}

type Propagation = 'Orphan' | 'Background' | 'Foreground'

type DeleteOptions = {
  readonly isDryRun: boolean
  readonly propagation: Propagation | undefined
  readonly graceSeconds?: number | undefined
  readonly uid?: string | undefined
  readonly resourceVersion?: string | undefined
}

const optionsType = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions'
const propagations = ['Foreground', 'Background', 'Orphan']

const deleteOptions = (call: Call): DeleteOptions => {
  const body = bodyOf(call)
  const { query } = call
  const orphan = body.orphanDependents ?? boolean(query, 'orphanDependents')
  const given = body.propagationPolicy ?? query.get('propagationPolicy') ?? undefined
  const dryRun = [...listAt(body, 'dryRun').map(String), ...query.getAll('dryRun')]
  const faults = faultsIn(
    given !== undefined &&
      orphan !== undefined &&
      invalidValue('propagationPolicy', given, 'orphanDependents and deletionPropagation cannot be both set'),
    given !== undefined &&
      !propagations.includes(String(given)) &&
      unsupported('propagationPolicy', given, [...propagations, 'nil']),
    dryRunFaults(dryRun),
  )
  if (faults.length) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults)
  const legacy = orphan === undefined ? undefined : orphan ? 'Orphan' : 'Background'
  return {
    isDryRun: dryRun.length > 0,
    propagation: (given ?? legacy) as Propagation | undefined,
    graceSeconds:
      typeof body.gracePeriodSeconds === 'number' ? body.gracePeriodSeconds : integer(query, 'gracePeriodSeconds'),
    uid: textAt(body, 'preconditions', 'uid') || undefined,
    resourceVersion: textAt(body, 'preconditions', 'resourceVersion') || undefined,
  }
}

const bodyOf = (call: Call): Record<string, unknown> => {
  if (call.body.trim() === '') return {}
  const refused = (why: string) => badRequest(`couldn't get version/kind; json parse error: ${why}`)
  const isYaml = call.contentType === 'application/yaml'
  const value = isYaml ? yamlValue(call.body) : jsonIn(call.body, 'DeleteOptions', refused)
  if (!isMap(value)) return {}
  if (value.kind !== undefined && value.kind !== '' && value.kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(value.kind)} is registered for version ${JSON.stringify(value.apiVersion ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    )
  return decodeAs(optionsType, value, [])
}
