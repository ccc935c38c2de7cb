// Reads status conditions, and sets them as Kubernetes' conventions require.
import { type JsonMap, mapOrEmpty, mapsIn } from '../json/json.ts'
import { kubeTime } from '../time/kube-time.ts'
import type { KubeObject } from './object.ts'

export type Condition = {
  type: string
  status: string
  reason: string
  message: string
  lastTransitionTime: string
  observedGeneration?: number
  [field: string]: unknown
}

/** Kubernetes limits conditions to this many characters. */
export const conditionLimits = { reason: 1_024, message: 32_768 } as const

/**
 * The condition of this type in the status; undefined when it is missing.
 *
 *   conditionOf(website, 'Ready')?.reason // 'Applied'
 */
export const conditionOf = ({ status }: KubeObject, type: string): JsonMap | undefined =>
  mapsIn(mapOrEmpty(status).conditions).find(condition => condition.type === type)

/**
 * Whether the condition exists and its status is `True`.
 *
 *   isTrue(conditionOf(website, 'Ready')) // true
 */
export const isTrue = (condition: JsonMap | undefined): boolean => condition?.status === 'True'

/** The message; `otherwise` when the condition or its message is missing. */
export const conditionText = (condition: JsonMap | undefined, otherwise: string): string =>
  (typeof condition?.message === 'string' && condition.message) || otherwise

export type ConditionChange = Omit<Condition, 'lastTransitionTime'>

/**
 * Sets the condition. lastTransitionTime changes only with the status. Returns the same list when nothing changes.
 *
 *   const ready = { type: 'Ready', status: 'False', reason: 'Late', message: 'the backup is missing' }
 *   const conditions = withCondition([], ready, now)
 *   conditions[0]?.lastTransitionTime // '2026-01-01T12:00:00Z'
 */
export const withCondition = (
  conditions: readonly Condition[],
  change: ConditionChange,
  now: Date,
): readonly Condition[] => {
  const before = conditions.find(condition => condition.type === change.type)
  if (Object.entries(change).every(([field, value]) => before?.[field] === value)) return conditions
  const lastTransitionTime = before && before.status === change.status ? before.lastTransitionTime : kubeTime(now)
  const after = { ...before, ...change, lastTransitionTime } as Condition
  return before ? conditions.map(condition => (condition === before ? after : condition)) : [...conditions, after]
}
