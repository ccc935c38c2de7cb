// Reads status conditions, and sets them so that lastTransitionTime changes only with the status.
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

/** So many characters Kubernetes has room for in a condition. */
export const conditionLimits = { reason: 1_024, message: 32_768 } as const

export const conditionOf = ({ status }: KubeObject, type: string): JsonMap | undefined =>
  mapsIn(mapOrEmpty(status).conditions).find(condition => condition.type === type)

export const isTrue = (condition: JsonMap | undefined): boolean => condition?.status === 'True'

/** What the condition says; `otherwise` where there is none, or where it says nothing. */
export const conditionText = (condition: JsonMap | undefined, otherwise: string): string =>
  (typeof condition?.message === 'string' && condition.message) || otherwise

export type ConditionChange = Omit<Condition, 'lastTransitionTime'>

/** The list with this condition in it; the very same list when nothing changes. */
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
