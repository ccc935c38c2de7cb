// Determines by a Pod's owner how it gets a new sidecar. Any user can write an owner into a Pod, so an owner counts only if an object with
// the owner's kind and uid exists in the Pod's namespace. Memory holds only the part of workloads that restarts need.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { valueAt } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import { groupOf, type Key, type KubeObject, type OwnerReference } from '../../../../shared/core/objects/object.ts'

/** The needed part of a Deployment, ReplicaSet, StatefulSet, DaemonSet or ControllerRevision. */
export type SeenWorkload = KubeObject & {
  readonly owner?: OwnerReference
  /** The workload is replacing Pods. For a ReplicaSet: it has unready Pods. */
  readonly isRolling?: true
}

/** The owner that recreates the object. */
export const controllerAmong = (owners: readonly OwnerReference[] = []): OwnerReference | undefined =>
  owners.find(({ controller }) => controller === true)

const { restartedAt } = istioNames.annotations

type Counts = Readonly<Record<string, unknown>>

const isBehind = (object: KubeObject): boolean =>
  Number(mapOrEmpty(object.status).observedGeneration ?? 0) < Number(object.metadata.generation ?? 0)

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Whether an object of the kind is rolling. A Deployment is judged by its ReplicaSets. */
const rolling: Readonly<Record<string, (status: Counts, object: KubeObject) => boolean>> = {
  ReplicaSet: ({ replicas, readyReplicas }) => count(replicas) !== 0 && count(readyReplicas) !== count(replicas),
  StatefulSet: ({ currentRevision, updateRevision, updatedReplicas, readyReplicas, replicas }, object) =>
    isBehind(object) ||
    (updateRevision !== currentRevision && Math.min(count(updatedReplicas), count(readyReplicas)) < count(replicas)),
  DaemonSet: ({ updatedNumberScheduled, desiredNumberScheduled }, object) =>
    isBehind(object) || count(updatedNumberScheduled) < count(desiredNumberScheduled),
}

export const seenWorkload = (object: KubeObject): SeenWorkload => {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, ownerReferences } = object.metadata
  const owner = controllerAmong(ownerReferences)
  const isRolling = rolling[object.kind]?.(mapOrEmpty(object.status), object) ?? false
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace, uid, resourceVersion, generation, creationTimestamp },
    ...restartsIn(object),
    ...(owner && { owner }),
    ...(isRolling && { isRolling }),
  }
}

/** Keeps the restart annotation at its path in the template, so that a patch sees the old value. */
const restartsIn = ({ spec }: KubeObject): { spec?: JsonMap } => {
  const annotations = valueAt(spec, 'template', 'metadata', 'annotations')
  if (!isMap(annotations)) return {}
  const kept = annotations[restartedAt] === undefined ? {} : { [restartedAt]: annotations[restartedAt] }
  return { spec: { template: { metadata: { annotations: kept } } } }
}

export const restartedAtOf = ({ spec }: KubeObject): unknown =>
  valueAt(spec, 'template', 'metadata', 'annotations', restartedAt)

export const restartPatch = (time: string): JsonMap => ({
  spec: { template: { metadata: { annotations: { [restartedAt]: time } } } },
})

export class WorkloadsSeen {
  readonly #byUid = new Map<string, SeenWorkload>()
  readonly #children = new Map<string, SeenWorkload[]>()

  add(objects: readonly SeenWorkload[]): void {
    for (const object of objects) {
      const { uid } = object.metadata
      if (uid === undefined) continue
      this.#byUid.set(uid, object)
      if (object.owner === undefined) continue
      const siblings = this.#children.get(object.owner.uid)
      if (siblings) siblings.push(object)
      else this.#children.set(object.owner.uid, [object])
    }
  }

  find(namespace: string, { kind, uid }: OwnerReference): SeenWorkload | undefined {
    const found = this.#byUid.get(uid)
    return found?.kind === kind && found.metadata.namespace === namespace ? found : undefined
  }

  madeBy(workload: KubeObject): readonly SeenWorkload[] {
    return this.#children.get(workload.metadata.uid ?? '') ?? []
  }
}

type RestartAction =
  /** Like `kubectl rollout restart`: all Pods are replaced. */
  | { readonly does: 'roll'; readonly workload: SeenWorkload }
  /** One Pod is deleted, and its owner creates a new Pod. */
  | { readonly does: 'delete'; readonly owner: KubeObject }
  | { readonly does: 'nothing'; readonly why: string }

export type PodOwner = {
  /** The same id for all Pods that a single restart replaces. */
  readonly id: string
  readonly key: Key
  readonly action: RestartAction
}

type Ownership = {
  readonly namespace: string
  readonly reference: OwnerReference | undefined
  /** The object that creates the Pod. undefined: the owner that the Pod names does not exist. */
  readonly maker: SeenWorkload | undefined
  /** The controller of the ReplicaSet. */
  readonly above: { readonly reference: OwnerReference; readonly workload: SeenWorkload | undefined } | undefined
}

const unowned = 'pod sidecar could not be updated because OwnerReferences was not found.'
const ownedByJob = 'pod sidecar could not be updated because it is owned by a Job.'
const unknownOwner =
  'pod sidecar could not be updated because Espalier does not know how to restart the pods of its owner.'

const nothing = (why: string): RestartAction => ({ does: 'nothing', why })

const actionFor = ({ namespace, reference, maker, above }: Ownership): RestartAction => {
  if (reference === undefined) return nothing(unowned)
  // An owner that is not the controller does not recreate the Pod. Its reference only makes the garbage collector delete the Pod with the
  // owner.
  if (reference.controller !== true) return nothing(unknownOwner)
  if (isA(reference, 'Job', 'batch')) return nothing(ownedByJob)
  if (isA(reference, 'ReplicationController', ''))
    return { does: 'delete', owner: maker ?? controllerOf(reference, namespace) }
  if (!isA(reference, 'ReplicaSet')) return rolled(rolledKinds.some(kind => isA(reference, kind)) ? maker : undefined)
  if (maker === undefined) return nothing(unowned)
  if (above === undefined) return { does: 'delete', owner: maker }
  return rolled(isA(above.reference, 'Deployment') ? above.workload : undefined)
}

const rolledKinds = ['Deployment', 'StatefulSet', 'DaemonSet']

const rolled = (workload: SeenWorkload | undefined): RestartAction =>
  workload ? { does: 'roll', workload } : nothing(unknownOwner)

const isA = (reference: OwnerReference | undefined, kind: string, group = 'apps'): boolean =>
  reference?.kind === kind && groupOf(reference.apiVersion) === group

export const podOwner = (pod: KubeObject & Pick<SeenWorkload, 'owner'>, workloads: WorkloadsSeen): PodOwner => {
  const reference = nameable(pod.owner)
  const namespace = pod.metadata.namespace ?? ''
  const maker = reference && workloads.find(namespace, reference)
  const upper = maker && isA(reference, 'ReplicaSet') ? maker.owner : undefined
  const above = upper && { reference: upper, workload: workloads.find(namespace, upper) }
  const action = actionFor({ namespace, reference, maker, above })
  const acted = action.does === 'roll' ? action.workload : action.does === 'delete' ? action.owner : undefined
  const shown = acted?.metadata ?? nameable(above?.reference) ?? reference ?? pod.metadata
  // The id includes namespace and kind, because any user can write the uid of another owner into a Pod.
  const id = acted ? `${namespace}/${acted.kind}/${acted.metadata.uid}` : `${namespace}/${shown.name}`
  return { id, key: { namespace, name: shown.name }, action }
}

/** Ignores owners with impossible names, so that messages do not show arbitrary text from Pods. */
const nameable = (reference: OwnerReference | undefined): OwnerReference | undefined =>
  reference && /^[\w.:-]{1,253}$/.test(reference.name) ? reference : undefined

const controllerOf = ({ name, uid }: OwnerReference, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name, namespace, uid },
})
