// Applies, makes and joins JSON merge patches (RFC 7386).
import { isDeepStrictEqual } from 'node:util'
import { isMap, type JsonMap } from './json.ts'

export const mergePatched = (document: unknown, patch: unknown): unknown => {
  if (!isMap(patch)) return patch
  const entries = new Map(isMap(document) ? Object.entries(document) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key)
    else entries.set(key, mergePatched(entries.get(key), value))
  }
  return Object.fromEntries(entries)
}

export const mergePatchTo = (before: unknown, after: unknown): unknown => {
  if (!isMap(before) || !isMap(after)) return after
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const fields = new Set([...old.keys(), ...wanted.keys()])
  return Object.fromEntries(
    [...fields].flatMap(field => {
      const [from, to] = [old.get(field), wanted.get(field)]
      if (isDeepStrictEqual(from, to)) return []
      return [[field, to === undefined ? null : mergePatchTo(from, to)]]
    }),
  )
}

/**
 * Joins two patches that are applied one after the other. The second patch must not set a map where the first patch removes a field or sets
 * a value other than a map.
 */
export const mergedPatches = (first: JsonMap, second: JsonMap): JsonMap => {
  const all = new Map(Object.entries(first))
  for (const [field, value] of Object.entries(second)) {
    const before = all.get(field)
    all.set(field, isMap(before) && isMap(value) ? mergedPatches(before, value) : value)
  }
  return Object.fromEntries(all)
}
