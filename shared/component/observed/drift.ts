// Finds drift by a fingerprint: compares the live object with the answer to our last write, at the paths of the manifest. Defaults and
// normalised quantities are no drift. Example: the manifest has `cpu: 1000m` and the API server answered `cpu: 1`, so only a value other
// than `1` is drift. Without a fingerprint, managedFields show drift and the client that wrote it.
import { sha256Hex } from '../../core/digest.ts'
import { type FieldChange, fieldChanges } from '../../core/json/field-changes.ts'
import { canonicalJson, isMap, isText, type JsonMap, sameJson, sentFields } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { elementPlace, ownable, partsOf } from '../../core/objects/applied.ts'
import type { KubeObject } from '../../core/objects/object.ts'

/** A digest of 16 hex digits of the live object at the manifest's paths. */
export const fingerprintOf = remembered((live: KubeObject, manifest: KubeObject): string =>
  sha256Hex(canonicalJson(cutToManifest(live, manifest))).slice(0, 16),
)

/** The fields of the manifest that differ between two states of the object. */
export const driftBetween = (before: KubeObject, after: KubeObject, manifest: KubeObject): FieldChange[] =>
  fieldChanges(cutToManifest(before, manifest), cutToManifest(after, manifest))

/** Leaves out the status, which belongs to a controller, and metadata other than labels and annotations. */
const cutToManifest = (live: KubeObject, { status: _, metadata, ...content }: KubeObject): unknown => {
  const { labels, annotations } = metadata
  return cut(live, { ...content, metadata: { labels, annotations } })
}

const cut = (live: unknown, wanted: unknown): unknown => {
  if (isMap(live) && isMap(wanted)) return cutMap(live, wanted)
  if (Array.isArray(live) && Array.isArray(wanted))
    return wanted.map((element, index) => cut(counterpart(live, element, index), element))
  return live
}

/** Ignores fields with the value null, because null in a manifest does not set a field. */
const cutMap = (live: JsonMap, wanted: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.keys(wanted)
      .filter(key => wanted[key] !== null && wanted[key] !== undefined && Object.hasOwn(live, key))
      .map(key => [key, cut(live[key], wanted[key])]),
  )

/** The live element with the same name, or at the same index if elements have no names. */
const counterpart = (live: readonly unknown[], wanted: unknown, index: number): unknown =>
  isMap(wanted) && typeof wanted.name === 'string'
    ? live.find(element => isMap(element) && element.name === wanted.name)
    : live[index]

/**
 * Whether the manager still owns all fields of the manifest. `live` must have managedFields. A client that changes or removes a field of ours
 * becomes its owner. Example: we applied `replicas: 1`, and kubectl scales to 2, so kubectl owns `f:replicas`.
 */
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

/** For example `kubectl-edit at 2026-03-01T08:00:00Z`; undefined when unknown, for example after a field was removed. */
export const writerOf = (live: KubeObject, changes: readonly FieldChange[]): string | undefined => {
  const entries = (live.metadata.managedFields ?? []).filter(isMap).filter(({ subresource }) => !subresource)
  const writers = new Set(changes.flatMap(({ path }) => writersAt(stepsIn(path), entries)))
  const texts = [...writers].map(({ manager, time }) => `${manager}${isText(time) ? ` at ${time}` : ''}`)
  return texts.length > 0 ? texts.join(' and ') : undefined
}

/** The entries whose field sets contain the longest part of the path. An entry may own only the map, or the map with all its fields. */
const writersAt = (steps: readonly string[], entries: readonly JsonMap[]): JsonMap[] => {
  const depths = entries.map(({ fieldsV1 }) => (isMap(fieldsV1) ? depthOf(fieldsV1, steps) : 0))
  const deepest = Math.max(0, ...depths)
  return entries.filter((_, at) => deepest > 0 && depths[at] === deepest)
}

/** `spec.containers[app].image` → spec, containers, app, image; `metadata.labels["a/b"]` → metadata, labels, a/b */
const stepsIn = (path: string): string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(([whole, quoted]) => quoted ?? whole)

/** The number of steps of the path that the set contains. An empty set owns the whole value below. */
const depthOf = (fields: JsonMap, [step, ...more]: readonly string[], depth = 0): number => {
  const parts = Object.entries(fields)
  if (step === undefined || parts.length === 0) return depth
  const name = `"name":${JSON.stringify(step)}`
  const next = parts.find(([part]) => part === `f:${step}` || (part.startsWith('k:') && part.includes(name)))
  return next !== undefined && isMap(next[1]) ? depthOf(next[1], more, depth + 1) : 0
}
