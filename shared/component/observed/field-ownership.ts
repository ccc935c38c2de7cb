// Finds drift without a record of our last write, by managedFields. A client that changes or removes a field of ours becomes its owner.
// Example: we applied `replicas: 1`, and kubectl scales to 2, so kubectl now owns `f:replicas`. Fields that other clients add are no drift.
import { isMap, type JsonMap, sameJson, sentFields } from '../../core/json/json.ts'
import { elementPlace, ownable, partsOf } from '../../core/objects/applied.ts'
import type { KubeObject } from '../../core/objects/object.ts'

/** Whether the manager still owns all fields of the manifest. `live` must have managedFields. */
export const ownsAllOf = (manifest: KubeObject, live: KubeObject, manager: string): boolean => {
  const entries = (live.metadata.managedFields ?? [])
    .filter(isMap)
    .filter(({ apiVersion }) => apiVersion === manifest.apiVersion)
  const [own, others] = [entries.filter(isOf(manager)), entries.filter(entry => !isOf(manager)(entry))].map(fieldsIn)
  if (!own || !others || own.length === 0) return false
  // Ignore the status, because a controller owns it.
  return owns(ownable({ ...manifest, status: undefined }), live, { own, others })
}

/** The time when the manager last changed a field; undefined without such a change. */
export const lastOwnedAt = (live: KubeObject, manager: string): Date | undefined => {
  const entries = (live.metadata.managedFields ?? []).filter(isMap).filter(isOf(manager))
  const times = entries.flatMap(({ time }) => (typeof time === 'string' ? Date.parse(time) : []))
  const known = times.filter(time => !Number.isNaN(time))
  return known.length > 0 ? new Date(Math.max(...known)) : undefined
}

const isOf =
  (manager: string) =>
  (entry: JsonMap): boolean =>
    entry.manager === manager && !entry.subresource

const fieldsIn = (entries: readonly JsonMap[]): JsonMap[] => entries.map(({ fieldsV1 }) => fieldsV1).filter(isMap)

/** Sets of fields below the same field. `own` has several sets if our manager used both create and apply. */
type Sets = { readonly own: readonly JsonMap[]; readonly others: readonly JsonMap[] }

/** Empty values count as owned, because the API server may drop them. */
const owns = (wanted: unknown, live: unknown, sets: Sets): boolean => {
  if (isEmpty(wanted)) return true
  if (sets.own.every(set => partsOf(set).length === 0)) return ownsAsAWhole(wanted, live, sets)
  if (Array.isArray(wanted)) return ownsElements(wanted, Array.isArray(live) ? live : [], sets)
  const below = isMap(live) ? live : {}
  const ownsField = (field: string, value: unknown) =>
    isEmpty(value) || ownsBelow(`f:${field}`, value, below[field], sets)
  return !isMap(wanted) || sentFields(wanted).every(field => ownsField(field, wanted[field]))
}

const ownsElements = (wanted: readonly unknown[], live: readonly unknown[], sets: Sets): boolean => {
  const parts = new Map(sets.own.flatMap(partsOf).map(part => [elementPlace(part, wanted), part]))
  return wanted.every((element, at) => {
    const part = parts.get(at)
    return part !== undefined && ownsBelow(part, element, live[elementPlace(part, live)], sets)
  })
}

const ownsBelow = (part: string, wanted: unknown, live: unknown, sets: Sets): boolean => {
  const below = (all: readonly JsonMap[]) => all.map(set => set[part]).filter(isMap)
  const own = below(sets.own)
  return own.length > 0 && owns(wanted, live, { own, others: below(sets.others) })
}

/** Our set is empty, so we own the value as a whole. Our set is also empty if other managers own all parts; then the values are compared. */
const ownsAsAWhole = (wanted: unknown, live: unknown, { others }: Sets): boolean =>
  (!isMap(wanted) && !Array.isArray(wanted)) || (others.every(set => partsOf(set).length === 0) && holds(live, wanted))

const holds = (live: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((one, at) => holds(live[at], one))
  if (!isMap(wanted)) return sameJson(live, wanted)
  return isMap(live) && sentFields(wanted).every(field => isEmpty(wanted[field]) || holds(live[field], wanted[field]))
}

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  return value === null || (isMap(value) && sentFields(value).every(field => isEmpty(value[field])))
}
