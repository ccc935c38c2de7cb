// Sets the defaults of a structural schema, and prunes undeclared fields. Does not change its arguments: a copy shares unchanged parts.
import { memberOf, type Schema } from '../kinds/kind.ts'
import { isMap, type JsonMap, put } from '../value.ts'

/** The value with defaults. A null that the schema does not allow counts as absent. */
export const defaulted = (value: unknown, schema: Schema | undefined): unknown => {
  if (!schema) return value
  if (Array.isArray(value)) return defaultedList(value, schema)
  return isMap(value) ? defaultedFields(value, schema) : value
}

const isMisplacedNull = (value: unknown, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true && !schema['x-kubernetes-preserve-unknown-fields']

const defaultedList = (list: unknown[], schema: Schema): unknown => {
  const { items } = schema
  if (!items) return list
  const after = list.map(item =>
    defaulted(isMisplacedNull(item, items) && items.default !== undefined ? items.default : item, items),
  )
  return after.some((item, index) => item !== list[index]) ? after : list
}

const defaultedFields = (fields: JsonMap, schema: Schema): JsonMap => {
  const changes: [key: string, value: unknown][] = []
  const dropped = new Set<string>()
  for (const [key, value] of Object.entries(fields)) {
    const inner = memberOf(schema, key)
    const isNull = isMisplacedNull(value, inner)
    if (isNull && inner?.default === undefined) dropped.add(key)
    else {
      const after = defaulted(isNull ? inner?.default : value, inner)
      if (after !== value) changes.push([key, after])
    }
  }
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    if (property.default !== undefined && !Object.hasOwn(fields, key))
      changes.push([key, defaulted(property.default, property)])
  return changes.length + dropped.size ? changed(fields, changes, dropped) : fields
}

const changed = (fields: JsonMap, changes: [string, unknown][], dropped: Set<string>): JsonMap => {
  const result: JsonMap = {}
  for (const [key, value] of Object.entries(fields)) if (!dropped.has(key)) put(result, key, value)
  for (const [key, value] of changes) put(result, key, value)
  return result
}

const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

export const pruned = (value: unknown, schema: Schema | undefined, path: string, unknown: string[]): unknown => {
  if (Array.isArray(value)) return prunedList(value, schema, path, unknown)
  if (!isMap(value)) return value
  const result: JsonMap = {}
  let isChanged = false
  for (const [key, item] of Object.entries(value)) {
    const place = path ? `${path}.${key}` : key
    const kept = fieldSchema(schema, key)
    if (kept === 'unknown') {
      unknown.push(place)
      isChanged = true
      continue
    }
    const after = kept === 'as it is' ? item : pruned(item, kept, place, unknown)
    isChanged ||= after !== item
    put(result, key, after)
  }
  return isChanged ? result : value
}

const prunedList = (list: unknown[], schema: Schema | undefined, path: string, unknown: string[]): unknown => {
  if (schema?.['x-kubernetes-preserve-unknown-fields'] && !schema.items) return list
  const after = list.map((item, index) => pruned(item, schema?.items, `${path}[${index}]`, unknown))
  return after.some((item, index) => item !== list[index]) ? after : list
}

const fieldSchema = (schema: Schema | undefined, key: string): Schema | 'unknown' | 'as it is' => {
  if (schema?.['x-kubernetes-embedded-resource'] && metaFields.has(key)) return 'as it is'
  const member = memberOf(schema, key)
  if (member) return member
  const isOpen = schema?.additionalProperties === true || schema?.['x-kubernetes-preserve-unknown-fields']
  return isOpen ? 'as it is' : 'unknown'
}
