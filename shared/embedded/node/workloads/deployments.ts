// Deployments: a ReplicaSet per template, and the rollout from the old ReplicaSets to the new one.
import type { KubeObject } from '../../../core/objects/object.ts'
import { fieldsAt, type JsonMap, numberAt, sameJson, textAt } from '../../value.ts'
import { claimed, ownedBy, ownerReference, ownersIn } from '../claims.ts'
import type { Context, Controller } from '../controller.ts'
import { annotated, controllerWorker } from '../controller-worker.ts'
import { scaled } from '../node-events.ts'
import { hashOf, isEnding, templateOf } from './own-pods.ts'
import {
  deploymentStatus,
  isComplete,
  newSize,
  oldSizes,
  type Part,
  proportionalSizes,
  type Room,
  roomOf,
} from './rollout.ts'

const collection = 'apps/deployments'
const hashLabel = 'pod-template-hash'
const revisionAnnotation = 'deployment.kubernetes.io/revision'
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas'
const mostAnnotation = 'deployment.kubernetes.io/max-replicas'
const notCopied = [
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  desiredAnnotation,
  mostAnnotation,
]

export const deployments: Controller = {
  name: 'deployment-controller',
  worker: controllerWorker('deployment-controller'),
  collection,
  concerns: {
    'apps/replicasets': ownersIn(collection, 'Deployment'),
    pods: ({ type, stored }, store) => {
      const owner = stored.object.metadata.ownerReferences?.find(({ kind }) => kind === 'ReplicaSet')
      const set = owner && store.get('apps/replicasets', `${stored.object.metadata.namespace}/${owner.name}`)?.object
      const parent = set?.metadata.ownerReferences?.find(({ kind }) => kind === 'Deployment')
      return type === 'DELETED' && parent ? [`${stored.object.metadata.namespace}/${parent.name}`] : []
    },
  },
  reconcile: async (context, deployment) => {
    if (!isEnding(deployment)) await rollOut(context, deployment)
    const sets = setsOf(deployment, ownedBy(context, deployment, 'apps/replicasets'))
    const { status, waitMilliseconds } = deploymentStatus(deployment, sets.all, sets.fresh)
    if (waitMilliseconds !== undefined) context.requeueAfter(waitMilliseconds)
    const revision = sets.fresh?.metadata.annotations?.[revisionAnnotation]
    await context.writes.report(deployment, status, revision ? { [revisionAnnotation]: revision } : {})
  },
}

type Sets = { readonly fresh?: KubeObject; readonly old: readonly KubeObject[]; readonly all: readonly KubeObject[] }

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[revisionAnnotation] ?? 0)

const setsOf = (deployment: KubeObject, found: readonly KubeObject[]): Sets => {
  const all = [...found].sort((left, right) => revisionOf(left) - revisionOf(right))
  const fresh = all.find(set => sameJson(withoutHash(templateOf(set)), withoutHash(templateOf(deployment))))
  return { fresh, all, old: all.filter(set => set !== fresh) }
}

const withoutHash = (template: JsonMap | undefined): JsonMap => {
  const { labels, creationTimestamp: _, ...metadata } = fieldsAt(template, 'metadata') ?? {}
  const { [hashLabel]: __, ...rest } = (labels ?? {}) as JsonMap
  return { ...template, metadata: { ...metadata, labels: rest } }
}

type Rollout = { readonly context: Context; readonly deployment: KubeObject; readonly room: Room }

const rollOut = async (context: Context, deployment: KubeObject): Promise<void> => {
  const found = setsOf(deployment, await claimed(context, deployment, 'apps/replicasets'))
  const isPaused = fieldsAt(deployment, 'spec')?.paused === true
  const rollout = { context, deployment, room: roomOf(deployment) }
  if (isPaused || isResized(found, rollout.room)) return resize(rollout, found)
  const isRecreated = textAt(deployment, 'spec', 'strategy', 'type') === 'Recreate'
  if (isRecreated && found.old.some(set => sizeOf(set) > 0 || hasPods(context, set))) {
    for (const set of found.old) await setSize(rollout, set, 0)
    return
  }
  const sets = await withFresh(rollout, found)
  if (!isRecreated) await roll(rollout, sets)
  await forget(context, deployment, sets)
}

const sizeOf = (set: KubeObject): number => numberAt(set, ['spec', 'replicas'])
const partOf = (set: KubeObject): Part => ({
  wanted: sizeOf(set),
  available: numberAt(set, ['status', 'availableReplicas']),
})

const hasPods = (context: Context, set: KubeObject): boolean => ownedBy(context, set, 'pods').length > 0

/** Whether the desired number of replicas changed after the ReplicaSets got their sizes. */
const isResized = ({ all }: Sets, { desired }: Room): boolean =>
  all.some(set => sizeOf(set) > 0 && Number(set.metadata.annotations?.[desiredAnnotation] ?? desired) !== desired)

const resize = async (rollout: Rollout, { all, fresh }: Sets): Promise<void> => {
  const { room } = rollout
  const active = all.filter(set => sizeOf(set) > 0)
  const [only, ...more] = active.length > 0 ? active : fresh ? [fresh] : []
  if (!only) return
  if (more.length === 0) return setSize(rollout, only, room.desired)
  const isRolling = active.includes(fresh ?? only)
  const sizes = proportionalSizes(room.desired + (isRolling ? room.surge : 0), active.map(partOf))
  for (const [index, set] of active.entries()) await setSize(rollout, set, sizes[index] ?? 0)
}

const withFresh = async (rollout: Rollout, sets: Sets): Promise<Sets> => {
  const { context, deployment } = rollout
  const revision = Math.max(0, ...sets.old.map(revisionOf)) + 1
  const { fresh } = sets
  if (!fresh) await createFresh(rollout, sets, revision)
  else if (revisionOf(fresh) < revision)
    await context.writes.update(fresh, now => annotated(now, { [revisionAnnotation]: String(revision) }))
  return setsOf(deployment, ownedBy(context, deployment, 'apps/replicasets'))
}

const nothing: Part = { wanted: 0, available: 0 }

const createFresh = async ({ context, deployment, room }: Rollout, { old }: Sets, revision: number): Promise<void> => {
  const size = newSize(room, nothing, old.map(partOf))
  const { metadata } = await context.writes.create(replicaSet(deployment, size, revision, room))
  if (size > 0) context.record(deployment, scaled(metadata.name, 0, size))
}

const replicaSet = (deployment: KubeObject, replicas: number, revision: number, room: Room): JsonMap => {
  const template = templateOf(deployment)
  const hash = hashOf(template, numberAt(deployment, ['status', 'collisionCount']))
  const { matchLabels, matchExpressions } = fieldsAt(deployment, 'spec', 'selector') ?? {}
  const labels = { ...fieldsAt(template, 'metadata', 'labels'), [hashLabel]: hash }
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !notCopied.includes(key))
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace,
      labels,
      annotations: { ...Object.fromEntries(own), [revisionAnnotation]: String(revision), ...sizeNotes(room) },
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas,
      minReadySeconds: fieldsAt(deployment, 'spec')?.minReadySeconds,
      selector: { matchLabels: { ...(matchLabels as JsonMap), [hashLabel]: hash }, matchExpressions },
      template: { ...template, metadata: { ...fieldsAt(template, 'metadata'), labels } },
    },
  }
}

const sizeNotes = ({ desired, surge }: Room): Record<string, string> => ({
  [desiredAnnotation]: String(desired),
  [mostAnnotation]: String(desired + surge),
})

const setSize = async ({ context, deployment, room }: Rollout, set: KubeObject, replicas: number): Promise<void> => {
  const isNoted = Object.entries(sizeNotes(room)).every(([key, value]) => set.metadata.annotations?.[key] === value)
  if (sizeOf(set) === replicas && isNoted) return
  await context.writes.update(set, now => ({
    ...annotated(now, sizeNotes(room)),
    spec: { ...fieldsAt(now, 'spec'), replicas },
  }))
  if (sizeOf(set) !== replicas) context.record(deployment, scaled(set.metadata.name, sizeOf(set), replicas))
}

const roll = async (rollout: Rollout, { fresh, old }: Sets): Promise<void> => {
  if (!fresh) return
  const { room } = rollout
  const size = newSize(room, partOf(fresh), old.map(partOf))
  await setSize(rollout, fresh, size)
  const sizes = oldSizes(room, { ...partOf(fresh), wanted: size }, old.map(partOf))
  for (const [index, set] of old.entries())
    if (sizeOf(set) !== sizes[index]) await setSize(rollout, set, sizes[index] ?? 0)
}

/** Deletes old ReplicaSets beyond the history limit when the rollout is complete. */
const forget = async (context: Context, deployment: KubeObject, { old }: Sets): Promise<void> => {
  if (!isComplete(deployment)) return
  const empty = old.filter(set => sizeOf(set) === 0 && numberAt(set, ['status', 'replicas']) === 0 && !isEnding(set))
  const kept = numberAt(deployment, ['spec', 'revisionHistoryLimit'], 10)
  for (const set of empty.slice(0, Math.max(0, empty.length - kept))) await context.writes.remove(set)
}
