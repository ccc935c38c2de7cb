// For kinds whose inventory adapter keeps only the keys of items: the other fields are read from the live dependents. Live
// objects do not tell when they were applied and what the API server answered, so for these items drift and age do not count.

import { policiesOf } from '../../../component/declared/annotations.ts'
import { managedTypesOf } from '../../../component/declared/managed-types.ts'
import { writtenDigestOf } from '../../../component/declared/owner.ts'
import { type Item, itemKey, refOfItem, wasApplied } from '../../../component/inventory/item.ts'
import { isOwnedByUs } from '../../../component/observed/adoption.ts'
import { listOf } from '../../../component/observed/reads-wanted.ts'
import { unreadableIn } from '../../../component/observed/unavailable-kinds.ts'
import { type EngineInput, nothingObserved, type World } from '../../../component/world.ts'
import { kubeTime } from '../../../core/kube-time.ts'
import { type BoundedClient, nothingWanted, observedWith } from './cluster-reads.ts'

/** The input with complete items, and what was read for that. */
export const recovered = async (input: EngineInput, asking: BoundedClient, now: Date): Promise<World> => {
  const bare = input.items.filter(item => !wasApplied(item))
  const byKind = Map.groupBy(bare, ({ group, kind }) => `${group}/${kind}`)
  const lists = [...byKind.values()].flatMap(([first, ...others]) => (first ? [listOf([first, ...others], input)] : []))
  const listed = await observedWith(nothingObserved, { ...nothingWanted, lists }, asking)
  // An object that no list shows may exist all the same: without our label, or of a kind that we may not list.
  const unseen = bare.filter(item => !listed.live.has(itemKey(item)))
  const observed = await observedWith(listed, { ...nothingWanted, gets: unseen.map(refOfItem) }, asking)
  // Without the live objects these items cannot be completed.
  const [kind] = observed.unreadable.keys()
  if (kind !== undefined) throw new Error(unreadableIn({ ...input, observed }, kind))
  const world = { ...input, observed }
  return { ...world, items: input.items.map(item => (wasApplied(item) ? item : recoveredItem(item, world, now))) }
}

/** An item whose object does not exist or is not ours counts as not applied yet. */
const recoveredItem = (item: Item, world: World, now: Date): Item => {
  const live = world.observed.live.get(itemKey(item))
  if (!live || !isOwnedByUs(live, world)) return { ...item, phase: 'ScheduledForApplication', status: 'InProgress' }
  const { adoptionPolicy, reconcilePolicy, updatePolicy, deletePolicy, applyOrder, deleteOrder } = policiesOf(
    live,
    world.settings,
  ).policies
  return {
    ...item,
    ...{ adoptionPolicy, reconcilePolicy, updatePolicy, deletePolicy, applyOrder, deleteOrder },
    managedTypes: managedTypesOf(live),
    digest: writtenDigestOf(live, world.settings.reconcilerName) ?? '',
    phase: 'Ready',
    status: 'Current',
    lastAppliedAt: kubeTime(now),
  }
}
