// Reads which other Manifests list objects of this one, too: its sharers. Example: two modules bring the definition of one kind. The
// Manifest whose label the definition bears is its owner, the other one a sharer, which gets it when the owner drops it.
import { dependentOfItem } from '../../../shared/component/declared/declared-dependents.ts'
import { ownerBeside } from '../../../shared/component/declared/owner.ts'
import { type ItemKey, itemKey } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isDeleting, keyOf } from '../../../shared/core/objects/object.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { kymaNameOf } from '../../../shared/kyma/labels.ts'
import { isDefaultObject } from '../desired/module-objects.ts'
import { isNamespace } from '../rules/removal.ts'
import { isChanging, isLeaving, isLiving, isSameModule, type SharedObjects, type Sharer } from '../rules/sharers.ts'
import { kymasHere, type Looking, neighboursOf, noNeighbours } from './neighbours.ts'
import { customObjectsOfOwners, type Left, ownersOf } from './owners.ts'

/** Nothing is read where all objects are ours and none of them is to go. */
export const sharedObjects = async (world: World, looking: Looking): Promise<SharedObjects> => {
  const foreign = [...world.observed.live.values()].filter(object => possessionOf(object, world) === 'foreign')
  const [owners, neighbours] = await Promise.all([
    ownersOf([...foreign, ...(await customObjectsOfOwners(world, looking))], world, looking),
    isAnyToGo(world, looking) ? neighboursOf(looking) : noNeighbours,
  ])
  const { living, leaving } = await sharersAmong([...owners.manifests, ...neighbours.manifests], world, looking)
  const listed = living.flatMap(({ other, lists }) =>
    lists.map(key => ({ key, owner: ownerBeside(world.owner, keyOf(other)) })),
  )
  const shared = Map.groupBy([...listed, ...owners.unasked], ({ key }) => key)
  return {
    shared: new Map([...shared].map(([key, all]) => [key, all.map(({ owner }) => owner)])),
    ...leftAmong(owners.left, living),
    successors: living.filter(({ other }) => isSameModule(other, looking.manifest)),
    leaving,
    inhabited: new Set([...living.flatMap(({ inhabits }) => inhabits), ...namespacesAmong(neighbours.places, world)]),
  }
}

/**
 * Objects that this Manifest left to a sharer, its heir, which has not written them yet. They are still ours where the heir is gone, no longer
 * lists them, or has a new layer to install (`unsettled`), which may be without them. The heir may have looked at the cluster last before
 * they were its own, so nobody else would delete them.
 */
const leftAmong = (
  left: readonly Left[],
  living: readonly Sharer[],
): Pick<SharedObjects, 'stillOurs' | 'unsettled'> => {
  const heirs = left.map(({ key, to }) => ({
    key,
    heir: living.find(({ other, lists }) => other.metadata.name === to && lists.includes(key)),
  }))
  const unsettled = heirs.flatMap(({ key, heir }) =>
    heir?.ofLayer.includes(key) && isChanging(heir.other) ? [[key, heir] as const] : [],
  )
  const lost = heirs.filter(({ heir }) => heir === undefined).map(({ key }) => key)
  return { unsettled: new Map(unsettled), stillOurs: new Set([...lost, ...unsettled.map(([key]) => key)]) }
}

const isAnyToGo = (world: World, { manifest }: Looking): boolean => {
  const dependentOf = dependentOfItem(world)
  return isDeleting(manifest) || world.items.some(item => dependentOf(item) === undefined)
}

/** `living`: they and their Kymas stay; those that are at rest first, and of these those of the same Kyma. */
const sharersAmong = async (found: readonly Manifest[], world: World, looking: Looking) => {
  const others = new Map(found.map(one => [one.metadata.name, one]))
  const sharers = [...others.values()]
    .filter(other => isLiving(other, looking.manifest) || isLeaving(other, looking.manifest))
    .map(other => sharerIn(world, other))
    .filter(({ lists, inhabits }) => lists.length + inhabits.length > 0)
  const kymas = await kymasHere(new Set(sharers.map(({ other }) => kymaNameOf(other))), looking)
  const here = kymas.flatMap(({ name, isGoing }) =>
    sharers.filter(({ other }) => kymaNameOf(other) === name).map(sharer => ({ ...sharer, isGoing })),
  )
  return {
    living: here
      .filter(({ other, isGoing }) => !isGoing && !isDeleting(other))
      .sort((a, b) => Number(isChanging(a.other)) - Number(isChanging(b.other))),
    leaving: here.filter(({ other }) => isDeleting(other)),
  }
}

const sharerIn = (world: World, other: Manifest): Sharer => {
  const theirs = itemsOf(other.status?.synced)
  const keys = new Set(theirs.map(itemKey))
  return {
    other,
    lists: world.items.filter(item => keys.has(itemKey(item)) || isDefaultObject(item, other)).map(itemKey),
    ofLayer: world.items.map(itemKey).filter(key => keys.has(key)),
    inhabits: namespacesAmong(new Set(theirs.map(({ namespace }) => namespace)), world),
  }
}

const namespacesAmong = (places: ReadonlySet<string>, { items }: World): ItemKey[] =>
  items.filter(item => isNamespace(item) && places.has(item.name)).map(itemKey)
