// Takes away what a structural schema does not know, and reports it. The value is not changed: a pruned copy shares what
// stays the same.
import type { Schema } from '../kinds/schema.ts'
import { isMap, type JsonMap, put } from '../value.ts'

const metaFields = new Set(['apiVersion', 'kind', 'metadata'])

/** The value without unknown fields; their paths go into `unknown`. */
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

/** Own properties only: a field called `constructor` is unknown unless the schema says so. */
export const propertyOf = (schema: Schema | undefined, key: string): Schema | undefined =>
  schema?.properties && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined

const fieldSchema = (schema: Schema | undefined, key: string): Schema | 'unknown' | 'as it is' => {
  if (schema?.['x-kubernetes-embedded-resource'] && metaFields.has(key)) return 'as it is'
  const property = propertyOf(schema, key)
  if (property) return property
  const { additionalProperties } = schema ?? {}
  if (isMap(additionalProperties)) return additionalProperties as Schema
  if (additionalProperties === true || schema?.['x-kubernetes-preserve-unknown-fields']) return 'as it is'
  return 'unknown'
}
