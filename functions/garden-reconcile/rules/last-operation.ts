// status.lastOperation and condition Reconciled report the same: the current operation, its progress, and what it waits for. Condition
// BackupBucketReady reports missing backups. lastUpdateTime changes only when an operation starts or its progress changes, because retries
// and standstills are measured from lastUpdateTime.
import type { StatusChange } from '../../../shared/core/decisions/plan.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import {
  type Finding,
  type GardenerCondition,
  initializedCondition,
  updatedCondition,
} from '../../../shared/core/objects/gardener-condition.ts'
import { kubeTime, unixSeconds } from '../../../shared/core/time/kube-time.ts'
import { lacksBucket } from '../desired/etcds.ts'
import { reasons, reconciledReasons, texts } from '../reasons.ts'
import type { World } from '../world.ts'

type LastOperation = NonNullable<NonNullable<Garden['status']>['lastOperation']>

export const lastOperationOf = ({ status }: Garden): LastOperation | undefined => status?.lastOperation

type OperationNews = Pick<LastOperation, 'type' | 'state' | 'progress' | 'description'> & {
  readonly isStart?: true
}

export const operationStatus = (world: World, { isStart, ...operation }: OperationNews, now: Date): StatusChange => {
  const before = lastOperationOf(world.garden)
  const isNews = isStart || before?.progress !== operation.progress || before.type !== operation.type
  const lastUpdateTime = isNews ? kubeTime(now) : before.lastUpdateTime
  return { lastOperation: { ...operation, lastUpdateTime }, conditions: conditionsAfter(world, operation, now) }
}

/** Seconds since the operation started or its progress changed. */
export const quietSeconds = (operation: LastOperation | undefined, now: Date): number =>
  operation === undefined ? 0 : Math.max(0, now.getTime() / 1_000 - (unixSeconds(operation.lastUpdateTime) ?? 0))

/** Whether the operation has started but no progress was saved. Its tokens have taken effect, but may still be in the annotation. */
export const hasJustStarted = (garden: Garden): boolean => {
  const { state, progress, description } = lastOperationOf(garden) ?? {}
  return state === 'Processing' && progress === 0 && description === texts.initialized
}

/** Whether an operation was started and has not succeeded yet. */
export const isRunning = (garden: Garden): boolean => {
  const operation = lastOperationOf(garden)
  return operation !== undefined && operation.state !== 'Succeeded'
}

const type = 'Reconciled'

const conditionStatus = { Processing: 'Progressing', Succeeded: 'True', Error: 'False' } as const

const conditionsAfter = (world: World, operation: Omit<OperationNews, 'isStart'>, now: Date) => {
  const { garden } = world
  const conditions = (garden.status?.conditions ?? []).filter(one => one.type !== backupType || lacksBucket(world))
  const reconciled = withFinding(conditions, type, {
    status: conditionStatus[operation.state],
    reason: reconciledReasons[operation.type][operation.state],
    message: operation.description,
  })(now)
  const provider = garden.spec.virtualCluster.etcd?.main?.backup?.provider ?? ''
  const missing = { status: 'False', reason: reasons.bucketNameMissing, message: texts.noBucket(provider) } as const
  return lacksBucket(world) ? withFinding(reconciled, backupType, missing)(now) : reconciled
}

/** The condition exists only while the Garden requests backups but no backups are made. */
const backupType = 'BackupBucketReady'

const withFinding =
  (conditions: readonly GardenerCondition[], type: string, finding: Finding) =>
  (now: Date): readonly GardenerCondition[] => {
    const before = conditions.find(condition => condition.type === type)
    const after = updatedCondition(before ?? initializedCondition(type, now), { finding, now })
    return before ? conditions.map(one => (one === before ? after : one)) : [...conditions, after]
  }
