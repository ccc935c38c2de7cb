// Decides whether a server-side apply would change anything. A read costs half as much as an apply, and most applies change nothing.
// managedFields list the fields that our manager applied. If these fields and their values are the same, the apply would change nothing.
// This also detects a field that another manager changed or took over, or that we no longer apply. If the API server spells a value
// differently ("0.5" as "500m"), the result is false: the apply is sent and changes nothing.
import { attempted } from '../decisions/reading.ts'
import { isMap, type JsonMap, sameJson, sentFields } from '../json/json.ts'
import type { KubeObject } from './object.ts'

/** Whether `live` (with managedFields) has the values of `wanted`, and this manager owns exactly these fields. */
export const isApplied = (wanted: KubeObject, live: KubeObject, fieldManager: string): boolean => {
  const entries = (live.metadata.managedFields ?? []).filter(isMap)
  const own = entries.find(entry => isApplyOf(entry, fieldManager, wanted.apiVersion))
  if (!isMap(own?.fieldsV1) || !isSameVersion(wanted, live)) return false
  const others = entries.filter(entry => entry !== own).map(entry => entry.fieldsV1)
  return isOwnedSo(ownable(wanted), live, { own: own.fieldsV1, others: others.filter(isMap) })
}

/** Sets of fields as in metav1.FieldsV1: `f:<field>`, `k:<key of an element>`, `v:<element>`, `.` for the field itself. */
type Owned = { own: JsonMap; others: readonly JsonMap[] }

const isApplyOf = (entry: JsonMap, fieldManager: string, apiVersion: string): boolean =>
  entry.manager === fieldManager && entry.operation === 'Apply' && entry.apiVersion === apiVersion && !entry.subresource

/** Whether the live object has the uid and resourceVersion of `wanted`, which are preconditions and not content. */
export const isSameVersion = ({ metadata: wanted }: KubeObject, { metadata: live }: KubeObject): boolean =>
  (wanted.uid ?? live.uid) === live.uid && (wanted.resourceVersion ?? live.resourceVersion) === live.resourceVersion

/** The content without fields that no manager can own, such as apiVersion, kind, name and uid. */
export const ownable = ({ apiVersion: _, kind: __, metadata, ...content }: KubeObject): JsonMap => {
  const { labels, annotations, finalizers, ownerReferences, generateName } = metadata
  const owned = { labels, annotations, finalizers, ownerReferences, generateName }
  return sentFields(owned).length > 0 ? { ...content, metadata: owned } : content
}

const isOwnedSo = (wanted: unknown, live: unknown, owned: Owned): boolean => {
  const parts = partsOf(owned.own)
  if (parts.length === 0) return isLeafOwnedSo(wanted, live, owned)
  if (Array.isArray(wanted)) return Array.isArray(live) && isListOwnedSo(wanted, live, owned)
  return isMap(wanted) && isMap(live) && isMapOwnedSo(wanted, live, owned)
}

/** Checks scalars, lists and maps that are owned as a whole, and empty maps of ours that other managers filled. */
const isLeafOwnedSo = (wanted: unknown, live: unknown, { others }: Owned): boolean => {
  if (isEmpty(wanted)) return Array.isArray(wanted) ? Array.isArray(live) : isMap(live)
  return others.every(other => partsOf(other).length === 0) && sameJson(wanted, live)
}

const isMapOwnedSo = (wanted: JsonMap, live: JsonMap, owned: Owned): boolean => {
  const fields = sentFields(wanted)
  return (
    fields.length === partsOf(owned.own).length &&
    fields.every(field => {
      const below = ownedBelow(owned, `f:${field}`)
      return below !== undefined && isOwnedSo(wanted[field], live[field], below)
    })
  )
}

/** Checks lists whose elements have owners. Our elements must be in our order; elements of other managers may be between them. */
const isListOwnedSo = (wanted: unknown[], live: unknown[], owned: Owned): boolean => {
  const parts = partsOf(owned.own)
  if (wanted.length !== parts.length) return false
  const places = parts
    .map(part => ({ part, wantedAt: elementPlace(part, wanted), liveAt: elementPlace(part, live) }))
    .sort((a, b) => a.wantedAt - b.wantedAt)
  return places.every(({ part, wantedAt, liveAt }, place) => {
    const below = ownedBelow(owned, part)
    const inOrder = wantedAt === place && liveAt > (places[place - 1]?.liveAt ?? -1)
    return inOrder && below !== undefined && isOwnedSo(wanted[wantedAt], live[liveAt], below)
  })
}

export const partsOf = (fields: JsonMap): string[] => Object.keys(fields).filter(part => part !== '.')

const ownedBelow = ({ own, others }: Owned, part: string): Owned | undefined => {
  const below = own[part]
  return isMap(below) ? { own: below, others: others.map(other => other[part]).filter(isMap) } : undefined
}

/** The index of the element with a key such as `k:{"name":"app"}`; -1 when it is missing. */
export const elementPlace = (part: string, list: readonly unknown[]): number => {
  const name = attempted<unknown>(() => JSON.parse(part.slice(2)))
  if ('failed' in name) return -1
  const { read: named } = name
  if (part.startsWith('v:')) return list.findIndex(element => sameJson(element, named))
  if (!part.startsWith('k:') || !isMap(named)) return -1
  const exact = list.findIndex(element => hasKey(element, named))
  // We may omit a part of the key that the API server defaults, such as the protocol of a port.
  return exact >= 0 ? exact : list.findIndex(element => isMap(element) && hasKey({ ...named, ...element }, named))
}

const hasKey = (element: unknown, key: JsonMap): boolean =>
  isMap(element) && Object.entries(key).every(([field, value]) => sameJson(element[field], value))

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isMap(value) && sentFields(value).length === 0
