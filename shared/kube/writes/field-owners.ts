// Computes managedFields in which our apply owns the fields of other tools, and those that we wrote by other verbs than apply. The next
// apply then removes the fields that it does not hold. Example: a chart that helm installed is taken over. perform-step.ts writes them.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'

type Reclaim = {
  fieldManager: string
  /** Prefixes of the names of the managers whose fields we take, such as `helm`. */
  prefixes: readonly string[]
  apiVersion: string
}

/** The managedFields with our manager in place of the others; undefined when the others own nothing. */
export const reclaimedFields = (object: KubeObject, reclaim: Reclaim): unknown[] | undefined => {
  const entries = (object.metadata.managedFields ?? []).filter(isMap)
  const own = entries.find(entry => isOwn(entry, reclaim))
  const taken = entries.filter(entry => entry !== own && isToBeTaken(entry, reclaim))
  if (taken.length === 0) return undefined
  const { fieldManager: manager, apiVersion } = reclaim
  const ours = own ?? { manager, operation: 'Apply', apiVersion, fieldsType: 'FieldsV1' }
  const fieldsV1 = [ours, ...taken].reduce<JsonMap>((all, entry) => united(all, entry.fieldsV1), {})
  const others = entries.filter(entry => entry !== own && !taken.includes(entry))
  return [...others, { ...ours, fieldsV1 }]
}

const isOwn = ({ manager, operation, subresource }: JsonMap, { fieldManager }: Reclaim): boolean =>
  manager === fieldManager && operation === 'Apply' && !subresource

/** Fields that were written through a subresource, such as the status, stay as they are: no apply holds them. */
const isToBeTaken = ({ manager, subresource }: JsonMap, { fieldManager, prefixes }: Reclaim): boolean =>
  typeof manager === 'string' &&
  !subresource &&
  (manager === fieldManager || prefixes.some(prefix => manager.startsWith(prefix)))

/** The union of two sets of fields in the FieldsV1 format. */
const united = (a: JsonMap, b: unknown): JsonMap => {
  const all = new Map(Object.entries(a))
  for (const [part, below] of isMap(b) ? Object.entries(b) : []) {
    const known = all.get(part)
    all.set(part, isMap(known) ? united(known, below) : below)
  }
  return Object.fromEntries(all)
}
