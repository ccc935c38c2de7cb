// Computes managedFields in which our apply owns the fields of other tools, and fields that we wrote by other verbs. The next apply then
// removes all of these fields that it does not contain. Example: taking over a chart that helm installed.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import type { KubeObject } from '../../core/objects/object.ts'

type Reclaim = {
  fieldManager: string
  /** Prefixes of managers whose fields we take over, such as `helm`. */
  prefixes: readonly string[]
  apiVersion: string
}

/** The new managedFields; undefined when there are no fields to take over. */
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

/** False for fields of a subresource, such as the status, because an apply contains no such fields. */
const isToBeTaken = ({ manager, subresource }: JsonMap, { fieldManager, prefixes }: Reclaim): boolean =>
  typeof manager === 'string' &&
  !subresource &&
  (manager === fieldManager || prefixes.some(prefix => manager.startsWith(prefix)))

const united = (a: JsonMap, b: unknown): JsonMap => {
  const all = new Map(Object.entries(a))
  for (const [part, below] of isMap(b) ? Object.entries(b) : []) {
    const known = all.get(part)
    all.set(part, isMap(known) ? united(known, below) : below)
  }
  return Object.fromEntries(all)
}
