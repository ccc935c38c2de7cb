// What is known of the objects that make Pods: just enough to restart them, and to see whether they are making any.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { isMap, type JsonMap, mapOrEmpty } from '../../../../shared/core/json.ts'
import type { KubeObject, OwnerReference } from '../../../../shared/core/object.ts'

/** A Deployment, ReplicaSet, StatefulSet, DaemonSet or ControllerRevision, as far as it matters. */
export type SeenWorkload = KubeObject & {
  readonly owner?: OwnerReference
  /** It replaces Pods, or a ReplicaSet has Pods that are not ready. */
  readonly isRolling?: true
}

const { restartedAt } = istioNames.annotations

type Counts = Readonly<Record<string, unknown>>

const isBehind = (object: KubeObject): boolean =>
  Number(mapOrEmpty(object.status).observedGeneration ?? 0) < Number(object.metadata.generation ?? 0)

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Whether one of a kind is rolling. Of a Deployment its ReplicaSets tell that. */
const rolling: Readonly<Record<string, (status: Counts, object: KubeObject) => boolean>> = {
  ReplicaSet: ({ replicas, readyReplicas }) => count(replicas) !== 0 && count(readyReplicas) !== count(replicas),
  StatefulSet: ({ currentRevision, updateRevision, updatedReplicas, readyReplicas, replicas }, object) =>
    isBehind(object) ||
    (updateRevision !== currentRevision && Math.min(count(updatedReplicas), count(readyReplicas)) < count(replicas)),
  DaemonSet: ({ updatedNumberScheduled, desiredNumberScheduled }, object) =>
    isBehind(object) || count(updatedNumberScheduled) < count(desiredNumberScheduled),
}

/** The object without all that decides nothing. */
export const seenWorkload = (object: KubeObject): SeenWorkload => {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, ownerReferences } = object.metadata
  const [owner] = ownerReferences ?? []
  const isRolling = rolling[object.kind]?.(mapOrEmpty(object.status), object) ?? false
  return {
    ...{ apiVersion: object.apiVersion, kind: object.kind },
    metadata: { name, namespace, uid, resourceVersion, generation, creationTimestamp },
    ...restartsIn(object),
    ...(owner && { owner }),
    ...(isRolling && { isRolling }),
  }
}

/** The annotation where it stands, so that a patch of it sees what it changes. */
const restartsIn = ({ spec }: KubeObject): { spec?: JsonMap } => {
  const { annotations } = mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).template).metadata)
  if (!isMap(annotations)) return {}
  const kept = annotations[restartedAt] === undefined ? {} : { [restartedAt]: annotations[restartedAt] }
  return { spec: { template: { metadata: { annotations: kept } } } }
}

/** When its Pods were last made anew by us, as it says itself. */
export const restartedAtOf = ({ spec }: KubeObject): unknown => {
  const { metadata } = mapOrEmpty(mapOrEmpty(spec).template)
  return mapOrEmpty(mapOrEmpty(metadata).annotations)[restartedAt]
}

/** The merge patch that makes the Pods of a workload anew. */
export const restartPatch = (time: string): JsonMap => ({
  spec: { template: { metadata: { annotations: { [restartedAt]: time } } } },
})

/** The workloads of the namespaces that were read so far. */
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

  /** What the reference leads to, if it is there and in this namespace. */
  find(namespace: string, { kind, uid }: OwnerReference): SeenWorkload | undefined {
    const found = this.#byUid.get(uid)
    return found?.kind === kind && found.metadata.namespace === namespace ? found : undefined
  }

  /** Its ReplicaSets or ControllerRevisions. */
  madeBy(workload: KubeObject): readonly SeenWorkload[] {
    return this.#children.get(workload.metadata.uid ?? '') ?? []
  }
}
