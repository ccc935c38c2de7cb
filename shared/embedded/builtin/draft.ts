// Small words for writing defaults: drafts are fresh records that belong to one request, so they are changed in place.
import { isMap, type JsonMap } from '../value.ts'

/** Sets a field that is absent. */
export const orElse = (draft: JsonMap, field: string, value: unknown): void => {
  if (draft[field] === undefined || draft[field] === null) draft[field] = value
}

/** The record in a field; undefined when there is none. */
export const inner = (draft: JsonMap | undefined, field: string): JsonMap | undefined => {
  const value = draft?.[field]
  return isMap(value) ? value : undefined
}

/** The record in a field, made when there is none. */
export const ensured = (draft: JsonMap, field: string): JsonMap => {
  const found = inner(draft, field)
  if (found) return found
  const made: JsonMap = {}
  draft[field] = made
  return made
}

/** The records of a list field. */
export const each = (draft: JsonMap | undefined, field: string): JsonMap[] => {
  const value = draft?.[field]
  return Array.isArray(value) ? value.filter(isMap) : []
}
