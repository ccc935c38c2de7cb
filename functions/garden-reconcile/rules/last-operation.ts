// status.lastOperation and the condition Reconciled, which tell the same: what garden-reconcile does, how far it is, and what it waits for.
// The time of the operation moves only when it starts and when the number of ready steps changes: retries and standstills are judged by it.

import type { Garden } from '../../../shared/core/garden.ts'
import { initializedCondition, updatedCondition } from '../../../shared/core/gardener-condition.ts'
import { kubeTime } from '../../../shared/core/kube-time.ts'
import type { StatusChange } from '../../../shared/core/plan.ts'
import { reconciledReasons, texts } from '../reasons.ts'

type LastOperation = NonNullable<NonNullable<Garden['status']>['lastOperation']>

export const lastOperationOf = ({ status }: Garden): LastOperation | undefined => status?.lastOperation

/** What is told of an operation; the rest of the status stays. */
type OperationNews = Pick<LastOperation, 'type' | 'state' | 'progress' | 'description'> & {
  /** The operation begins with this. */
  readonly isStart?: true
}

export const operationStatus = (garden: Garden, { isStart, ...told }: OperationNews, now: Date): StatusChange => {
  const before = lastOperationOf(garden)
  const isNews = isStart || before?.progress !== told.progress || before.type !== told.type
  const lastUpdateTime = isNews ? kubeTime(now) : before.lastUpdateTime
  return { lastOperation: { ...told, lastUpdateTime }, conditions: conditionsAfter(garden, told, now) }
}

/** How long nothing has moved. */
export const quietSeconds = (operation: LastOperation | undefined, now: Date): number =>
  operation === undefined ? 0 : Math.max(0, (now.getTime() - Date.parse(operation.lastUpdateTime)) / 1_000)

/** The start was saved and nothing else since: its tokens are taken, maybe without being removed. */
export const hasJustStarted = (garden: Garden): boolean => {
  const { state, progress, description } = lastOperationOf(garden) ?? {}
  return state === 'Processing' && progress === 0 && description === texts.initialized
}

/** Between its start and its end. */
export const isRunning = (garden: Garden): boolean => {
  const operation = lastOperationOf(garden)
  return operation !== undefined && operation.state !== 'Succeeded'
}

const type = 'Reconciled'

const conditionStatus = { Processing: 'Progressing', Succeeded: 'True', Error: 'False' } as const

const conditionsAfter = (garden: Garden, told: Omit<OperationNews, 'isStart'>, now: Date) => {
  const conditions = garden.status?.conditions ?? []
  const before = conditions.find(condition => condition.type === type)
  const finding = {
    status: conditionStatus[told.state],
    reason: reconciledReasons[told.type][told.state],
    message: told.description,
  }
  const after = updatedCondition(before ?? initializedCondition(type, now), { finding, now })
  return before ? conditions.map(one => (one === before ? after : one)) : [...conditions, after]
}
