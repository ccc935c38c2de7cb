// Merging a map into another as mergo does: what is empty on the left is filled from the right, or overwritten by it.
import { isBlank } from './casting.ts'
import { GoMap, type GoValue, isList, isMissing } from './value.ts'

type Merging = { readonly isOverwriting: boolean }

/** Changes the target; maps on both sides are merged, not replaced. */
export const mergeInto = (target: GoMap, source: GoMap, way: Merging): void => {
  if (target === source) return
  for (const [key, given] of source) mergeKey(target, key, given, way)
}

const mergeKey = (target: GoMap, key: string, given: GoValue, way: Merging): void => {
  const present = target.get(key)
  if (isMissing(given)) {
    if (way.isOverwriting) target.set(key, given)
    return
  }
  if (given instanceof GoMap && present instanceof GoMap && present.size + given.size > 0) {
    if (present.size === 0) target.set(key, way.isOverwriting || given.size > 0 ? filled(present, given, way) : present)
    else mergeInto(present, given, way)
    return
  }
  if (isList(given) && present !== undefined && !isMissing(present) && !isList(present) && !isBlank(present)) {
    if (way.isOverwriting) target.set(key, given)
    return
  }
  if (way.isOverwriting || isBlank(present)) target.set(key, given)
}

/** An empty map takes the other's keys, and is then replaced by it. */
const filled = (present: GoMap, given: GoMap, way: Merging): GoMap => {
  mergeInto(present, given, way)
  return given
}
