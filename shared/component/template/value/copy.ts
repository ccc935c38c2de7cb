// Copies that share nothing with the original.
import type { Budget } from '../run/budget.ts'
import { GoMap, type GoValue, isList, Struct, TypedList } from './value.ts'

/** Maps and lists are copied at every depth; all else cannot change. */
export const copied = (value: GoValue, budget: Budget): GoValue => {
  budget.step()
  if (value instanceof GoMap) return copiedMap(value, budget)
  if (value instanceof Struct && value.under instanceof GoMap)
    return value.around?.(copiedMap(value.under, budget)) ?? value
  if (!isList(value)) return value
  const items = value.map(item => copied(item, budget))
  if (!(value instanceof TypedList)) return items
  return Object.assign(TypedList.from(items), { elementType: value.elementType, isNil: value.isNil })
}

const copiedMap = (map: GoMap, budget: Budget): GoMap => {
  const entries = [...map].map(([key, item]) => [key, copied(item, budget)] as const)
  return Object.assign(new GoMap(entries), { typeName: map.typeName, zero: map.zero, isNil: map.isNil })
}
