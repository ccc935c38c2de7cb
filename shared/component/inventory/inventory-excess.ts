// Whether a status can hold an inventory. An API server stores no object of more than 1.5 MiB: a longer inventory could never be saved,
// and with it nothing that would say so, so it is a fault of the manifests.
import type { Item } from './item.ts'
import { storedItems } from './stored-inventory.ts'

/** What else is in the object has half a MiB. */
const bytesMost = 2 ** 20

/** So many take less, however long their names are. */
const harmless = 1_000

/** Of the fields that come once an object is applied. */
const bytesLater = 100

/** undefined: they have room. */
export const inventoryExcess = (items: readonly Item[]): string | undefined => {
  if (items.length <= harmless) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(storedItems(items))) + items.length * bytesLater
  if (bytes <= bytesMost) return undefined
  return `${items.length} objects, with those that are still to be deleted, are more than a status can name: use several components`
}
