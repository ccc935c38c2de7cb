// Plain JSON values: reading and changing them without being fooled by keys like `__proto__`. Stored values are shared
// and never changed in place: every change makes a new record around what stays the same.
import { own, put, same } from '../core/fields.ts'

export { own, put, same }

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const withField = (fields: Fields | undefined, key: string, value: unknown): Fields => {
  const changed = { ...fields }
  put(changed, key, value)
  return changed
}

export const withoutField = (fields: Fields, key: string): Fields => {
  if (!Object.hasOwn(fields, key)) return fields
  const { [key]: _, ...rest } = fields
  return rest
}

/** What lies at a path of own keys; undefined when any part is missing. */
export const at = (value: unknown, ...path: string[]): unknown => {
  let current = value
  for (const key of path) {
    if (!isFields(current)) return undefined
    current = own(current, key)
  }
  return current
}

export const fieldsAt = (value: unknown, ...path: string[]): Fields | undefined => {
  const found = at(value, ...path)
  return isFields(found) ? found : undefined
}

export const textAt = (value: unknown, ...path: string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

export const listAt = (value: unknown, ...path: string[]): unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A number, or the fallback when there is none. */
export const numberAt = (value: unknown, path: readonly string[], fallback = 0): number => {
  const found = at(value, ...path)
  return typeof found === 'number' ? found : fallback
}

/** The record with another value at a path; missing records on the way are made. */
export const withAt = (fields: Fields | undefined, path: readonly string[], value: unknown): Fields => {
  const [key = '', ...rest] = path
  return withField(fields, key, rest.length ? withAt(fieldsAt(fields, key), rest, value) : value)
}

/** JSON with sorted keys: one spelling for equal values. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isFields(value)) return JSON.stringify(value)
  const entries = Object.keys(value).sort()
  return `{${entries.map(key => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

const deepest = 1000

/** Whether a JSON text nests deeper than any object we take. Cheap: most bodies are shorter than that. */
export const isTooDeep = (text: string): boolean => {
  if (text.length <= deepest) return false
  let depth = 0
  let isInString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (isInString) {
      if (code === 92) index++
      else if (code === 34) isInString = false
    } else if (code === 34) isInString = true
    else if (code === 123 || code === 91) {
      if (++depth > deepest) return true
    } else if (code === 125 || code === 93) depth--
  }
  return false
}
