// Finds drift without a record of our last write, by managedFields. Somebody who changes or removes a field of ours becomes its owner.
// Example: we applied `replicas: 1`, and somebody scales to 2: they now own `f:replicas`. Fields that others add are no drift.
import { attempted } from '../../core/decisions/reading.ts'
import { isMap, type JsonMap, sameJson, sentFields } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'

/** Whether the manager still owns all fields of the manifest. `live` must have managedFields. */
export const ownsAllOf = (manifest: KubeObject, live: KubeObject, manager: string): boolean => {
  const entries = (live.metadata.managedFields ?? [])
    .filter(isMap)
    .filter(({ apiVersion }) => apiVersion === manifest.apiVersion)
  const [own, others] = [entries.filter(isOf(manager)), entries.filter(entry => !isOf(manager)(entry))].map(fieldsIn)
  if (!own || !others || own.length === 0) return false
  return owns(ownable(manifest), ownable(live), { own, others })
}

/** When the manager last changed a field; undefined: never. */
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

/** Sets of fields below the same field. We may have several, from a create and from applies. */
type Sets = { readonly own: readonly JsonMap[]; readonly others: readonly JsonMap[] }

/** The content without fields that nobody can own, and without the status, which belongs to a controller. */
const ownable = ({ apiVersion: _, kind: __, status: ___, metadata, ...content }: KubeObject): JsonMap => {
  const { labels, annotations, finalizers, ownerReferences } = metadata
  return { ...content, metadata: { labels, annotations, finalizers, ownerReferences } }
}

/** Empty values count as owned, because the API server may drop them. */
const owns = (wanted: unknown, live: unknown, sets: Sets): boolean => {
  if (isEmpty(wanted)) return true
  if (sets.own.every(set => partsOf(set).length === 0)) return ownsAsAWhole(wanted, live, sets)
  if (Array.isArray(wanted)) {
    const names = sets.own.flatMap(partsOf).flatMap(elementName)
    return wanted.every(element => ownsElement(element, names, { live, sets }))
  }
  return !isMap(wanted) || sentFields(wanted).every(field => ownsField(field, { wanted, live, sets }))
}

type MapThere = { readonly wanted: JsonMap; readonly live: unknown; readonly sets: Sets }

const ownsField = (field: string, { wanted, live, sets }: MapThere): boolean =>
  isEmpty(wanted[field]) ||
  ownsBelow(`f:${field}`, wanted[field], { live: isMap(live) ? live[field] : undefined, sets })

const ownsElement = (wanted: unknown, names: readonly ElementName[], { live, sets }: There): boolean => {
  const name = names.find(one => isNameOf(one, wanted))
  if (name === undefined) return false
  const element = Array.isArray(live) ? live.find(one => isNameOf(name, one)) : undefined
  return ownsBelow(name.part, wanted, { live: element, sets })
}

type There = { readonly live: unknown; readonly sets: Sets }

const ownsBelow = (part: string, wanted: unknown, { live, sets }: There): boolean => {
  const below = (all: readonly JsonMap[]) => all.map(set => set[part]).filter(isMap)
  const own = below(sets.own)
  return own.length > 0 && owns(wanted, live, { own, others: below(sets.others) })
}

/**
 * For a scalar, and a map or list that is owned as one value. If others own all its parts, our set looks the same; then the values count.
 */
const ownsAsAWhole = (wanted: unknown, live: unknown, { others }: Sets): boolean =>
  (!isMap(wanted) && !Array.isArray(wanted)) || (others.every(set => partsOf(set).length === 0) && holds(live, wanted))

const holds = (live: unknown, wanted: unknown): boolean => {
  if (Array.isArray(wanted))
    return Array.isArray(live) && live.length === wanted.length && wanted.every((one, at) => holds(live[at], one))
  if (!isMap(wanted)) return sameJson(live, wanted)
  return isMap(live) && sentFields(wanted).every(field => isEmpty(wanted[field]) || holds(live[field], wanted[field]))
}

const partsOf = (set: JsonMap): string[] => Object.keys(set).filter(part => part !== '.')

/** `k:{"name":"app"}` identifies an element by keys, `v:"app"` by value. */
type ElementName = { readonly part: string; readonly named: unknown }

/** The caller parses the parts once per list, not once per element. Returns nothing for parts without `k:` or `v:`. */
const elementName = (part: string): ElementName[] => {
  if (!part.startsWith('k:') && !part.startsWith('v:')) return []
  const named = attempted<unknown>(() => JSON.parse(part.slice(2)))
  return 'read' in named ? [{ part, named: named.read }] : []
}

/** The API server defaults keys that the manifest omits. */
const isNameOf = ({ part, named }: ElementName, element: unknown): boolean => {
  if (part.startsWith('v:')) return sameJson(named, element)
  return isMap(named) && isMap(element) && Object.keys(named).every(key => isSameOrAbsent(element[key], named[key]))
}

const isSameOrAbsent = (value: unknown, key: unknown): boolean => value === undefined || sameJson(value, key)

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  return value === null || (isMap(value) && sentFields(value).every(field => isEmpty(value[field])))
}
