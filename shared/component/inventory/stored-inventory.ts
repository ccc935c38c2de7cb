// The inventory as status.inventory holds it: a list of maps from which whatever is at its default is left out, because a
// thousand of them must fit into one object.
import { isMap, type JsonMap } from '../../core/json.ts'
import type { Item } from './item.ts'

/** What a stored item means where it says nothing. The fields that are not here are always told. */
const defaults: Omit<Item, 'version' | 'kind' | 'name' | 'phase'> = {
  group: '',
  namespace: '',
  adoptionPolicy: 'IfUnowned',
  reconcilePolicy: 'OnObjectChange',
  updatePolicy: 'Replace',
  deletePolicy: 'Delete',
  applyOrder: 0,
  deleteOrder: 0,
  managedTypes: [],
  digest: '',
  fingerprint: '',
  status: '',
  lastAppliedAt: '',
}

/** The items of a stored inventory; absent or empty: none. */
export const itemsOf = (stored: unknown): Item[] =>
  Array.isArray(stored) ? stored.filter(isMap).map(entry => ({ ...defaults, ...(entry as Partial<Item>) }) as Item) : []

/** What is stored of the items. */
export const storedItems = (items: readonly Item[]): JsonMap[] => items.map(storedItem)

const storedItem = (item: Item): JsonMap => Object.fromEntries(Object.entries(item).filter(isTold))

const isTold = ([field, value]: [string, unknown]): boolean =>
  Array.isArray(value) ? value.length > 0 : (defaults as JsonMap)[field] !== value
