// One value of an overlay, laid over an object.
import { own, withField } from '../../../../shared/core/json/fields.ts'
import { isMap, type JsonMap } from '../../../../shared/core/json/json.ts'

/** A changed copy. Missing maps on the path are created; null removes the field. undefined: on the path is something that is not a map. */
export const overlaid = (object: JsonMap, path: string, value: unknown): JsonMap | undefined =>
  laid(object, fieldsOf(path), value)

/** `['metadata', 'labels', 'a.example/b']` of `metadata.labels.a\.example/b`. */
const fieldsOf = (path: string): string[] => path.split(/(?<!\\)\./).map(field => field.replaceAll('\\.', '.'))

const laid = (map: JsonMap, [field = '', ...rest]: readonly string[], value: unknown): JsonMap | undefined => {
  if (rest.length === 0) return value === null ? without(map, field) : withField(map, field, value)
  const inner = own(map, field) ?? {}
  if (!isMap(inner)) return undefined
  if (value === null && !Object.hasOwn(map, field)) return map
  const changed = laid(inner, rest, value)
  return changed && withField(map, field, changed)
}

const without = (map: JsonMap, field: string): JsonMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => key !== field))
