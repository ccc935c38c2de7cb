// Names the elements of lists that have identity: by key fields, or by value in sets.
import { canonicalJson, isMap, own } from '../value.ts'
import type { ListShape } from './shape.ts'

/** A list that structured merge cannot take apart; the message is for the caller. */
export class ElementError extends Error {}

export const elementKey = (shape: ListShape, item: unknown, index: number): string => {
  if (shape.isAtomic) return `i:${index}`
  if (!shape.keys) return setKey(item, index)
  if (item === null) throw new ElementError(`element ${index}: associative list with keys may not have a null element`)
  if (!isMap(item)) throw new ElementError(`element ${index}: associative list with keys may not have non-map elements`)
  const keys: Record<string, unknown> = {}
  for (const { name, absent } of shape.keys) {
    const value = own(item, name) ?? absent
    if (value !== undefined) keys[name] = value
  }
  if (Object.keys(keys).length === 0) {
    const names = shape.keys.map(({ name }) => JSON.stringify(name)).join(' ')
    throw new ElementError(
      `element ${index}: associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    )
  }
  return `k:${canonicalJson(keys)}`
}

const setKey = (item: unknown, index: number): string => {
  if (isMap(item))
    throw new ElementError(`element ${index}: associative list without keys has an element that's a map type`)
  if (Array.isArray(item))
    throw new ElementError(`element ${index}: not supported: associative list with lists as elements`)
  if (item === null)
    throw new ElementError(`element ${index}: associative list without keys has an element that's an explicit null`)
  return `v:${JSON.stringify(item)}`
}

export type Indexed = {
  readonly order: readonly string[]
  readonly items: ReadonlyMap<string, unknown>
  readonly repeated: ReadonlySet<string>
}

/** A list's items by their path elements; of a repeated one the first counts. */
export const indexed = (shape: ListShape, list: readonly unknown[]): Indexed => {
  const items = new Map<string, unknown>()
  const repeated = new Set<string>()
  const order: string[] = []
  for (const [index, item] of list.entries()) {
    const key = elementKey(shape, item, index)
    order.push(key)
    if (items.has(key)) repeated.add(key)
    else items.set(key, item)
  }
  return { order, items, repeated }
}
