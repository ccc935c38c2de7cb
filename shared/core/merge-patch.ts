// JSON merge patch (RFC 7386), so that what a write would change is known before it is sent.

import { isMap } from './json.ts'

/** The document after the patch; the document itself is not touched. */
export const mergePatched = (document: unknown, patch: unknown): unknown => {
  if (!isMap(patch)) return patch
  const entries = new Map(isMap(document) ? Object.entries(document) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key)
    else entries.set(key, mergePatched(entries.get(key), value))
  }
  return Object.fromEntries(entries)
}
