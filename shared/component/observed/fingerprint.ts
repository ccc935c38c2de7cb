// Finds drift: compares the live object with the answer to our last write, at the paths of the manifest. Defaults, normalised quantities
// and fields of other managers are no drift. Example: the manifest has `cpu: 1000m` and the API server answered `cpu: 1`, so only a value
// other than `1` is drift.
import { sha256Hex } from '../../core/digest.ts'
import { type FieldChange, fieldChanges } from '../../core/json/field-changes.ts'
import { canonicalJson, isMap, type JsonMap } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
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
