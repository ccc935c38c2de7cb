// For kinds whose inventory keeps only the keys of items: the other fields are read from the live dependents. What the API server
// answered to our last write is not known, so drift is what others have taken from us in managedFields; age does not count.
import { objectToSend } from '../../../component/applied/object-to-send.ts'
import { policiesOf } from '../../../component/declared/annotations.ts'
import { dependentOfItem } from '../../../component/declared/declared-dependents.ts'
import { managedTypesOf } from '../../../component/declared/managed-types.ts'
import { writtenDigestOf } from '../../../component/declared/owner.ts'
import { keptPolicies } from '../../../component/declared/policies.ts'
import { type Item, type ItemKey, itemKey, refOfItem, wasApplied } from '../../../component/inventory/item.ts'
import { isOwnedByUs } from '../../../component/observed/adoption.ts'
import { lastOwnedAt, ownsAllOf } from '../../../component/observed/field-ownership.ts'
import { fingerprintOf } from '../../../component/observed/fingerprint.ts'
import { listOf } from '../../../component/observed/reads-wanted.ts'
import { unreadableIn } from '../../../component/observed/unavailable-kinds.ts'
import { type EngineInput, nothingObserved, type World } from '../../../component/world.ts'
import type { KubeObject } from '../../../core/objects/object.ts'
import { kubeTime } from '../../../core/time/kube-time.ts'
import { type BoundedClient, nothingWanted, observedWith, worldOf } from './cluster-reads.ts'

type Recovering = BoundedClient & { readonly fieldOwner: string; readonly now: Date }

export const recoveredWorld = async (input: EngineInput, recovering: Recovering): Promise<World> => {
  const asking = { ...recovering, withManagedFields: true }
  const { items, observed } = await recovered(input, asking)
  const known = new Set(input.items.filter(wasApplied).map(itemKey))
  const world = await worldOf({ ...input, items }, asking, observed)
  return withFingerprints(world, recovering.fieldOwner, known)
}

/** The input with items completed, and what was read for that. */
const recovered = async (input: EngineInput, recovering: Recovering): Promise<World> => {
  const bare = input.items.filter(item => !wasApplied(item))
  const byKind = Map.groupBy(bare, ({ group, kind }) => `${group}/${kind}`)
  const lists = [...byKind.values()].flatMap(([first, ...others]) => (first ? [listOf([first, ...others], input)] : []))
  const listed = await observedWith(nothingObserved, { ...nothingWanted, lists }, recovering)
  // An object that no list shows may exist all the same: without our label, or of a kind that we may not list.
  const unseen = bare.filter(item => !listed.live.has(itemKey(item)))
  const observed = await observedWith(listed, { ...nothingWanted, gets: unseen.map(refOfItem) }, recovering)
  // Without the live objects these items cannot be completed.
  const [kind] = observed.unreadable.keys()
  if (kind !== undefined) throw new Error(unreadableIn({ ...input, observed }, kind))
  const world = { ...input, observed }
  return {
    ...world,
    items: input.items.map(item => (wasApplied(item) ? item : recoveredItem(item, world, recovering))),
  }
}

/** An item whose object does not exist or is not ours counts as not applied yet. */
const recoveredItem = (item: Item, world: World, recovering: Recovering): Item => {
  const live = world.observed.live.get(itemKey(item))
  if (!live || !isOwnedByUs(live, world)) return { ...item, phase: 'ScheduledForApplication', status: 'InProgress' }
  return {
    ...item,
    ...keptPolicies(policiesOf(live, world.settings).policies),
    managedTypes: managedTypesOf(live),
    digest: writtenDigestOf(live, world.settings.reconcilerName) ?? '',
    phase: 'Ready',
    status: 'Current',
    lastAppliedAt: kubeTime(lastWriteTo(live, recovering)),
  }
}

/** Long enough ago for the next repair, and not so long that it is due for its age. */
const seconds = 60

/** A write that changed nothing leaves no time, so what lies further back is not known. */
const lastWriteTo = (live: KubeObject, { fieldOwner, now }: Recovering): Date =>
  new Date(Math.max(lastOwnedAt(live, fieldOwner)?.getTime() ?? 0, now.getTime() - seconds * 1000))

/** No live object has it. */
const drifted = 'drifted'

/** `known`: items that were stored with their fingerprint. */
const withFingerprints = (world: World, fieldOwner: string, known: ReadonlySet<ItemKey>): World => {
  const live = new Map([...world.observed.live].map(([key, object]) => [key, withoutManagedFields(object)]))
  const dependentOf = dependentOfItem(world)
  const items = world.items.map(item => {
    const key = itemKey(item)
    const [before, bare] = [world.observed.live.get(key), live.get(key)]
    const dependent = dependentOf(item)
    if (known.has(key) || !wasApplied(item) || !dependent || !before || !bare) return item
    const sent = objectToSend(dependent, world)
    return { ...item, fingerprint: ownsAllOf(sent, before, fieldOwner) ? fingerprintOf(bare, sent) : drifted }
  })
  return { ...world, items, observed: { ...world.observed, live } }
}

const withoutManagedFields = (object: KubeObject): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
