// The managers of an object: metadata.managedFields, decoded.
import { isMap, listAt } from '../value.ts'
import { type FieldSet, fromFieldsV1, isEmptySet, toFieldsV1, union } from './field-set.ts'

type Operation = 'Apply' | 'Update'

export type Manager = {
  readonly name: string
  readonly operation: Operation
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
    const manager = managerOf(entry)
    if (!manager) return new Map()
    managers.set(identityOf(manager), manager)
  }
  return managers
}

const managerOf = (entry: unknown): Manager | undefined => {
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

export const encodedManagers = (managers: Managers): unknown[] =>
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
export const capped = (managers: Managers): Managers => {
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

export const withoutEmpty = (managers: Managers): Managers => {
  for (const [key, { fields }] of managers) if (isEmptySet(fields)) managers.delete(key)
  return managers
}

export const isReset = (metadata: unknown): boolean => {
  if (!isMap(metadata) || !Array.isArray(metadata.managedFields)) return false
  const entries = listAt(metadata, 'managedFields')
  return entries.length === 0 || (entries.length === 1 && isMap(entries[0]) && Object.keys(entries[0]).length === 0)
}
