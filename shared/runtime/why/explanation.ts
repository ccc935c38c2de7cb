// Explains one object by its own content: whether the object is ready, since when, why not, and which objects to read next. Uses the status
// of our kinds, Pods of workloads, and finalizers of deleted objects. Pure.
import { istioNames } from '../../api/istio/names.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import { itemsOf, refOfItem } from '../../component/item.ts'
import { podSelectorOf, replicaFailure, troubleInPod } from '../../component/observed/pod-trouble.ts'
import { readinessOf, statusOf } from '../../component/observed/readiness.ts'
import { attempted } from '../../core/decisions/reading.ts'
import { suspendedSentence, suspensionOf } from '../../core/decisions/suspension.ts'
import { isMap, isText, type JsonMap, mapOrEmpty, mapsIn, shownText } from '../../core/json/json.ts'
import { conditionOf } from '../../core/objects/condition.ts'
import {
  type ClusterName,
  groupAndKind,
  isDeleting,
  type KubeObject,
  type ObjectRef,
  refOf,
} from '../../core/objects/object.ts'
import { kubectlDuration } from '../../core/time/duration.ts'
import type { ListQuery } from '../../kube/client-types.ts'
import { isModuleWell, isOn, kymaNameOf } from '../../kyma/kinds.ts'
import { runtimeName } from '../../kyma/kyma-runtime.ts'

export type Explanation = {
  readonly is: 'ready' | 'waiting' | 'failed' | 'deleting' | 'suspended'
  readonly since?: string
  /** Sentences from the status. Example: `0 of 1 replicas are available`. */
  readonly says: readonly string[]
  /** Parts of the object. Parts that are not ready explain why the object is not ready. */
  readonly parts: readonly PartQuery[]
}

/**
 * One object, or a list. `isWell`: the status reports the part as ready, so only `espalier tree` reads the part. `wave`: counts from 1;
 * absent for a single wave.
 */
export type PartQuery = { readonly on: ClusterName; readonly isWell?: boolean; readonly wave?: number } & (
  | { readonly ref: ObjectRef }
  | { readonly list: ListQuery }
)

export const isInTrouble = ({ is }: { readonly is: string }): boolean => is !== 'ready' && is !== 'suspended'

export const explained = (stored: KubeObject, on: ClusterName, now: Date): Explanation => {
  const object = withEngineStatus(stored)
  const found = suspended(object) ?? byState(object) ?? byReadiness(object, now)
  const troubles = troublesBeside[groupAndKind(object)]?.(object) ?? []
  const more = troubles.map(({ says }) => says)
  const parts = partsByKind[groupAndKind(object)]?.(object, on) ?? inventoryParts(object, on)
  const is = found.is === 'ready' ? stateBeside(troubles) : found.is
  // If `more` changes the state, its sentences come first: "the last operation succeeded" is then less important.
  const says = is === found.is ? [...found.says, ...more] : [...more, ...found.says]
  const explanation = { ...found, is, says, parts }
  return isDeleting(object) ? { ...explanation, ...deletion(object, explanation) } : explanation
}

type Found = Omit<Explanation, 'parts'>

/** The explanation of an object that is suspended by our annotation, or by lifecycle-manager's label. */
const suspended = (object: KubeObject): Found | undefined => {
  const suspension = suspensionOf(object)
  const since = conditionOf(object, 'Suspended')?.lastTransitionTime
  if (suspension !== undefined)
    return { is: 'suspended', ...(isText(since) && { since }), says: [suspendedSentence(suspension)] }
  const { skipReconciliation } = kymaNames.labels
  const isSkipped = isOn(object, skipReconciliation) && !isDeleting(object)
  return isSkipped ? { is: 'suspended', says: [`suspended by its label ${skipReconciliation}`] } : undefined
}

const byStateWord: Readonly<Record<string, Explanation['is']>> = {
  Ready: 'ready',
  Succeeded: 'ready',
  Unmanaged: 'suspended',
  Error: 'failed',
  Warning: 'failed',
  Deleting: 'deleting',
  DeletionPending: 'deleting',
}

/** Our kinds have `state`; a Garden has the state in its last operation. A Watcher has no condition Ready, so another condition is used. */
const byState = (object: KubeObject): Found | undefined => {
  const { state, lastOperation, description, conditions } = statusOf(object)
  const operation = mapOrEmpty(lastOperation)
  const word = state ?? operation.state
  if (!isText(word)) return undefined
  const condition = conditionOf(object, 'Ready') ?? mapsIn(conditions).find(({ status }) => status !== 'True')
  const sentence = [description, operation.operation, operation.description, condition?.message].find(isText)
  const since = [operation.lastUpdateTime, condition?.lastTransitionTime, object.metadata.creationTimestamp].find(
    isText,
  )
  const [times, says] = [since && { since }, sentence ? [sentence] : []]
  return mapOrEmpty(object.spec).suspend === true
    ? { is: 'suspended', ...times, says: ['suspended by its field spec.suspend', ...says] }
    : { is: byStateWord[word] ?? 'waiting', ...times, says }
}

const byReadiness = (object: KubeObject, now: Date): Found => {
  const { status, message } = readinessOf(object, { conditions: [] }, now)
  const trouble = troubleInPod(object) ?? replicaFailure(object)
  const since = conditionOf(object, 'Ready')?.lastTransitionTime ?? conditionOf(object, 'Available')?.lastTransitionTime
  return {
    is: status === 'Current' ? 'ready' : status === 'Failed' ? 'failed' : 'waiting',
    ...(isText(since) && { since }),
    says: status === 'Current' ? [] : [trouble?.full ?? message],
  }
}

const stateBeside = (troubles: readonly Trouble[]): Explanation['is'] =>
  (['failed', 'waiting'] as const).find(state => troubles.some(({ is }) => is === state)) ?? 'ready'

type Trouble = { readonly is: 'failed' | 'waiting'; readonly says: string }

/** What is not well although the last operation may have succeeded. */
const troublesBeside: Readonly<Record<string, (object: KubeObject) => Trouble[]>> = {
  'operator.gardener.cloud/Garden': ({ status }) =>
    mapsIn(mapOrEmpty(status).conditions)
      .filter(condition => condition.status !== 'True')
      .map(({ type, status, reason, message }) => ({
        // For some minutes after a check failed, also after the first reconciliation, the condition is Progressing.
        is: status === 'Progressing' ? 'waiting' : 'failed',
        says: [type, 'is', status, `(${shownText(reason)}):`, message].join(' '),
      })),
  'operator.kyma-project.io/Kyma': kyma =>
    modulesNotReady(kyma).map(({ name, state, message }) => ({
      is: 'failed',
      says: [`module ${shownText(name)} is ${shownText(state)}`, ...(isText(message) ? [message] : [])].join(': '),
    })),
}

const modulesNotReady = (kyma: KubeObject): JsonMap[] =>
  mapsIn(statusOf(kyma).modules).filter(module => !isModuleWell(module))

type PartsRow = (object: KubeObject, on: ClusterName) => readonly PartQuery[]

const podsOf: PartsRow = (workload, on) => {
  const { namespace = '' } = workload.metadata
  const labelSelector = podSelectorOf(workload)
  return labelSelector === '' ? [] : [{ on, list: { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector } }]
}

const partsByKind: Readonly<Record<string, PartsRow>> = {
  'apps/Deployment': podsOf,
  'apps/StatefulSet': podsOf,
  'apps/DaemonSet': podsOf,
  'apps/ReplicaSet': podsOf,
  'batch/Job': podsOf,
  'operator.gardener.cloud/Garden': (_, on) =>
    ['Deployment', 'StatefulSet'].map(kind => ({ on, list: { apiVersion: 'apps/v1', kind, namespace: 'garden' } })),
  'operator.kyma-project.io/Kyma': (kyma, on) =>
    mapsIn(statusOf(kyma).modules).flatMap(module =>
      tracked(module.manifest).map(ref => ({ on, ref, isWell: isModuleWell(module) })),
    ),
  /** Objects in the runtime of its Kyma. */
  'operator.kyma-project.io/Manifest': manifest => {
    const on = runtimeName(kymaNameOf(manifest))
    const installed = itemsOf(statusOf(manifest).synced)
      .filter(({ kind }) => workloads.includes(kind))
      .map(refOfItem)
    return [...installed, ...tracked(mapOrEmpty(manifest.spec).resource)].map(ref => ({ on, ref }))
  },
}

const workloads = ['Deployment', 'StatefulSet', 'DaemonSet', 'Job']

/** The object with this apiVersion, kind and metadata; none if a field is missing. */
const tracked = (value: unknown): ObjectRef[] => {
  const { apiVersion, kind, metadata } = mapOrEmpty(value)
  const { name, namespace } = mapOrEmpty(metadata)
  return isText(name) && isText(kind) && isText(apiVersion)
    ? [{ apiVersion, kind, name, namespace: isText(namespace) ? namespace : '' }]
    : []
}

/** Dependents in an inventory, in the order of their waves. Dependents in other clusters are left out. */
const inventoryParts: PartsRow = ({ spec, status }, on) => {
  if (mapOrEmpty(spec).kubeConfig !== undefined) return []
  const items = itemsOf(mapOrEmpty(status).inventory).sort((one, other) => one.applyOrder - other.applyOrder)
  const orders = [...new Set(items.map(({ applyOrder }) => applyOrder))]
  return items
    .filter(({ version, kind, name }) => [version, kind, name].every(isText))
    .filter(({ phase, status }) => status !== '' && phase !== 'ScheduledForApplication')
    .map(item => ({
      ...{ on, ref: refOfItem(item), isWell: item.status === 'Current' },
      ...(orders.length > 1 && { wave: orders.indexOf(item.applyOrder) + 1 }),
    }))
}

/** Moves the engine's status to `status`. Includes the fields that istio stores in an annotation. */
export const withEngineStatus = (object: KubeObject): KubeObject => {
  const text = object.metadata.annotations?.[istioNames.annotations.status]
  const kept = attempted<unknown>(() => JSON.parse(text ?? '{}'))
  const status = { ...('read' in kept && mapOrEmpty(kept.read)), ...mapOrEmpty(object.status) }
  const engine = engineStatusIn(status)
  return engine || text !== undefined ? { ...object, status: engine ?? status } : object
}

const engineStatusIn = (status: JsonMap): JsonMap | undefined => {
  if (isText(status.state) && Array.isArray(status.inventory)) return status
  for (const inner of Object.values(status)) {
    const found = isMap(inner) ? engineStatusIn(inner) : undefined
    if (found) return found
  }
  return undefined
}

const goes = 'is being deleted'

const deletion = ({ kind, status, metadata }: KubeObject, { says }: Found): Found => {
  const { deletionTimestamp = '', finalizers = [] } = metadata
  const held = finalizers.length > 0 ? `${goes}; blocked by finalizers: ${finalizers.join(', ')}` : goes
  const more = kind === 'Namespace' ? remainingIn(status) : says.filter(sentence => sentence !== goes)
  return { is: 'deleting', since: deletionTimestamp, says: [held, ...more] }
}

/** Messages of true conditions. The messages name the objects and finalizers that block a Namespace's deletion. */
const remainingIn = (status: unknown): string[] =>
  mapsIn(mapOrEmpty(status).conditions)
    .filter(condition => condition.status === 'True')
    .map(({ message }) => shownText(message))

export type ObjectState = Omit<Explanation, 'parts'> & {
  readonly ref: ObjectRef
  /** The first part that is not ready according to the status. */
  readonly waitsFor?: ObjectRef
}

/**
 * Summarises an object for the command line and the console. Never throws for invalid statuses, so that one object does not prevent the
 * list of all objects.
 */
export const stateOf = (object: KubeObject, now: Date): ObjectState => {
  const ref = refOf(object)
  const reading = attempted(() => explained(object, 'local', now))
  if (!('read' in reading)) return { ref, is: 'failed', says: ['its status is not valid'] }
  const { parts, ...explanation } = reading.read
  if (explanation.is === 'ready') return { ref, ...explanation }
  const [waitsFor] = parts.flatMap(part => ('ref' in part && part.isWell === false ? [part.ref] : []))
  return { ref, ...explanation, ...(waitsFor && { waitsFor }) }
}

const order: readonly Explanation['is'][] = ['failed', 'deleting', 'waiting', 'suspended', 'ready']

/** Sorts objects in trouble first, and then by age, oldest first. */
export const byTrouble = (one: ObjectState, other: ObjectState): number =>
  order.indexOf(one.is) - order.indexOf(other.is) ||
  compared(one.since ?? '', other.since ?? '') ||
  compared(one.ref.kind, other.ref.kind) ||
  compared(one.ref.namespace, other.ref.namespace) ||
  compared(one.ref.name, other.ref.name)

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** An age as in kubectl: `125m`. A future time counts as now. */
export const ageText = (since: string, now: Date): string =>
  kubectlDuration(Math.max(0, now.getTime() - Date.parse(since)) / 1000)
