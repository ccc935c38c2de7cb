// Keeps metadata.managedFields up to date, and finds which managers lose fields by a change. The rules come from sigs.k8s.io/structured-
// merge-diff and from the API server's field managers.
import type { KubeObject } from '../../core/objects/object.ts'
import { isMap, type JsonMap, listAt, withField, withoutField } from '../value.ts'
import {
  deepDifference,
  difference,
  type FieldSet,
  fromFieldsV1,
  isEmptySet,
  setOfPaths,
  toFieldsV1,
  union,
} from './field-set.ts'
import { ElementError, type Typing } from './shape.ts'
import { type Comparison, compared } from './walk.ts'

export type WriteContext = {
  readonly manager: string
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string
  readonly typing: Typing
  /** Fields that this kind of write can neither change nor own. */
  readonly ignored: FieldSet
  /** An empty object of the kind. The creator of an object does not own these fields. */
  readonly blank: JsonMap
  isServed(apiVersion: string): boolean
}

export const unowned = setOfPaths(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map(name => ['metadata', name]),
)

const withoutManagedFields = (object: KubeObject): KubeObject =>
  object.metadata.managedFields === undefined
    ? object
    : { ...object, metadata: withoutField(object.metadata as JsonMap, 'managedFields') as KubeObject['metadata'] }

export const withManagers = (object: KubeObject, managers: Managers): KubeObject => {
  if (managers.size === 0) return withoutManagedFields(object)
  return { ...object, metadata: { ...object.metadata, managedFields: encodedManagers(managers) } }
}

export const ownedAfterUpdate = (live: KubeObject | undefined, next: KubeObject, change: WriteContext): KubeObject => {
  const managers = managersForUpdate(live, next, change)
  if (live && managers.size === 0) return withoutManagedFields(next)
  try {
    return withManagers(next, updated(managers, live ? bare(live) : change.blank, bare(next), change))
  } catch (error) {
    // The list is invalid. Validation refuses the list later, with a better message.
    if (error instanceof ElementError) return withoutManagedFields(next)
    throw error
  }
}

export const bare = (object: KubeObject): JsonMap => withoutManagedFields(object)

/** In an update, a client can send its own managedFields, to give up some fields or to forget all managers. */
const managersForUpdate = (live: KubeObject | undefined, next: KubeObject, change: WriteContext): Managers => {
  const before = () => managersOf(live?.metadata.managedFields)
  if (change.subresource) return before()
  if (isReset(next.metadata)) return new Map()
  const sent = managersOf(next.metadata.managedFields)
  return sent.size ? sent : before()
}

export const updated = (managers: Managers, live: JsonMap, next: JsonMap, change: WriteContext): Managers => {
  const comparison = filtered(compared(live, next, change.typing), change.ignored)
  const after = release(managers, comparison, change, '')
  const taken = difference(union(comparison.added, comparison.modified), unowned)
  if (isEmptySet(taken)) return after
  const mine = managerOf(change, 'Update', taken)
  const key = identityOf(mine)
  const before = after.get(key)
  after.set(key, before ? { ...mine, fields: union(taken, before.fields) } : mine)
  return capped(after)
}

export const managerOf = (change: WriteContext, operation: Manager['operation'], fields: FieldSet): Manager => {
  const { manager: name, apiVersion, subresource, time } = change
  return { name, operation, apiVersion, subresource, time, fields }
}

export const filtered = (comparison: Comparison, ignored: FieldSet): Comparison =>
  isEmptySet(ignored)
    ? comparison
    : {
        added: deepDifference(comparison.added, ignored),
        removed: deepDifference(comparison.removed, ignored),
        modified: deepDifference(comparison.modified, ignored),
      }

/** Takes the fields that were changed or removed from all managers except one. */
export const release = (
  managers: Managers,
  { added, removed, modified }: Comparison,
  change: WriteContext,
  except: string,
): Managers => {
  const lost = union(union(added, modified), removed)
  const after: Managers = new Map()
  for (const [key, manager] of managers) {
    if (!change.isServed(manager.apiVersion)) continue
    const fields = key === except ? manager.fields : difference(manager.fields, lost)
    if (!isEmptySet(fields)) after.set(key, fields === manager.fields ? manager : { ...manager, fields })
  }
  return after
}

export const withOwnersOf = (object: KubeObject, owners: KubeObject): KubeObject =>
  owners.metadata.managedFields === undefined
    ? withoutManagedFields(object)
    : {
        ...object,
        metadata: withField(
          object.metadata as JsonMap,
          'managedFields',
          owners.metadata.managedFields,
        ) as KubeObject['metadata'],
      }

export type Manager = {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string
  readonly fields: FieldSet
}

export type Managers = Map<string, Manager>

type Identity = Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>

/** Apply makes one manager for all versions, Update one for each version. */
export const identityOf = ({ name, operation, apiVersion, subresource }: Identity): string =>
  JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource])

/** One invalid entry makes the whole list count as empty. */
export const managersOf = (entries: unknown): Managers => {
  const managers: Managers = new Map()
  for (const entry of Array.isArray(entries) ? entries : []) {
    const manager = decodedManager(entry)
    if (!manager) return new Map()
    managers.set(identityOf(manager), manager)
  }
  return managers
}

const decodedManager = (entry: unknown): Manager | undefined => {
  if (!isMap(entry)) return undefined
  const { operation, apiVersion, fieldsType } = entry
  if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1') return undefined
  return {
    name: String(entry.manager ?? ''),
    operation,
    apiVersion: String(apiVersion),
    subresource: String(entry.subresource ?? ''),
    time: String(entry.time ?? ''),
    fields: fromFieldsV1(entry.fieldsV1),
  }
}

const encodedManagers = (managers: Managers): unknown[] =>
  [...managers.values()].sort(byOperationAndTime).map(manager => ({
    manager: manager.name,
    operation: manager.operation,
    apiVersion: manager.apiVersion,
    ...(manager.time && { time: manager.time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(manager.fields),
    ...(manager.subresource && { subresource: manager.subresource }),
  }))

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

const byOperationAndTime = (left: Manager, right: Manager): number =>
  compareText(left.operation, right.operation) ||
  compareText(left.time, right.time) ||
  compareText(left.name, right.name) ||
  compareText(left.apiVersion, right.apiVersion) ||
  compareText(left.subresource, right.subresource)

const mostUpdaters = 10
const bucketName = 'ancient-changes'

/** If there are too many managers of updates, merges the oldest managers of each version. */
const capped = (managers: Managers): Managers => {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update')
  if (updaters.length <= mostUpdaters) return managers
  const oldest = updaters.sort(
    ([leftKey, left], [rightKey, right]) => compareText(left.time, right.time) || compareText(leftKey, rightKey),
  )
  const firstOfVersion = new Map<string, string>()
  let count = updaters.length
  for (const [key, manager] of oldest) {
    if (count <= mostUpdaters) break
    const first = firstOfVersion.get(manager.apiVersion)
    if (first === undefined) firstOfVersion.set(manager.apiVersion, key)
    else {
      fold(managers, first, key, manager)
      count--
    }
  }
  return managers
}

const fold = (managers: Managers, first: string, key: string, manager: Manager): void => {
  const bucket: Identity = { name: bucketName, operation: 'Update', apiVersion: manager.apiVersion, subresource: '' }
  const bucketKey = identityOf(bucket)
  const before = managers.get(bucketKey) ?? managers.get(first)
  managers.delete(first)
  managers.delete(key)
  if (before) managers.set(bucketKey, { ...bucket, time: manager.time, fields: union(before.fields, manager.fields) })
}

const isReset = (metadata: unknown): boolean => {
  if (!isMap(metadata) || !Array.isArray(metadata.managedFields)) return false
  const entries = listAt(metadata, 'managedFields')
  return entries.length === 0 || (entries.length === 1 && isMap(entries[0]) && Object.keys(entries[0]).length === 0)
}
