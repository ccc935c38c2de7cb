// Server-side apply. Merges a configuration into the live object, and removes fields that its manager no longer sets. Takes fields from
// other managers only if it is forced.
import type { KubeObject } from '../../core/objects/object.ts'
import { badRequest, type Cause, gvkText, StatusError } from '../status.ts'
import { goText, isMap, type JsonMap, sameJson } from '../value.ts'
import {
  deepDifference,
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  pathTexts,
  union,
} from './field-set.ts'
import {
  bare,
  filtered,
  identityOf,
  type Manager,
  type Managers,
  managerOf,
  managersOf,
  release,
  unowned,
  updated,
  type WriteContext,
  withManagers,
} from './ownership.ts'
import { ElementError, type Indexed, indexed, type ListShape, type MapShape, shapeOf, type Typing } from './shape.ts'
import { type Comparison, compared, fieldsOf, merged, withNamedFields, without } from './walk.ts'

type Applied = { readonly object: KubeObject; readonly isChanged: boolean }

/** Without `live`, the object is created. Throws Conflict, BadRequest, or an error with code 500. */
export const applied = (
  live: KubeObject | undefined,
  config: KubeObject,
  change: WriteContext,
  isForced: boolean,
): Applied => {
  if (config.metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil')
  try {
    return appliedTo(live, config, change, isForced)
  } catch (error) {
    if (error instanceof ElementError)
      throw new StatusError(500, '', `failed to create typed patch object (${placeOf(config)}): ${error.message}`)
    throw error
  }
}

const placeOf = (object: KubeObject): string =>
  `${object.metadata.namespace ?? ''}/${object.metadata.name}; ${gvkText(object)}`

const appliedTo = (
  live: KubeObject | undefined,
  config: KubeObject,
  change: WriteContext,
  isForced: boolean,
): Applied => {
  const before = live ? bare(live) : change.blank
  refuseMisfit(config, change.typing)
  const managers = managersForApply(live, change)
  const mine = managerOf(change, 'Apply', deepDifference(fieldsOf(config, change.typing), change.ignored))
  const key = identityOf(mine)
  const last = managers.get(key)
  managers.set(key, mine)
  const result = givenUp(merged(before, config, change.typing) as JsonMap, managers, last, change)
  const comparison = filtered(compared(before, result, change.typing), change.ignored)
  if (!isForced) refuseConflicts(managers, comparison, key)
  const after = release(managers, comparison, change, key)
  const isChanged = !sameJson(before, result)
  settleMine(after, key, { ...mine, time: isChanged || !last ? change.time : last.time })
  return { object: withManagers(result as KubeObject, after), isChanged }
}

/** Fields that were set before the first apply get a separate manager. */
const managersForApply = (live: KubeObject | undefined, change: WriteContext): Managers => {
  const managers = managersOf(live?.metadata.managedFields)
  if (!live || managers.size > 0) return managers
  return updated(managers, change.blank, bare(live), { ...change, manager: 'before-first-apply', ignored: emptySet })
}

const settleMine = (managers: Managers, key: string, mine: Manager): void => {
  const fields = difference(mine.fields, unowned)
  if (isEmptySet(fields)) managers.delete(key)
  else managers.set(key, { ...mine, fields })
}

/** Removes the fields that this manager applied before, no longer applies, and shares with no other manager. */
const givenUp = (result: JsonMap, managers: Managers, last: Manager | undefined, { typing }: WriteContext): JsonMap => {
  if (!last || isEmptySet(last.fields)) return result
  const named = (set: FieldSet) => withNamedFields(set, typing)
  const all = named(fieldsOf(result, typing))
  const bareResult = (without(result, named(last.fields), typing) ?? {}) as JsonMap
  const owned = [...managers.values()].map(({ fields }) => fields).reduce(union, emptySet)
  const kept = union(named(fieldsOf(bareResult, typing)), named(owned))
  const pruned = (without(result, difference(all, kept), typing) ?? {}) as JsonMap
  const gone = difference(all, named(fieldsOf(pruned, typing)))
  return (without(result, intersection(gone, named(last.fields)), typing) ?? {}) as JsonMap
}

const refuseConflicts = (managers: Managers, { added, modified }: Comparison, mine: string): void => {
  const taken = union(added, modified)
  const conflicts: Conflict[] = []
  for (const [key, manager] of managers) {
    if (key === mine) continue
    for (const path of pathTexts(intersection(manager.fields, taken))) conflicts.push({ manager, path })
  }
  if (conflicts.length) throw applyConflict(conflicts)
}

type Conflict = { manager: Manager; path: string }

const applyConflict = (conflicts: Conflict[]): StatusError => {
  const causes: Cause[] = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(manager)}`,
    field: path,
  }))
  return new StatusError(409, 'Conflict', conflictMessage(conflicts), { causes })
}

const managerText = ({ name, operation, apiVersion, subresource }: Manager): string => {
  const who = subresource
    ? `${JSON.stringify(name)} with subresource ${JSON.stringify(subresource)}`
    : JSON.stringify(name)
  if (operation === 'Apply') return who
  return `${who} using ${apiVersion}`
}

const conflictMessage = (conflicts: Conflict[]): string => {
  const [first] = conflicts
  if (conflicts.length === 1 && first)
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${first.path}`
  const byManager = Map.groupBy(conflicts, ({ manager }) => managerText(manager))
  const lines = [...byManager]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([who, theirs]) => [`conflicts with ${who}:`, ...theirs.map(({ path }) => `- ${path}`).sort()])
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`
}

/** Refuses undeclared fields, wrong types and repeated list items. Throws ElementError for the first value that does not fit. */
export const refuseMisfit = (value: unknown, typing: Typing, path = ''): void => {
  if (value === null || value === undefined) return
  const shape = shapeOf(typing, value)
  if (shape.is === 'scalar') refuseMistyped(value, typing, path)
  else if (shape.is === 'list') refuseInList(value, shape, path)
  else refuseInMap(value, shape, path)
}

const refuseInList = (value: unknown, shape: ListShape, path: string): void => {
  if (!Array.isArray(value)) throw misfit(path, `expected list, got ${goValue(value)}`)
  const { items, repeated } = shape.isAtomic ? numbered(value) : named(shape, value, path)
  for (const key of repeated) throw misfit(path, `duplicate entries for key ${keyText(key)}`)
  for (const [key, item] of items) refuseMisfit(item, shape.item, path + keyText(key))
}

const numbered = (list: unknown[]): Pick<Indexed, 'items' | 'repeated'> => ({
  items: new Map(list.map((item, index) => [`i:${index}`, item])),
  repeated: new Set(),
})

const named = (shape: ListShape, list: unknown[], path: string): Indexed => {
  try {
    return indexed(shape, list)
  } catch (error) {
    throw error instanceof ElementError ? misfit(path, error.message) : error
  }
}

const refuseInMap = (value: unknown, shape: MapShape, path: string): void => {
  if (!isMap(value)) throw misfit(path, `expected map, got ${goValue(value)}`)
  for (const [name, item] of Object.entries(value)) {
    if (!shape.isOpen && !shape.isDeclared(name)) throw misfit(`${path}.${name}`, 'field not declared in schema')
    refuseMisfit(item, shape.field(name), `${path}.${name}`)
  }
}

const keyText = (key: string): string => pathTexts({ members: new Set([key]), children: new Map() })[0] ?? key

const misfit = (path: string, why: string): ElementError => new ElementError(`${path}: ${why}`)

const got = (value: unknown, wantedType: string): string => {
  if (wantedType === 'number') return typeof value
  return wantedType === 'string' ? `&value.valueUnstructured{Value:${JSON.stringify(value)}}` : goValue(value)
}

const goValue = (value: unknown): string => `&{${goText(value)}}`

const wanted: Readonly<Record<string, { type: string; text: string }>> = {
  integer: { type: 'number', text: 'numeric (int or float)' },
  number: { type: 'number', text: 'numeric (int or float)' },
  string: { type: 'string', text: 'string' },
  boolean: { type: 'boolean', text: 'boolean' },
}

const refuseMistyped = (value: unknown, typing: Typing, path: string): void => {
  const type =
    typeof typing === 'string' || typing['x-kubernetes-int-or-string'] ? undefined : wanted[typing.type ?? '']
  if (type && typeof value !== type.type) throw misfit(path, `expected ${type.text}, got ${got(value, type.type)}`)
}
