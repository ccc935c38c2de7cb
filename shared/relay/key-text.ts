// Parses keys in text form (`apps/web`), which queues and caches use, and validates keys from the network.
import { isMap, isText } from '../core/json/json.ts'
import type { Key } from '../core/objects/object.ts'

/** The inverse of keyText: `apps/web`, or `web` without a namespace. */
export const keyIn = (text: string): Key => {
  const slash = text.indexOf('/')
  return slash < 0 ? { namespace: '', name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) }
}

export const isKey = (value: unknown): value is Key =>
  isMap(value) && typeof value.namespace === 'string' && isText(value.name)
