// The inventory as status.inventory holds it. Fields at their default are left out, since a thousand items must fit into one
// object.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import type { Item } from './item.ts'

/** The defaults of fields that a stored item leaves out. Other fields are always stored. */
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

/** The items without fields that are at their default. */
export const storedItems = (items: readonly Item[]): JsonMap[] => items.map(storedItem)

const storedItem = (item: Item): JsonMap => Object.fromEntries(Object.entries(item).filter(isStored))

const isStored = ([field, value]: [string, unknown]): boolean =>
  Array.isArray(value) ? value.length > 0 : (defaults as JsonMap)[field] !== value
