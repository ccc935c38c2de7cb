// Inspects parsed JSON: types, equality, and the canonical text of a value.
//
//   mapOrEmpty(object.spec).replicas // undefined, too, where spec is missing or no map
//   mapsIn(pod.spec.containers) // [] where containers is missing, or text
//   sameJson({ a: 1, b: undefined }, { a: 1 }) // true: a field that is undefined is not sent
//   canonicalJson({ b: 2, a: 1 }) // '{"a":1,"b":2}'

export type JsonMap = Record<string, unknown>

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const mapOrEmpty = (value: unknown): JsonMap => (isMap(value) ? value : {})

export const mapsIn = (value: unknown): JsonMap[] => (Array.isArray(value) ? value.filter(isMap) : [])

/** undefined when the text is not JSON. */
export const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const numberIn = (map: JsonMap, field: string): number | undefined => {
  const value = map[field]
  return typeof value === 'number' ? value : undefined
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** A string unchanged, other values as JSON. String() would throw for an object with a field `toString`. */
export const shownText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))

/** JSON with sorted keys and without spaces: the same text for equal content. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isMap(value)) return JSON.stringify(value) ?? 'null'
  const fields = sentFields(value).sort()
  return `{${fields.map(field => `${JSON.stringify(field)}:${canonicalJson(value[field])}`).join()}}`
}

export const sameJson = (left: unknown, right: unknown): boolean => {
  if (left === right) return true
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, i) => sameJson(item, right[i]))
  if (!isMap(left) || !isMap(right)) return false
  const fields = sentFields(left)
  return (
    fields.length === sentFields(right).length &&
    fields.every(field => Object.hasOwn(right, field) && sameJson(left[field], right[field]))
  )
}

/** The fields that JSON.stringify writes: all fields with a value other than undefined. */
export const sentFields = (map: JsonMap): string[] => Object.keys(map).filter(field => map[field] !== undefined)
