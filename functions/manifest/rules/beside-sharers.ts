// Combines the objects of a Manifest with its sharers: how each object is removed, and whether users' custom objects block the removal.
// Example: another module lists the same definition and operator, so users need not delete their custom objects first.

import { type Item, type ItemKey, itemKey } from '../../../shared/component/item.ts'
import { ownerHashOf, possessionOf } from '../../../shared/component/ownership.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { isDefinedByOthers, isDefinition } from './definitions-of-others.ts'
import { asRemoved, isGroundKept } from './removal.ts'
import type { SharedObjects, Sharer } from './sharers.ts'

type Beside = {
  readonly manifest: Manifest
  /** The namespace of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
}

export const besideSharers = (alone: World, sharing: SharedObjects, beside: Beside): World => {
  const { shared, stillOurs, successors } = sharing
  const isDefault = (item: Item): boolean => itemKey(item) === beside.defaultKey
  const hasStrangersKind = isOfStrangersKind(alone, beside)
  const items = alone.items
    // If the definition is not ours, the default object is not ours either, unless it has our label.
    .filter(item => !(hasStrangersKind && isDefault(item)) || isLabelled(item, alone))
    .map(item => asRemoved(isDefault(item) ? asFound(item, alone) : item, { ...beside, ...sharing }))
  const world = { ...alone, shared, stillOurs, items }
  const waitsForNone =
    hasStrangersKind || isGroundKept(items, world) || successors.some(one => keepsDefinitions(one, items))
  return waitsForNone ? { ...world, settings: { ...world.settings, deletionBlockers: 'none' } } : world
}

/** The definition of the default object's kind is not ours. */
const isOfStrangersKind = (world: World, { manifest, defaultKey }: Beside): boolean =>
  isDeleting(manifest) && world.items.some(item => itemKey(item) === defaultKey && isDefinedByOthers(item, world))

/** The successor lists all definitions, so its own operator handles the custom objects. */
const keepsDefinitions = ({ lists }: Sharer, items: readonly Item[]): boolean =>
  items.filter(isDefinition).every(item => lists.includes(itemKey(item)))

const isLabelled = (item: Item, { observed, settings, owner }: World): boolean => {
  const live = observed.live.get(itemKey(item))
  return live !== undefined && ownerHashOf(live, settings.reconcilerName) === owner.hash
}

/** A default object of another owner counts as not applied. If the owner disappears, the Manifest can then take the object over. */
const asFound = (item: Item, world: World): Item => {
  const live = world.observed.live.get(itemKey(item))
  if (live === undefined || possessionOf(live, world) !== 'foreign') return item
  return { ...item, phase: 'ScheduledForApplication', status: 'InProgress', lastAppliedAt: '' }
}
