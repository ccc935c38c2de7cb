// Functions for defaults. A draft is a fresh record of one request, so it is changed in place.
import { isMap, type JsonMap } from '../value.ts'

export const fill = (draft: JsonMap, defaults: JsonMap): void => {
  for (const [field, value] of Object.entries(defaults))
    if (draft[field] === undefined || draft[field] === null) draft[field] = value
}

export const inner = (draft: JsonMap | undefined, field: string): JsonMap | undefined => {
  const value = draft?.[field]
  return isMap(value) ? value : undefined
}

export const ensured = (draft: JsonMap, field: string): JsonMap => {
  const found = inner(draft, field)
  if (found) return found
  const made: JsonMap = {}
  draft[field] = made
  return made
}

export const each = (draft: JsonMap | undefined, field: string): JsonMap[] => {
  const value = draft?.[field]
  return Array.isArray(value) ? value.filter(isMap) : []
}
