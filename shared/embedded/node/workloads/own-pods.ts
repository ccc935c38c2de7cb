// Pods that a controller creates and deletes, and the Events about it.
import type { KubeObject } from '../../../core/objects/object.ts'
import { StatusError } from '../../status.ts'
import { fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'
import { claimed, ownersIn } from '../claims.ts'
import type { Controller, Look } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { type EventContent, podCreated, podDeleted, podRefused } from '../node-events.ts'
import { isActive, isEnding, isReady, podOf, templateOf, untilAvailable } from '../pods/pod-template.ts'

type PodEvents = { made(pod: KubeObject): EventContent; refused(why: string): EventContent }

/** A refusal becomes an Event, and the look ends with its error. */
export const created = async (look: Look, owner: KubeObject, pod: JsonMap, events: PodEvents): Promise<void> => {
  try {
    look.record(owner, events.made(await look.hands.create(pod)))
  } catch (error) {
    if (error instanceof StatusError) look.record(owner, events.refused(error.message))
    throw error
  }
}

export const createPod = (look: Look, owner: KubeObject, pod: JsonMap): Promise<void> =>
  created(look, owner, pod, { made: podCreated, refused: podRefused })

export const removePod = async (look: Look, owner: KubeObject, pod: KubeObject): Promise<void> => {
  await look.hands.remove(pod)
  look.record(owner, podDeleted(pod))
}

// ReplicaSets and ReplicationControllers: the requested number of Pods; the least useful ones are deleted first.

const replicating = (name: string, collection: string, kind: string): Controller => ({
  name,
  worker: controllerWorker(name),
  collection,
  concerns: { pods: ownersIn(collection, kind) },
  tend: async (look, set) => {
    if (!isEnding(set)) await scale(look, set)
    await report(look, set)
  },
})

export const replicaSets = replicating('replicaset-controller', 'apps/replicasets', 'ReplicaSet')
export const replicationControllers = replicating(
  'replication-controller',
  'replicationcontrollers',
  'ReplicationController',
)

const scale = async (look: Look, set: KubeObject): Promise<void> => {
  const active = (await claimed(look, set, 'pods')).filter(isActive)
  const missing = numberAt(set, ['spec', 'replicas'], 1) - active.length
  for (let count = 0; count < missing; count++) await createPod(look, set, podOf(set, templateOf(set)))
  for (const pod of active.sort(leastUsefulFirst).slice(0, Math.max(0, -missing))) await removePod(look, set, pod)
}

const leastUsefulFirst = (left: KubeObject, right: KubeObject): number => {
  const rank = (pod: KubeObject) => (textAt(pod, 'spec', 'nodeName') ? 1 : 0) + (isReady(pod) ? 1 : 0)
  return rank(left) - rank(right) || (born(left) < born(right) ? 1 : -1)
}

const born = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? ''

const report = async (look: Look, set: KubeObject): Promise<void> => {
  const pods = await claimed(look, set, 'pods')
  const active = pods.filter(isActive)
  const waits = active.map(pod => untilAvailable(look, pod, set))
  for (const wait of waits) if (wait > 0 && Number.isFinite(wait)) look.again(wait)
  await look.hands.report(set, {
    ...fieldsAt(set, 'status'),
    replicas: active.length,
    fullyLabeledReplicas: active.filter(pod => hasLabels(pod, fieldsAt(templateOf(set), 'metadata', 'labels'))).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: waits.filter(wait => wait === 0).length,
    ...(set.kind === 'ReplicaSet' && { terminatingReplicas: pods.filter(isEnding).length }),
    observedGeneration: set.metadata.generation,
  })
}

const hasLabels = ({ metadata }: KubeObject, labels: JsonMap = {}): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
