// Updates the inventory from the manifests before any write: adds new items, schedules changed items for application, and schedules
// undeclared items for deletion.
import type { Dependent } from './declared/dependent.ts'
import { typeOf } from './declared/kinds.ts'
import { type Item, type ItemKey, itemKey, keptPolicies, wasApplied } from './item.ts'
import { deletePriorityOf } from './settings.ts'
import type { World } from './world.ts'

type UpdatedInventory = {
  readonly items: readonly Item[]
  readonly hasAdded: boolean
  readonly hasChanged: boolean
}

export const updatedInventory = (dependents: readonly Dependent[], world: World): UpdatedInventory => {
  const before = new Map(world.items.map(item => [itemKey(item), item]))
  const wanted = new Set(dependents.map(({ key }) => key))
  const kept = dependents.map(dependent => booked(dependent, before.get(dependent.key), world))
  const left = world.items.filter(item => !wanted.has(itemKey(item)))
  const items = [...kept, ...left.map(leaving)]
  return {
    items: inOrder(items, world),
    hasAdded: dependents.some(({ key }) => !before.has(key)),
    hasChanged:
      items.length !== world.items.length || items.some(item => item.digest !== before.get(itemKey(item))?.digest),
  }
}

const booked = (dependent: Dependent, before: Item | undefined, { observed }: World): Item => {
  const item = itemFor(dependent)
  // The object exists and may have another owner, so it is read again before a write.
  if (before === undefined || isFoundOnly(before))
    return observed.live.has(dependent.key) ? { ...item, status: 'Unknown' } : item
  const { fingerprint, lastAppliedAt, phase, status } = before
  const isUnchanged = before.digest === item.digest
  return { ...item, fingerprint, lastAppliedAt, ...(isUnchanged && { phase, status }) }
}

/** Whether the function found the object in the cluster and no manifest has declared the object yet. */
const isFoundOnly = (item: Item): boolean => item.digest === '' && !wasApplied(item)

const leaving = (item: Item): Item => ({
  ...item,
  digest: '',
  phase: item.phase === 'Deleting' ? 'Deleting' : 'ScheduledForDeletion',
  status: 'Terminating',
})

export const inOrder = (items: readonly Item[], { settings }: World): Item[] =>
  items
    .map(item => ({ item, key: itemKey(item), priority: deletePriorityOf(item, settings) }))
    .sort((a, b) => a.item.deleteOrder - b.item.deleteOrder || a.priority - b.priority || compared(a.key, b.key))
    .map(({ item }) => item)

const compared = (a: ItemKey, b: ItemKey): number => (a < b ? -1 : a > b ? 1 : 0)

const itemFor = ({ object, policies, managedTypes, digest }: Dependent): Item => {
  const { group, version, kind } = typeOf(object)
  return {
    group,
    version,
    kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    ...keptPolicies(policies),
    managedTypes,
    digest,
    fingerprint: '',
    phase: 'ScheduledForApplication',
    status: 'InProgress',
    lastAppliedAt: '',
  }
}
