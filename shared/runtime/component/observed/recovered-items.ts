// Items of which a status of its own shape keeps no more than the keys: the rest is what the dependents themselves tell.
// When an item was written, and what the API server made of it, they do not tell: drift and age don't count for these.

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

/** The question with the items as they are, and what was found on the way. */
export const recovered = async (question: EngineInput, asking: BoundedClient, now: Date): Promise<World> => {
  const bare = question.items.filter(item => !wasApplied(item))
  const byKind = Map.groupBy(bare, ({ group, kind }) => `${group}/${kind}`)
  const lists = [...byKind.values()].flatMap(([first, ...others]) =>
    first ? [listOf([first, ...others], question)] : [],
  )
  const listed = await observedWith(nothingObserved, { ...nothingWanted, lists }, asking)
  // What no list shows may still be there: it is somebody else's, nobody's, or of a kind that we may not list.
  const unseen = bare.filter(item => !listed.live.has(itemKey(item)))
  const found = await observedWith(listed, { ...nothingWanted, gets: unseen.map(refOfItem) }, asking)
  // Nothing but the objects tells what such an item is.
  const [kind] = found.unreadable.keys()
  if (kind !== undefined) throw new Error(unreadableIn({ ...question, found }, kind))
  const world = { ...question, found }
  return { ...world, items: question.items.map(item => (wasApplied(item) ? item : recoveredItem(item, world, now))) }
}

/** Of one that is not there, or is not ours, nothing is known: it is still to be created, or is gone. */
const recoveredItem = (item: Item, world: World, now: Date): Item => {
  const live = world.found.live.get(itemKey(item))
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
