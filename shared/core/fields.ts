// Reading and changing records that came from outside without being fooled by keys like `__proto__`.
import { isMap, type JsonMap } from './json.ts'

/** The record's own value of a key: nothing inherited. */
export const own = (fields: Readonly<JsonMap> | undefined, key: string): unknown =>
  fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined

/** Sets a key in a record that nobody else holds yet, `__proto__` included. */
export const put = (fields: JsonMap, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  else fields[key] = value
}

/** Deep equality of JSON values; the order of keys does not count. */
export const same = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, index) => same(item, right[index]))
  if (!isMap(left) || !isMap(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && same(left[key], right[key]))
  )
}
