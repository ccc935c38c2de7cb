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

/** `nonDefault`: without fields that are at their default. `all`: with those that definitions of component-operator-runtime require. */
export type InventoryFields = 'nonDefault' | 'all'

const required: readonly string[] = [
  'group',
  'adoptionPolicy',
  'reconcilePolicy',
  'updatePolicy',
  'deletePolicy',
  'applyOrder',
  'deleteOrder',
  'digest',
]

export const storedItems = (items: readonly Item[], fields: InventoryFields = 'nonDefault'): JsonMap[] =>
  items.map(item => Object.fromEntries(Object.entries(item).filter(entry => isStored(entry, fields))))

const isStored = ([field, value]: [string, unknown], fields: InventoryFields): boolean => {
  if (fields === 'all' && required.includes(field)) return true
  return Array.isArray(value) ? value.length > 0 : (defaults as JsonMap)[field] !== value
}
