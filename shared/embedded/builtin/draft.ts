// Small words for writing defaults: drafts are fresh records that belong to one request, so they are changed in place.
import { type Fields, isFields } from '../value.ts'

/** Sets a field that is absent. */
export const orElse = (draft: Fields, field: string, value: unknown): void => {
  if (draft[field] === undefined || draft[field] === null) draft[field] = value
}

/** The record in a field; undefined when there is none. */
export const inner = (draft: Fields | undefined, field: string): Fields | undefined => {
  const value = draft?.[field]
  return isFields(value) ? value : undefined
}

/** The record in a field, made when there is none. */
export const ensured = (draft: Fields, field: string): Fields => {
  const found = inner(draft, field)
  if (found) return found
  const made: Fields = {}
  draft[field] = made
  return made
}

/** The records of a list field. */
export const each = (draft: Fields | undefined, field: string): Fields[] => {
  const value = draft?.[field]
  return Array.isArray(value) ? value.filter(isFields) : []
}
