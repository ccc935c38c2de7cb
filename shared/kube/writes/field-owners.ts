// Whose a field is, rewritten: what other tools own of an object becomes ours, and with it what we ourselves wrote by
// other verbs than apply, so that the next apply prunes what it does not hold. Pure: managedFields in, managedFields out.
import { isMap, type JsonMap } from '../../core/json.ts'
import type { KubeObject } from '../../core/object.ts'

type Reclaim = {
  fieldManager: string
  /** Beginnings of the names of managers whose fields we take. */
  prefixes: readonly string[]
  /** That the object is applied in. */
  apiVersion: string
}

/** The object's managedFields with us in the place of those managers; undefined when there is nothing to take. */
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

/** What is written through a subresource, above all the status, is not part of what anybody applies. */
const isToBeTaken = ({ manager, subresource }: JsonMap, { fieldManager, prefixes }: Reclaim): boolean =>
  typeof manager === 'string' &&
  !subresource &&
  (manager === fieldManager || prefixes.some(prefix => manager.startsWith(prefix)))

/** Sets of fields as FieldsV1 spells them, as one. */
const united = (a: JsonMap, b: unknown): JsonMap => {
  const all = new Map(Object.entries(a))
  for (const [part, below] of isMap(b) ? Object.entries(b) : []) {
    const known = all.get(part)
    all.set(part, isMap(known) ? united(known, below) : below)
  }
  return Object.fromEntries(all)
}
