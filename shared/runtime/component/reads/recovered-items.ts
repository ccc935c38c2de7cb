// Recovers items from live dependents, for kinds that store only keys. The answer to our last write is unknown, so managedFields show
// drift, and age is ignored.
import { objectToSend } from '../../../component/applied/write-cause.ts'
import { policiesOf } from '../../../component/declared/annotations.ts'
import { dependentOfItem } from '../../../component/declared/declared-dependents.ts'
import { managedTypesOf, unreadableIn } from '../../../component/declared/kinds.ts'
import { type Item, type ItemKey, itemKey, keptPolicies, refOfItem, wasApplied } from '../../../component/item.ts'
import { fingerprintOf, lastOwnedAt, ownsAllOf } from '../../../component/observed/drift.ts'
import { listOf } from '../../../component/observed/reads-wanted.ts'
import { isOwnedByUs, writtenDigestOf } from '../../../component/ownership.ts'
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

/** The input with complete items, and the objects read for this. */
const recovered = async (input: EngineInput, recovering: Recovering): Promise<World> => {
  const bare = input.items.filter(item => !wasApplied(item) && !input.added?.has(itemKey(item)))
  const byKind = Map.groupBy(bare, ({ group, kind }) => `${group}/${kind}`)
  const lists = [...byKind.values()].flatMap(([first, ...others]) => (first ? [listOf([first, ...others], input)] : []))
  const listed = await observedWith(nothingObserved, { ...nothingWanted, lists }, recovering)
  // Objects missing in lists may still exist: they may lack our label, or listing their kind may be forbidden.
  const unseen = bare.filter(item => !listed.live.has(itemKey(item)))
  const observed = await observedWith(listed, { ...nothingWanted, gets: unseen.map(refOfItem) }, recovering)
  const [kind] = observed.unreadable.keys()
  if (kind !== undefined) throw new Error(unreadableIn({ ...input, observed }, kind))
  const world = { ...input, observed }
  return {
    ...world,
    items: input.items.map(item => (wasApplied(item) ? item : recoveredItem(item, world, recovering))),
  }
}

/** An item whose object is missing or foreign counts as not applied. */
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

/** An age at which a repair is allowed and no write by age is due. */
const seconds = 60

/** The time of the last write, at most a minute ago. An apply without changes does not update the time in managedFields. */
const lastWriteTo = (live: KubeObject, { fieldOwner, now }: Recovering): Date =>
  new Date(Math.max(lastOwnedAt(live, fieldOwner)?.getTime() ?? 0, now.getTime() - seconds * 1000))

/** A fingerprint that no live object has. */
const drifted = 'drifted'

/** `known`: items with a stored fingerprint. */
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
