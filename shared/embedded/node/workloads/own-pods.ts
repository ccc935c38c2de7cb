// What workloads share: Pods from a template and their states, writes of Pods with Events, and ControllerRevisions, the numbered templates
// of StatefulSets and DaemonSets. Also the controllers of ReplicaSets and ReplicationControllers.
import { conditionOf, isTrue } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { safeText, textHash } from '../../names.ts'
import { StatusError } from '../../status.ts'
import { canonicalJson, fieldsAt, type JsonMap, numberAt, sameJson, textAt } from '../../value.ts'
import type { Pace } from '../behaviour.ts'
import { claimed, ownedBy, ownerReference, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { controllerWorker } from '../controller-worker.ts'
import { type EventContent, podCreated, podDeleted, podRefused } from '../node-events.ts'

type PodParts = {
  readonly name?: string
  /** Prefix of a generated name; the owner's name if absent. */
  readonly prefix?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly spec?: JsonMap
}

export const podOf = (owner: KubeObject, template: JsonMap | undefined, parts: PodParts = {}): JsonMap => {
  const { labels, annotations, finalizers } = fieldsAt(template, 'metadata') ?? {}
  const { name } = parts
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      generateName: parts.prefix ?? `${owner.metadata.name}-`,
      ...(name !== undefined && { name }),
      namespace: owner.metadata.namespace,
      labels: { ...(labels as JsonMap), ...parts.labels },
      annotations: { ...(annotations as JsonMap), ...parts.annotations },
      finalizers: parts.finalizers ?? finalizers,
      ownerReferences: [ownerReference(owner)],
    },
    spec: { ...fieldsAt(template, 'spec'), ...parts.spec },
  }
}

export const templateOf = (owner: KubeObject): JsonMap | undefined => fieldsAt(owner, 'spec', 'template')

export const phaseOf = (pod: KubeObject): string => textAt(pod, 'status', 'phase')
export const isEnded = (pod: KubeObject): boolean => phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed'
export const isEnding = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined
export const isActive = (pod: KubeObject): boolean => !isEnded(pod) && !isEnding(pod)
export const isReady = (pod: KubeObject): boolean => isTrue(conditionOf(pod, 'Ready'))

/** Milliseconds until a ready Pod is available: 0 if it is available, infinite if it is not ready. */
export const untilAvailable = ({ secondMilliseconds }: Pace, pod: KubeObject, owner: KubeObject): number => {
  if (!isReady(pod)) return Number.POSITIVE_INFINITY
  const seconds = numberAt(owner, ['spec', 'minReadySeconds'])
  if (seconds === 0) return 0
  const since = Date.parse(textAt(conditionOf(pod, 'Ready'), 'lastTransitionTime'))
  return Math.max(0, since + seconds * secondMilliseconds - Date.now())
}

/** Whether the Pod is available. The owner is reconciled again when a ready Pod becomes available. */
export const isAvailable = (context: Context, pod: KubeObject, owner: KubeObject): boolean => {
  const wait = untilAvailable(context, pod, owner)
  if (wait > 0 && Number.isFinite(wait)) context.requeueAfter(wait)
  return wait === 0
}

export const hashOf = (value: unknown, collisions = 0): string =>
  safeText(String(textHash(canonicalJson(value) + (collisions ? String(collisions) : ''))))

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

export const revisionLabel = 'controller-revision-hash'
const hashLabel = ({ kind }: KubeObject): string =>
  kind === 'StatefulSet' ? 'controller.kubernetes.io/hash' : revisionLabel

const collection = 'apps/controllerrevisions'

const dataOf = (owner: KubeObject): JsonMap => ({ spec: { template: { ...templateOf(owner), $patch: 'replace' } } })

export const revisionsOf = (context: Context, owner: KubeObject): KubeObject[] =>
  ownedBy(context, owner, collection).sort(
    (left, right) => numberAt(left, ['revision']) - numberAt(right, ['revision']),
  )

/** The revision of the current template. Creates it if missing; an earlier revision becomes the newest again. */
export const currentRevision = async (context: Context, owner: KubeObject): Promise<KubeObject | undefined> => {
  const all = revisionsOf(context, owner)
  const found = all.find(revision => sameJson(revision.data, dataOf(owner)))
  const last = numberAt(all.at(-1), ['revision'])
  if (!found) await context.writes.create(revisionObject(owner, last + 1))
  else if (found !== all.at(-1)) await context.writes.update(found, now => ({ ...now, revision: last + 1 }))
  return revisionsOf(context, owner).at(-1)
}

const revisionObject = (owner: KubeObject, revision: number): JsonMap => {
  const hash = hashOf(dataOf(owner))
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace,
      labels: { ...fieldsAt(templateOf(owner), 'metadata', 'labels'), [hashLabel(owner)]: hash },
      annotations: owner.metadata.annotations,
      ownerReferences: [ownerReference(owner)],
    },
    data: dataOf(owner),
    revision,
  }
}

/** Deletes revisions beyond the history limit that no Pod uses. */
export const forgetRevisions = async (
  context: Context,
  owner: KubeObject,
  used: ReadonlySet<string>,
): Promise<void> => {
  const unused = revisionsOf(context, owner).filter(each => !used.has(each.metadata.name) && !used.has(hashIn(each)))
  const kept = numberAt(owner, ['spec', 'revisionHistoryLimit'], 10)
  for (const revision of unused.slice(0, Math.max(0, unused.length - kept))) await context.writes.remove(revision)
}

export const hashIn = ({ metadata }: KubeObject): string => metadata.labels?.[revisionLabel] ?? ''

export const templateIn = (revision: KubeObject | undefined): JsonMap | undefined => {
  const { $patch: _, ...template } = fieldsAt(revision, 'data', 'spec', 'template') ?? {}
  return revision && template
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

export const hasLabels = ({ metadata }: KubeObject, labels: JsonMap = {}): boolean =>
  Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value)
