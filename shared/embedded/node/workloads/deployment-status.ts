// The status of a Deployment: counts over its ReplicaSets, availability and progress. Pure except for the current time in conditions.
import { conditionOf } from '../../../core/objects/condition.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { type Condition, conditionsOf, withConditions } from '../../conditions.ts'
import { nowText } from '../../time.ts'
import { fieldsAt, type JsonMap, numberAt, textAt } from '../../value.ts'
import { roomOf } from './rollout.ts'

const counted = ['replicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas'] as const

type DeploymentReport = {
  readonly status: JsonMap
  readonly waitMilliseconds: number | undefined
}

export const deploymentStatus = (
  deployment: KubeObject,
  sets: readonly KubeObject[],
  fresh: KubeObject | undefined,
): DeploymentReport => {
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
  return numberAt(status, ['availableReplicas']) >= desired - unavailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
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
  const condition = (status: 'True' | 'False', reason: string, message: string): Condition => ({
    type: 'Progressing',
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
