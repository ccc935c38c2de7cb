// Copies that share nothing with the original.
import type { Budget } from '../run/budget.ts'
import { GoMap, type GoValue, isList, TypedList } from './value.ts'

/** Maps and lists are copied at every depth; all else cannot change. */
export const copied = (value: GoValue, budget: Budget): GoValue => {
  budget.step()
  if (value instanceof GoMap) {
    const entries = [...value].map(([key, item]) => [key, copied(item, budget)] as const)
    return Object.assign(new GoMap(entries), { typeName: value.typeName, zero: value.zero, isNil: value.isNil })
  }
  if (!isList(value)) return value
  const items = value.map(item => copied(item, budget))
  if (!(value instanceof TypedList)) return items
  return Object.assign(TypedList.from(items), { elementType: value.elementType, isNil: value.isNil })
}
