// A Deployment's rollout: the next sizes of the new and the old ReplicaSets, and the status. Pure except for the current time in
// conditions.
import { conditionOf } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Condition, conditionsOf, withConditions } from '../../conditions.ts'
import { nowText } from '../../time.ts'
import { fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'

export const amountOf = (value: unknown, total: number, rounded: 'up' | 'down'): number => {
  if (typeof value === 'number') return value
  const share = (Number.parseFloat(String(value ?? '0')) / 100) * total
  return rounded === 'up' ? Math.ceil(share) : Math.floor(share)
}

export type Room = { readonly desired: number; readonly surge: number; readonly unavailable: number }

/** How far a rollout may exceed the number of replicas (`surge`), and fall below this number. At least one of both values is not 0. */
export const roomOf = (deployment: JsonMap): Room => {
  const desired = numberAt(deployment, ['spec', 'replicas'], 1)
  const strategy = fieldsAt(deployment, 'spec', 'strategy')
  if (textAt(strategy, 'type') !== 'RollingUpdate') return { desired, surge: 0, unavailable: 0 }
  const rolling = fieldsAt(strategy, 'rollingUpdate')
  const surge = amountOf(rolling?.maxSurge, desired, 'up')
  const asked = amountOf(rolling?.maxUnavailable, desired, 'down')
  return { desired, surge, unavailable: Math.min(desired, surge === 0 && asked === 0 ? 1 : asked) }
}

export type Part = { readonly wanted: number; readonly available: number }

const sum = (parts: readonly Part[], field: keyof Part): number => parts.reduce((total, part) => total + part[field], 0)

/** The next size of the new ReplicaSet, which grows as far as the surge allows. */
export const newSize = (room: Room, fresh: Part, old: readonly Part[]): number => {
  if (fresh.wanted >= room.desired) return room.desired
  const free = room.desired + room.surge - fresh.wanted - sum(old, 'wanted')
  return fresh.wanted + Math.max(0, Math.min(free, room.desired - fresh.wanted))
}

/** The next sizes of the old ReplicaSets, oldest first. Unavailable Pods are deleted first, then available Pods that are not needed. */
export const oldSizes = (room: Room, fresh: Part, old: readonly Part[]): number[] => {
  const least = room.desired - room.unavailable
  const all = sum(old, 'wanted') + fresh.wanted
  const missing = Math.max(0, fresh.wanted - fresh.available)
  const most = Math.max(0, all - least - missing)
  const healthy = taken(old, most, ({ wanted, available }) => wanted - available)
  const spare = sum(healthy, 'available') + fresh.available - least
  return taken(healthy, Math.max(0, spare), ({ wanted }) => wanted).map(({ wanted }) => wanted)
}

/** Removes at most `most` Pods in total, and at most `goes(part)` Pods of each part. */
const taken = (parts: readonly Part[], most: number, goes: (part: Part) => number): Part[] => {
  let left = most
  return parts.map(part => {
    const count = Math.max(0, Math.min(left, goes(part)))
    left -= count
    return { wanted: part.wanted - count, available: Math.min(part.available, part.wanted - count) }
  })
}

/** The sizes after the number of replicas changed during a rollout. Each ReplicaSet keeps its share; the largest takes the rest. */
export const proportionalSizes = (total: number, parts: readonly Part[]): number[] => {
  const before = sum(parts, 'wanted')
  if (before === 0) return parts.map(() => 0)
  const sizes = parts.map(({ wanted }) => Math.round((wanted * total) / before))
  const largest = parts.reduce((best, { wanted }, index) => (wanted > (parts[best]?.wanted ?? 0) ? index : best), 0)
  const rest = total - sizes.reduce((all, size) => all + size, 0)
  return sizes.map((size, index) => (index === largest ? Math.max(0, size + rest) : size))
}

const counted = ['replicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas'] as const

export const deploymentStatus = (
  deployment: KubeObject,
  sets: readonly KubeObject[],
  fresh: KubeObject | undefined,
): { status: JsonMap; waitMilliseconds: number | undefined } => {
  const counts = Object.fromEntries(
    counted.map(field => [field, sets.reduce((sum, set) => sum + numberAt(set, ['status', field]), 0)]),
  )
  const wanted = sets.reduce((sum, set) => sum + numberAt(set, ['spec', 'replicas']), 0)
  const status = {
    ...fieldsAt(deployment, 'status'),
    ...counts,
    observedGeneration: deployment.metadata.generation,
    updatedReplicas: numberAt(fresh, ['status', 'replicas']),
    unavailableReplicas: Math.max(0, wanted - numberAt(counts, ['availableReplicas'])),
  }
  const progress = progressOf(deployment, status, fresh)
  const conditions = withConditions(
    hasProgressed(deployment, status) ? refreshed(deployment) : conditionsOf(deployment),
    [availability(deployment, status), ...(progress ? [progress] : [])],
    { lastUpdateTime: nowText() },
  )
  return { status: { ...status, conditions }, waitMilliseconds: untilDeadline(deployment, progress, conditions) }
}

const availability = (deployment: KubeObject, status: JsonMap): Condition => {
  const { desired, unavailable } = roomOf(deployment)
  const [isAvailable, type] = [numberAt(status, ['availableReplicas']) >= desired - unavailable, 'Available']
  return isAvailable
    ? { type, status: 'True', reason: 'MinimumReplicasAvailable', message: 'Deployment has minimum availability.' }
    : {
        type,
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      }
}

const isDone = (deployment: KubeObject, status: unknown): boolean => {
  const desired = numberAt(deployment, ['spec', 'replicas'], 1)
  return ['updatedReplicas', 'replicas', 'availableReplicas'].every(field => numberAt(status, [field]) === desired)
}

export const isComplete = (deployment: KubeObject): boolean =>
  isDone(deployment, deployment.status) &&
  numberAt(deployment, ['status', 'observedGeneration']) >= (deployment.metadata.generation ?? 0)

const progressOf = (deployment: KubeObject, status: JsonMap, fresh: KubeObject | undefined): Condition | undefined => {
  const before = conditionOf(deployment, 'Progressing')
  const name = `ReplicaSet "${fresh?.metadata.name ?? ''}"`
  const type = 'Progressing'
  const condition = (status: Condition['status'], reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
  })
  if (fieldsAt(deployment, 'spec')?.paused === true) return undefined
  if (fresh && isDone(deployment, status))
    return condition('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`)
  const isLate = before?.reason === 'ProgressDeadlineExceeded' || remaining(deployment, before) <= 0
  if (isLate && !hasProgressed(deployment, status))
    return condition('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`)
  if (!before) return condition('True', 'NewReplicaSetCreated', `Created new replica set "${fresh?.metadata.name}"`)
  return condition('True', 'ReplicaSetUpdated', `${name} is progressing.`)
}

const refreshed = (deployment: KubeObject): JsonMap[] =>
  conditionsOf(deployment).map(each => (each.type === 'Progressing' ? { ...each, lastUpdateTime: nowText() } : each))

const hasProgressed = (deployment: KubeObject, status: JsonMap): boolean =>
  numberAt(deployment, ['status', 'observedGeneration']) < (deployment.metadata.generation ?? 0) ||
  (['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const).some(
    field => numberAt(status, [field]) > numberAt(deployment, ['status', field]),
  )

const remaining = (deployment: KubeObject, condition: JsonMap | undefined): number => {
  const seconds = numberAt(deployment, ['spec', 'progressDeadlineSeconds'], Number.POSITIVE_INFINITY)
  const since = Date.parse(textAt(condition, 'lastUpdateTime'))
  return condition && condition.reason !== 'NewReplicaSetAvailable' && Number.isFinite(since)
    ? since + seconds * 1000 - Date.now()
    : Number.POSITIVE_INFINITY
}

const untilDeadline = (
  deployment: KubeObject,
  progress: Condition | undefined,
  conditions: readonly JsonMap[],
): number | undefined => {
  if (!progress || progress.status === 'False' || progress.reason === 'NewReplicaSetAvailable') return undefined
  const left = remaining(
    deployment,
    conditions.find(({ type }) => type === 'Progressing'),
  )
  return Number.isFinite(left) ? left + 1 : undefined
}
