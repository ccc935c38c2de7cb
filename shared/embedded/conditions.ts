// Conditions of built-in kinds. A condition keeps its transition time while its status stays the same.
import { nowText } from './time.ts'
import { type JsonMap, mapsAt } from './value.ts'

export type Condition = {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason?: string
  readonly message?: string
}

export const conditionsOf = (object: unknown): JsonMap[] => mapsAt(object, 'status', 'conditions')

/** Replaces or adds the wanted conditions and keeps other conditions. A changed condition also gets the fields of `changed`. */
export const withConditions = (
  before: readonly JsonMap[],
  wanted: readonly Condition[],
  changed: JsonMap = {},
): JsonMap[] => {
  const kept = before.filter(each => !wanted.some(({ type }) => type === each.type))
  return [...kept, ...wanted.map(condition => turned(before, condition, changed))]
}

const turned = (before: readonly JsonMap[], wanted: Condition, changed: JsonMap): JsonMap => {
  const old = before.find(each => each.type === wanted.type)
  if (old && Object.entries(wanted).every(([field, value]) => old[field] === value)) return old
  const lastTransitionTime = old?.status === wanted.status ? old.lastTransitionTime : nowText()
  return { ...old, ...changed, ...wanted, lastTransitionTime }
}
