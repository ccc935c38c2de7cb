// Patches with the API server's limits and messages. Strategic merge patch of built-in kinds: lists merge by key where the schema says so,
// with `$patch`, `$retainKeys`, `$deleteFromPrimitiveList` and `$setElementOrder`. JSON patch (RFC 6902).
import { jsonPatched as applied, JsonPatchError } from '../core/json/json-patch.ts'
import { definition } from './kinds/builtin.ts'
import { memberOf, type Schema } from './kinds/kind.ts'
import { badRequest, StatusError, tooLarge } from './status.ts'
import { canonicalJson, goText, isMap, type JsonMap, mapOrEmpty, own, put } from './value.ts'

const deletePrefix = '$deleteFromPrimitiveList/'
const orderPrefix = '$setElementOrder/'
const retainKeys = '$retainKeys'

const target = (schema: Schema | undefined): Schema | undefined => (schema?.$ref ? definition(schema.$ref) : schema)

export const strategicPatched = (before: JsonMap, patch: JsonMap, schema: Schema | undefined): JsonMap => {
  if (patch.$patch === 'replace') return withoutDirectives(patch)
  if (patch.$patch === 'delete') return {}
  if (patch.$patch !== undefined && patch.$patch !== 'merge')
    throw new StatusError(500, '', `unknown patch type: ${patch.$patch} in map: ${goText(patch)}`)
  const result: JsonMap = {}
  const retained = Array.isArray(patch[retainKeys]) ? new Set(patch[retainKeys].map(String)) : undefined
  for (const [key, value] of Object.entries(before)) if (!retained || retained.has(key)) put(result, key, value)
  for (const [key, value] of Object.entries(patch)) patchField(result, key, value, patch, schema)
  return result
}

const withoutDirectives = (patch: JsonMap): JsonMap => {
  const result: JsonMap = {}
  for (const [key, value] of Object.entries(patch)) if (!key.startsWith('$')) put(result, key, value)
  return result
}

const patchField = (result: JsonMap, key: string, value: unknown, patch: JsonMap, schema: Schema | undefined): void => {
  if (key === '$patch' || key === retainKeys) return
  if (key.startsWith(deletePrefix)) deletePrimitives(result, key.slice(deletePrefix.length), value)
  else if (key.startsWith(orderPrefix)) orderOnly(result, key.slice(orderPrefix.length), value, patch, schema)
  else if (value === null) delete result[key]
  else
    put(
      result,
      key,
      patchedValue(own(result, key), value, memberOf(target(schema), key), own(patch, orderPrefix + key)),
    )
}

const patchedValue = (before: unknown, value: unknown, schema: Schema | undefined, order: unknown): unknown => {
  if (isMap(value)) return strategicPatched(mapOrEmpty(before), value, schema)
  if (!Array.isArray(value)) return value
  const isMerged = schema?.['x-kubernetes-patch-strategy']?.split(',').includes('merge') ?? false
  return isMerged ? mergedList(Array.isArray(before) ? before : [], value, schema, order) : value
}

const deletePrimitives = (result: JsonMap, key: string, values: unknown): void => {
  const before = own(result, key)
  if (!Array.isArray(before) || !Array.isArray(values)) return
  const gone = new Set(values)
  put(
    result,
    key,
    before.filter(item => !gone.has(item)),
  )
}

/** Sorts a list that the patch itself does not contain. */
const orderOnly = (result: JsonMap, key: string, order: unknown, patch: JsonMap, schema: Schema | undefined): void => {
  const before = own(result, key)
  if (Object.hasOwn(patch, key) || !Array.isArray(before)) return
  put(result, key, ordered(before, before, order, memberOf(target(schema), key)?.['x-kubernetes-patch-merge-key']))
}

const mergedList = (before: unknown[], patch: unknown[], schema: Schema | undefined, order: unknown): unknown[] => {
  const key = schema?.['x-kubernetes-patch-merge-key']
  const list = key ? mergedByKey(before, patch, key, schema?.items) : [...new Set([...before, ...patch])]
  return ordered(list, before, order ?? patch, key)
}

const mergedByKey = (before: unknown[], patch: unknown[], key: string, items: Schema | undefined): unknown[] => {
  const changes = patch.map(change => keyed(change, key))
  if (changes.some(change => change.$patch === 'replace' && Object.keys(change).length === 1))
    return changes.filter(change => change.$patch !== 'replace')
  const result = [...before]
  for (const change of changes) {
    const index = result.findIndex(
      item => isMap(item) && canonicalJson(own(item, key) ?? null) === canonicalJson(own(change, key) ?? null),
    )
    const found = result[index]
    if (change.$patch === 'delete') removeAll(result, key, change)
    else if (isMap(found)) result[index] = strategicPatched(found, change, items)
    else result.push(strategicPatched({}, change, items))
  }
  return result
}

const removeAll = (list: unknown[], key: string, change: JsonMap): void => {
  for (let index = list.length - 1; index >= 0; index--) {
    const item = list[index]
    if (isMap(item) && own(item, key) === own(change, key)) list.splice(index, 1)
  }
}

const keyed = (change: unknown, key: string): JsonMap => {
  if (!isMap(change)) throw badRequest('invalid JSON document')
  if (!Object.hasOwn(change, key) && change.$patch !== 'replace')
    throw new StatusError(500, '', `map: ${goText(change)} does not contain declared merge key: ${key}`)
  return change
}

/** Items that the patch names get the order of the patch. All other items stay before the named item that followed them. */
const ordered = (list: unknown[], before: unknown[], named: unknown, key: string | undefined): unknown[] => {
  if (!Array.isArray(named)) return list
  const identity = (item: unknown) => canonicalJson((key && isMap(item) ? own(item, key) : item) ?? null)
  const places = (items: unknown[]) => new Map(items.map((item, index) => [identity(item), index]))
  const rank = places(named)
  const former = places(before)
  const place = (item: unknown) => former.get(identity(item)) ?? -1
  const rankOf = (item: unknown) => rank.get(identity(item)) ?? 0
  const patched = list.filter(item => rank.has(identity(item))).sort((left, right) => rankOf(left) - rankOf(right))
  const others = list.filter(item => !rank.has(identity(item)))
  const result: unknown[] = []
  for (const item of patched) {
    while (others.length && place(others[0]) < place(item)) result.push(others.shift())
    result.push(item)
  }
  return [...result, ...others]
}

const mostOperations = 10_000

/** The size limit of a request. */
const mostCopied = 3 * 1024 * 1024

export const jsonPatched = (document: unknown, patch: unknown): unknown => {
  if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  if (patch.length > mostOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`)
  if (!patch.every(isMap)) throw badRequest('json: cannot unmarshal into Go value of type jsonpatch.Operation')
  try {
    return applied(document, patch, mostCopied)
  } catch (error) {
    throw error instanceof JsonPatchError ? new PatchFault(error.message) : error
  }
}

/** A JSON patch that cannot be applied. As in the real API server, all such errors have the same message; the cause is in `why`. */
export class PatchFault extends StatusError {
  readonly why: string

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
    this.why = why
  }
}
