// JSON schemas of drafts 4 and 6 in the words of draft 7: `id` is `$id`, an exclusive bound is a number instead of a flag, and
// nothing counts beside a `$ref`.
import { isMap, type JsonMap } from '../../../core/json.ts'

/** What says no draft is taken for draft 7. */
export const asDraft7 = (schema: boolean | JsonMap): boolean | JsonMap => {
  if (!isMap(schema)) return schema
  const { $schema, id, ...rest } = schema
  const isDraft4 = typeof $schema === 'string' && $schema.includes('draft-04')
  const keywords = isDraft4 && typeof id === 'string' ? { ...rest, $id: id } : schema
  return rewritten({ ...keywords, $schema: 'http://json-schema.org/draft-07/schema#' })
}

const rewritten = (schema: JsonMap): JsonMap => {
  if (typeof schema.$ref === 'string' && Object.hasOwn(schema, 'definitions') === false) return { $ref: schema.$ref }
  return Object.fromEntries(
    Object.entries(withNumericBounds(schema)).map(([key, value]) => [key, rewrittenValue(value)]),
  )
}

const rewrittenValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(rewrittenValue)
  return isMap(value) ? rewritten(value) : value
}

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const

const withNumericBounds = (schema: JsonMap): JsonMap => {
  const changed = { ...schema }
  for (const [bound, flag] of bounds) {
    if (typeof schema[flag] !== 'boolean') continue
    delete changed[flag]
    if (!schema[flag]) continue
    delete changed[bound]
    changed[flag] = schema[bound]
  }
  return changed
}
