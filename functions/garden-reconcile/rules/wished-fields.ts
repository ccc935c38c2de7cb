// Whether an object of the cluster holds all that is wished: more than that may be in it, such as defaults, and quantities may be spelled
// in another way. Steps judge their objects by it, since `isApplied` also answers no where the API server has only spelled a value anew.
import { isMap, sameJson, sentFields } from '../../../shared/core/json.ts'
import type { KubeObject } from '../../../shared/core/object.ts'
import { quantityNano } from '../../../shared/core/quantity.ts'

/** `wanted` is a part of `live`. */
export const includesWished = (live: KubeObject, wanted: KubeObject): boolean => contains(live, wanted)

const contains = (live: unknown, wanted: unknown): boolean => {
  if (isMap(wanted)) {
    if (sentFields(wanted).length === 0) return live === undefined || isMap(live)
    return isMap(live) && sentFields(wanted).every(field => contains(live[field], wanted[field]))
  }
  if (Array.isArray(wanted))
    return wanted.length === 0 ? live === undefined || Array.isArray(live) : listHolds(live, wanted)
  return sameJson(live, wanted) || isSameQuantity(live, wanted)
}

/** Elements of others may stand between ours. */
const listHolds = (live: unknown, wanted: readonly unknown[]): boolean =>
  Array.isArray(live) && wanted.every(element => live.some(other => contains(other, element)))

const isSameQuantity = (live: unknown, wanted: unknown): boolean => {
  const [one, other] = [live, wanted].map(value =>
    typeof value === 'string' || typeof value === 'number' ? quantityNano(String(value)) : undefined,
  )
  return one !== undefined && one === other
}
