// Equality of JSON values, as the API server would see them: a field that is undefined is a field that is not sent.
import { isMap, type JsonMap } from '../core/json.ts'

export const sameJson = (a: unknown, b: unknown): boolean => {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  if (isMap(a) && isMap(b)) return sameMap(a, b)
  return Object.is(a, b)
}

const sameMap = (a: JsonMap, b: JsonMap): boolean => {
  const fields = fieldsOf(a)
  return (
    fields.length === fieldsOf(b).length &&
    fields.every(field => Object.hasOwn(b, field) && sameJson(a[field], b[field]))
  )
}

/** The fields that are sent. */
export const fieldsOf = (map: JsonMap): string[] => Object.keys(map).filter(field => map[field] !== undefined)
