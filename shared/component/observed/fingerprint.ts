// Finds drift: the live object is cut to the paths of its manifest and compared with the same cut of what the API server
// answered to our last write. So defaults, normalised quantities and fields of others are no drift. Example: the manifest
// says `cpu: 1000m`, the API server answered `cpu: 1`; drift is only what differs from `1`.
import { sha256Hex } from '../../core/digest.ts'
import { type FieldChange, fieldChanges } from '../../core/json/field-changes.ts'
import { canonicalJson, isMap, type JsonMap } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import type { KubeObject } from '../../core/objects/object.ts'

/** 16 hex digits over the live object at the manifest's paths. */
export const fingerprintOf = remembered((live: KubeObject, manifest: KubeObject): string =>
  sha256Hex(canonicalJson(cutToManifest(live, manifest))).slice(0, 16),
)

/** The fields of the manifest in which two states of its object differ. */
export const driftBetween = (before: KubeObject, after: KubeObject, manifest: KubeObject): FieldChange[] =>
  fieldChanges(cutToManifest(before, manifest), cutToManifest(after, manifest))

/** The status belongs to a controller. Of the metadata only labels and annotations are compared. */
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

/** A null in a manifest does not set the field. */
const cutMap = (live: JsonMap, wanted: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.keys(wanted)
      .filter(key => wanted[key] !== null && wanted[key] !== undefined && Object.hasOwn(live, key))
      .map(key => [key, cut(live[key], wanted[key])]),
  )

/** The live element with the same name; without names, the one at the same index. */
const counterpart = (live: readonly unknown[], wanted: unknown, index: number): unknown =>
  isMap(wanted) && typeof wanted.name === 'string'
    ? live.find(element => isMap(element) && element.name === wanted.name)
    : live[index]
