// Plans a component that is not being deleted: keeps its dependents as declared. When all dependents are ready, objects that are no longer
// declared are removed.
import { type Dependent, isRegular } from '../declared/dependent.ts'
import { survivalFaults } from '../declared/order-faults.ts'
import { type Item, itemKey, refOfItem, storedItems } from '../inventory/item.ts'
import { inOrder, updatedInventory } from '../inventory/updated-inventory.ts'
import { adoptionFault } from '../observed/adoption.ts'
import { removeItems } from '../removed/removal.ts'
import { type Draft, isDone, noProgress, type Progress, plainFault, together } from '../reported/progress.ts'
import type { World } from '../world.ts'
import { keepWaveByWave } from './wave-by-wave.ts'

export const applying = (world: World, declared: readonly Dependent[], now: Date): Draft => {
  const dependents = declared.filter(isRegular)
  const refusals = [...adoptionRefusals(dependents, world), ...survivalFaults(dependents, world)]
  if (refusals.length > 0) return refused(world, refusals)
  const { items, hasAdded, hasChanged } = updatedInventory(dependents, world)
  const excess = hasAdded && inventoryExcess(items)
  if (excess) return refused(world, [excess])
  if (hasAdded) return { hasChanged, progress: { ...noProgress, items, mustSave: true } }
  const kept = keepWaveByWave({ world, now, dependents, items: new Map(items.map(item => [itemKey(item), item])) })
  const progress = together([kept, leftovers(items, kept, world)])
  return { hasChanged, progress: { ...progress, items: inOrder(progress.items, world) } }
}

const refused = ({ items }: World, faults: readonly string[]): Draft => ({
  hasChanged: false,
  progress: { ...noProgress, items, errors: faults.map(plainFault) },
})

/** Faults of new dependents whose objects exist and must not be adopted. */
const adoptionRefusals = (dependents: readonly Dependent[], world: World): string[] => {
  const known = new Set(world.items.map(itemKey))
  return dependents.flatMap(({ key, policies }) => {
    const live = known.has(key) ? undefined : world.observed.live.get(key)
    return (live && adoptionFault(live, policies.adoptionPolicy, world)) ?? []
  })
}

const leftovers = (items: readonly Item[], kept: Progress, world: World): Progress => {
  const keys = new Set(kept.items.map(itemKey))
  const left = items.filter(item => !keys.has(itemKey(item)))
  return isDone(kept) ? removeItems({ world, items: left, staying: kept.items }) : notYet(left)
}

const notYet = (items: readonly Item[]): Progress => ({
  ...noProgress,
  items,
  redundant: items.map(item => ({ ref: refOfItem(item), message: 'waits until all other dependents are ready' })),
})

// Checks whether the inventory fits into the status, because an API server stores no object above 1.5 MiB. Too many manifests are reported
// as a fault, because the inventory could never be saved.
/** Leaves half a MiB for the rest of the object. */
const bytesMost = 2 ** 20

/** An inventory with at most this many items always fits. */
const harmless = 1_000

/** Space per item for fields that are added when the object is applied. */
const bytesLater = 100

const inventoryExcess = (items: readonly Item[]): string | undefined => {
  if (items.length <= harmless) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(storedItems(items))) + items.length * bytesLater
  if (bytes <= bytesMost) return undefined
  return `${items.length} objects, including those that are still being deleted, do not fit into the status: split the component`
}
