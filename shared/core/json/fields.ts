// Reads and changes untrusted records safely, even with keys like `__proto__`.
//
//   valueAt({ spec: { dns: { ttl: 5 } } }, 'spec', 'dns', 'ttl') // 5
//   withValueAt({ spec: {} }, ['spec', 'dns', 'ttl'], 5) // { spec: { dns: { ttl: 5 } } }
import { isMap, type JsonMap } from './json.ts'

/** The record's own value of a key, never an inherited value. */
export const own = (fields: Readonly<JsonMap> | undefined, key: string): unknown =>
  fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined

/** Sets a key, also `__proto__`, in a record that no other code holds yet. */
export const put = (fields: JsonMap, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  else fields[key] = value
}

/** The value at a path of own fields; undefined when a field on the path is missing. */
export const valueAt = (value: unknown, ...path: readonly string[]): unknown => {
  let current = value
  for (const field of path) {
    if (!isMap(current)) return undefined
    current = own(current, field)
  }
  return current
}

export const withField = (fields: JsonMap | undefined, key: string, value: unknown): JsonMap => {
  const changed = { ...fields }
  put(changed, key, value)
  return changed
}

export const withValueAt = (fields: JsonMap | undefined, path: readonly string[], value: unknown): JsonMap => {
  const [field = '', ...rest] = path
  if (rest.length === 0) return withField(fields, field, value)
  const inner = own(fields, field)
  return withField(fields, field, withValueAt(isMap(inner) ? inner : undefined, rest, value))
}
