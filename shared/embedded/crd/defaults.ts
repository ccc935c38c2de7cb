// Sets the defaults of a structural schema. The value is not changed: a copy shares what stays the same.
import type { Schema } from '../kinds/schema.ts'
import { isMap, type JsonMap, put } from '../value.ts'
import { propertyOf } from './prune.ts'

/** The value with defaults; null in a place that may not be null counts as absent. */
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
    const inner =
      propertyOf(schema, key) ??
      (isMap(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined)
    const isNull = isMisplacedNull(value, inner)
    if (isNull && inner?.default === undefined) dropped.add(key)
    else addChange(changes, key, value, defaulted(isNull ? inner?.default : value, inner))
  }
  for (const [key, property] of Object.entries(schema.properties ?? {}))
    if (property.default !== undefined && !Object.hasOwn(fields, key))
      changes.push([key, defaulted(property.default, property)])
  return changes.length + dropped.size ? changed(fields, changes, dropped) : fields
}

const addChange = (changes: [string, unknown][], key: string, before: unknown, after: unknown): void => {
  if (after !== before) changes.push([key, after])
}

const changed = (fields: JsonMap, changes: [string, unknown][], dropped: Set<string>): JsonMap => {
  const result: JsonMap = {}
  for (const [key, value] of Object.entries(fields)) if (!dropped.has(key)) put(result, key, value)
  for (const [key, value] of changes) put(result, key, value)
  return result
}
