// Conditions of built-in kinds: a condition keeps its transition time while its status stays.
import { nowText } from '../time.ts'
import { type JsonMap, mapsAt } from '../value.ts'

export type Condition = {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

export const conditionsOf = (object: unknown): JsonMap[] => mapsAt(object, 'status', 'conditions')

export const conditionOf = (object: unknown, type: string): JsonMap | undefined =>
  conditionsOf(object).find(each => each.type === type)

export const isTrue = (object: unknown, type: string): boolean => conditionOf(object, type)?.status === 'True'

/** Other conditions stay. `times` are set when a condition changes. */
export const withConditions = (
  before: readonly JsonMap[],
  wanted: readonly Condition[],
  times: (isTransition: boolean) => JsonMap = () => ({}),
): JsonMap[] => {
  const kept = before.filter(each => !wanted.some(({ type }) => type === each.type))
  return [...kept, ...wanted.map(condition => turned(before, condition, times))]
}

const turned = (before: readonly JsonMap[], wanted: Condition, times: (isTransition: boolean) => JsonMap): JsonMap => {
  const old = before.find(each => each.type === wanted.type)
  if (old && Object.entries(wanted).every(([field, value]) => old[field] === value)) return old
  const isTransition = old?.status !== wanted.status
  const lastTransitionTime = isTransition ? nowText() : old?.lastTransitionTime
  return { ...old, ...times(isTransition), ...wanted, lastTransitionTime }
}
