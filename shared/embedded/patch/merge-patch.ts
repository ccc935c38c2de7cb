// JSON merge patch (RFC 7386).
import { type Fields, isFields, own, put } from '../value.ts'

export const mergePatched = (target: unknown, patch: unknown): unknown => {
  if (!isFields(patch)) return patch
  const result: Fields = {}
  const before = isFields(target) ? target : {}
  for (const [key, value] of Object.entries(before)) if (!Object.hasOwn(patch, key)) put(result, key, value)
  for (const [key, value] of Object.entries(patch))
    if (value !== null) put(result, key, mergePatched(own(before, key), value))
  return result
}
