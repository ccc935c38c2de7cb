// JSON values as CEL sees them: integers are big, times are times, and a property whose name CEL cannot spell is renamed.
// A rule sees only the fields of the schema.
import { evaluate } from '@marcbachmann/cel-js'
import type { Schema } from '../kinds/schema.ts'
import { isMap, type JsonMap, put } from '../value.ts'

const keywords = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** A property's name in an expression. */
export const escaped = (name: string): string => {
  if (keywords.has(name)) return `__${name}__`
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}

const text: Schema = { type: 'string' }

/** The schema of a whole object as rules see it: they always see what it is and what it is called. */
export const withHead = (schema: Schema): Schema => {
  const { metadata } = schema.properties ?? {}
  const names = { ...metadata?.properties, name: text, generateName: text }
  const head = { apiVersion: text, kind: text, metadata: { type: 'object', ...metadata, properties: names } }
  return { ...schema, type: 'object', properties: { ...schema.properties, ...head } }
}

export const isWhole = (schema: Schema | undefined): boolean => schema?.['x-kubernetes-embedded-resource'] === true

/** Formats whose strings are other types in CEL. */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  byte: text => Uint8Array.from(Buffer.from(text, 'base64')),
  date: text => new Date(text),
  'date-time': text => new Date(text),
  duration: text => evaluate('duration(text)', { text }),
}

/** A value of that schema; without a schema, whatever it is. */
export const celValue = (value: unknown, schema: Schema | undefined): unknown => {
  if (Array.isArray(value)) return value.map(item => celValue(item, schema?.items))
  if (isMap(value)) return celFields(value, schema && isWhole(schema) ? withHead(schema) : schema)
  if (typeof value === 'number') return celNumber(value, schema)
  if (typeof value === 'string' && schema?.format) return formats[schema.format]?.(value) ?? value
  return value
}

const celNumber = (value: number, schema: Schema | undefined): bigint | number =>
  schema?.type !== 'number' && Number.isSafeInteger(value) ? BigInt(value) : value

const celFields = (fields: JsonMap, schema: Schema | undefined): JsonMap => {
  const properties = schema?.properties
  const rest = schema?.additionalProperties
  const isOpen = !properties || schema?.['x-kubernetes-preserve-unknown-fields'] === true
  const result: JsonMap = {}
  for (const [key, value] of Object.entries(fields)) {
    const property = properties && Object.hasOwn(properties, key) ? properties[key] : undefined
    if (property) put(result, escaped(key), celValue(value, property))
    else if (isOpen) put(result, key, celValue(value, typeof rest === 'object' ? rest : undefined))
  }
  return result
}
