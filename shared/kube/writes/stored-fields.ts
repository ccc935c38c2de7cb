// Fields of a stored object that a write must know: managedFields in which our apply owns the fields of other tools, and immutable fields
// that an API server sets at creation.
import { valueAt, withValueAt } from '../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { groupAndKind, type KubeObject } from '../../core/objects/object.ts'

type Reclaim = {
  fieldManager: string
  /** Prefixes of managers whose fields we take over, such as `helm`. */
  prefixes: readonly string[]
  apiVersion: string
}

/**
 * The new managedFields; undefined when there are no fields to take over. The next apply removes all owned fields that it does not contain.
 * Example: taking over a chart that helm installed.
 */
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

export const withServerFilledFields = (object: KubeObject, live: KubeObject): KubeObject => {
  const missing = (filledIn[groupAndKind(object)] ?? []).filter(
    path => (valueAt(object, ...path) ?? undefined) === undefined && valueAt(live, ...path) !== undefined,
  )
  let filled: JsonMap = object
  for (const path of missing) filled = withValueAt(filled, path, valueAt(live, ...path))
  return filled as KubeObject
}

type Path = readonly string[]

const jobLabels = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name']

/** A replace without these fields is refused. For most kinds the API server keeps such fields itself (the cluster IP of a Service). */
const filledIn: Readonly<Record<string, readonly Path[]>> = {
  '/PersistentVolumeClaim': [
    ['spec', 'volumeName'],
    ['spec', 'storageClassName'],
  ],
  'batch/Job': [['spec', 'selector'], ...jobLabels.map(label => ['spec', 'template', 'metadata', 'labels', label])],
}
