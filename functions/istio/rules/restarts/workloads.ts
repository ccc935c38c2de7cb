// The part of workloads that is kept in memory: the fields needed to restart a workload and to see whether it is replacing Pods.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json/json.ts'
import type { KubeObject, OwnerReference } from '../../../../shared/core/objects/object.ts'

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
  const { annotations } = mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).template).metadata)
  if (!isMap(annotations)) return {}
  const kept = annotations[restartedAt] === undefined ? {} : { [restartedAt]: annotations[restartedAt] }
  return { spec: { template: { metadata: { annotations: kept } } } }
}

export const restartedAtOf = ({ spec }: KubeObject): unknown => {
  const { metadata } = mapOrEmpty(mapOrEmpty(spec).template)
  return mapOrEmpty(mapOrEmpty(metadata).annotations)[restartedAt]
}

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
