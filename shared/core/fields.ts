// Reading and changing records that came from outside without being fooled by keys like `__proto__`.
import type { JsonMap } from './json.ts'

/** The record's own value of a key: nothing inherited. */
export const own = (fields: Readonly<JsonMap> | undefined, key: string): unknown =>
  fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined

/** Sets a key in a record that nobody else holds yet, `__proto__` included. */
export const put = (fields: JsonMap, key: string, value: unknown): void => {
  if (key === '__proto__')
    Object.defineProperty(fields, key, { value, enumerable: true, configurable: true, writable: true })
  else fields[key] = value
}
