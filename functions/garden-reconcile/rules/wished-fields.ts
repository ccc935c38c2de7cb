// Whether a live object has all fields that are wanted. It may have more, such as defaults, and quantities may be written differently
// (`1` for `1000m`). Steps judge their objects by it, since `isApplied` says no, too, if the API server has only rewritten a value.
import { isMap, sameJson, sentFields } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { quantityNano } from '../../../shared/core/objects/quantity.ts'

/** `live` has everything that `wanted` has. */
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

/** A list may have elements of others between ours. */
const listHolds = (live: unknown, wanted: readonly unknown[]): boolean =>
  Array.isArray(live) && wanted.every(element => live.some(other => contains(other, element)))

const isSameQuantity = (live: unknown, wanted: unknown): boolean => {
  const [one, other] = [live, wanted].map(value =>
    typeof value === 'string' || typeof value === 'number' ? quantityNano(String(value)) : undefined,
  )
  return one !== undefined && one === other
}
