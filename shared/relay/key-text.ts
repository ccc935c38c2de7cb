// Keys as one string (`apps/web`), as queues and caches hold them, and the check of keys that come over the network.
import { isMap, isText } from '../core/json/json.ts'
import type { Key } from '../core/objects/object.ts'

/** The key in a text of keyText (shared/core/objects/object.ts): `apps/web`, or `web` without a namespace. */
export const keyIn = (text: string): Key => {
  const slash = text.indexOf('/')
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

export const isKey = (value: unknown): value is Key =>
  isMap(value) && typeof value.namespace === 'string' && isText(value.name)
