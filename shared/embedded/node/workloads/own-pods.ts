// Creates and deletes Pods for controllers, and records Events. Also contains the controllers of ReplicaSets and ReplicationControllers.
import type { KubeObject } from '../../../core/objects/object.ts'
import { StatusError } from '../../status.ts'
import { fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'
import { claimed, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { type EventContent, podCreated, podDeleted, podRefused } from '../node-events.ts'
import { isActive, isAvailable, isEnding, isReady, podOf, templateOf } from '../pods/pod-template.ts'

type PodEvents = { made(pod: KubeObject): EventContent; refused(why: string): EventContent }

/** Creates the Pod. If the Pod is refused, records an Event and throws the error. */
export const created = async (context: Context, owner: KubeObject, pod: JsonMap, events: PodEvents): Promise<void> => {
  try {
    context.record(owner, events.made(await context.writes.create(pod)))
  } catch (error) {
    if (error instanceof StatusError) context.record(owner, events.refused(error.message))
    throw error
  }
}

export const createPod = (context: Context, owner: KubeObject, pod: JsonMap): Promise<void> =>
  created(context, owner, pod, { made: podCreated, refused: podRefused })

export const removePod = async (context: Context, owner: KubeObject, pod: KubeObject): Promise<void> => {
  await context.writes.remove(pod)
  context.record(owner, podDeleted(pod))
}

/** Keeps the requested number of Pods. Deletes surplus Pods, the least useful Pods first. */
const replicating = (name: string, collection: string, kind: string): Controller => ({
  name,
  worker: controllerWorker(name),
  collection,
  concerns: { pods: ownersIn(collection, kind) },
  reconcile: async (context, set) => {
    if (!isEnding(set)) await scale(context, set)
    await report(context, set)
  },
})

export const replicaSets = replicating('replicaset-controller', 'apps/replicasets', 'ReplicaSet')
export const replicationControllers = replicating(
  'replication-controller',
  'replicationcontrollers',
  'ReplicationController',
)

const scale = async (context: Context, set: KubeObject): Promise<void> => {
  const active = (await claimed(context, set, 'pods')).filter(isActive)
  const missing = numberAt(set, ['spec', 'replicas'], 1) - active.length
  for (let count = 0; count < missing; count++) await createPod(context, set, podOf(set, templateOf(set)))
  for (const pod of active.sort(leastUsefulFirst).slice(0, Math.max(0, -missing))) await removePod(context, set, pod)
}

const leastUsefulFirst = (left: KubeObject, right: KubeObject): number => {
  const rank = (pod: KubeObject) => (textAt(pod, 'spec', 'nodeName') ? 1 : 0) + (isReady(pod) ? 1 : 0)
  return rank(left) - rank(right) || (born(left) < born(right) ? 1 : -1)
}

const born = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''

const report = async (context: Context, set: KubeObject): Promise<void> => {
  const pods = await claimed(context, set, 'pods')
  const active = pods.filter(isActive)
  await context.writes.report(set, {
    ...fieldsAt(set, 'status'),
    replicas: active.length,
    fullyLabeledReplicas: active.filter(pod => hasLabels(pod, fieldsAt(templateOf(set), 'metadata', 'labels'))).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter(pod => isAvailable(context, pod, set)).length,
    ...(set.kind === 'ReplicaSet' && { terminatingReplicas: pods.filter(isEnding).length }),
    observedGeneration: set.metadata.generation,
  })
}

const hasLabels = ({ metadata }: KubeObject, labels: JsonMap = {}): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
