// Access to plain JSON values. Stored values are shared and never changed: a change makes a new record that shares the unchanged parts.
import { valueAt as at, own, put, withValueAt as withAt, withField } from '../core/json/fields.ts'
import { canonicalJson, isMap, type JsonMap, mapOrEmpty, mapsIn, parsedJson, sameJson } from '../core/json/json.ts'
import { isBeyond } from '../core/json/json-bounds.ts'

export { at, canonicalJson, isMap, type JsonMap, mapOrEmpty, mapsIn, own, parsedJson, put, sameJson, withAt, withField }

export const withoutField = (fields: JsonMap, key: string): JsonMap => {
  if (!Object.hasOwn(fields, key)) return fields
  const { [key]: _, ...rest } = fields
  return rest
}

export const fieldsAt = (value: unknown, ...path: string[]): JsonMap | undefined => {
  const found = at(value, ...path)
  return isMap(found) ? found : undefined
}

export const textAt = (value: unknown, ...path: string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export const listAt = (value: unknown, ...path: string[]): unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

export const mapsAt = (value: unknown, ...path: string[]): JsonMap[] => mapsIn(at(value, ...path))

export const listsOrAll = (rule: JsonMap, field: string, value: string): boolean => {
  const list = listAt(rule, field)
  return list.includes('*') || list.includes(value)
}

export const numberAt = (value: unknown, path: readonly string[], fallback = 0): number => {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : fallback
}

const deepest = 1000

/** Whether a JSON text nests deeper than any object may. The length is checked first, because most bodies are shorter than the limit. */
export const isTooDeep = (text: string): boolean =>
  text.length > deepest && isBeyond(Buffer.from(text), { depth: deepest, values: Number.POSITIVE_INFINITY })

/** The value as Go prints it. */
export const goText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (!isMap(value)) return value === null ? '<nil>' : String(value)
  const names = Object.keys(value).sort()
  return `map[${names.map(name => `${name}:${goText(value[name])}`).join(' ')}]`
}
