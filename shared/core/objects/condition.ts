// Sets status conditions, so that lastTransitionTime changes only with the status.
import { kubeTime } from '../time/kube-time.ts'

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
