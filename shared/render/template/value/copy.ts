// Copies that share nothing with the original.
import { GoMap, type GoValue, isList, Struct, TypedList } from './value.ts'

/** Maps and lists are copied at every depth; all else cannot change. */
export const copied = (value: GoValue): GoValue => {
  if (value instanceof GoMap) return copiedMap(value)
  if (value instanceof Struct && value.under instanceof GoMap) return value.around?.(copiedMap(value.under)) ?? value
  if (!isList(value)) return value
  const items = value.map(item => copied(item))
  if (!(value instanceof TypedList)) return items
  return Object.assign(TypedList.from(items), { elementType: value.elementType, isNil: value.isNil })
}

const copiedMap = (map: GoMap): GoMap => {
  const entries = [...map].map(([key, item]) => [key, copied(item)] as const)
  return Object.assign(new GoMap(entries), { typeName: map.typeName, zero: map.zero, isNil: map.isNil })
}
