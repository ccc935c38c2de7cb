// Removes items wave by wave: undeclared items, or all items at the component's deletion. Orphans stay in the cluster. An item stays in
// the inventory until its object is gone.
import type { Step } from '../../core/decisions/plan.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { listText } from '../../core/text/text.ts'
import { isManaged, ofAnyVersion, unavailableKinds, type WhyUnavailable } from '../declared/kinds.ts'
import { type Item, isLeftBehind, itemKey, refOfItem, wasApplied } from '../item.ts'
import { handingOver, isComponentItself, isKeptByAnother, isOwnedByUs, possessionOf } from '../ownership.ts'
import { noProgress, type Progress } from '../reported/dependents-status.ts'
import { deletePriorityOf } from '../settings.ts'
import { stepTo, type World } from '../world.ts'
import { instancesSentence, releaseFinalizer } from './deletion-blockers.ts'

type Removing = { readonly world: World; readonly items: readonly Item[]; readonly staying: readonly Item[] }

/** The decision about one item. `gone`: remove the item from the inventory. */
type Removal = {
  readonly item: Item
  readonly is: 'gone' | 'going' | 'blocked'
  readonly message: string
  readonly step?: Step
  readonly neededBy?: readonly string[]
}

type Case = Removing & {
  readonly away: WhyUnavailable
  readonly kept: ReadonlySet<string>
  readonly item: Item
  readonly live: KubeObject | undefined
  readonly inventory: readonly Item[]
}
type Present = Case & { readonly live: KubeObject }

export const removeItems = (removing: Removing): Progress => {
  const waves = [...Map.groupBy(removing.items, item => turnOf(item, removing.items))].sort(([a], [b]) => a - b)
  const stages = waves.flatMap(([_, wave]) => stagesOf(wave, removing))
  const away = unavailableKinds(removing.world)
  const kept = new Set(removing.staying.flatMap(item => liveOf(item, removing)?.metadata.uid ?? []))
  for (const [index, stage] of stages.entries()) {
    const later = stages.slice(index + 1).flat()
    const inventory = [...removing.staying, ...stage, ...later]
    const removals = stage.map(item =>
      removalOf({ ...removing, away, kept, item, inventory, live: liveOf(item, removing) }),
    )
    if (removals.some(({ is }) => is !== 'gone')) return progressOf(removals, later, removing.world)
  }
  return noProgress
}

/** A Namespace is removed in the last wave of its items, even if its own order is lower. */
const turnOf = (item: Item, items: readonly Item[]): number =>
  isNamespace(item)
    ? Math.max(...[item, ...items.filter(({ namespace }) => namespace === item.name)].map(one => one.deleteOrder))
    : item.deleteOrder

const isNamespace = ({ group, kind }: Item): boolean => group === '' && kind === 'Namespace'

/** Instances are removed before the CRD, APIService or operator of their type. */
const stagesOf = (wave: readonly Item[], { world, items, staying }: Removing): (readonly Item[])[] => {
  const ofItems = [...items, ...staying].flatMap(({ managedTypes }) => managedTypes)
  const types = [...ofItems, ...ofAnyVersion(world.settings.additionalManagedTypes)]
  const instances = wave.filter(item => isManaged(types, item))
  return [instances, wave.filter(item => !instances.includes(item))]
}

const liveOf = (item: Item, { world }: Removing): KubeObject | undefined => world.observed.live.get(itemKey(item))

const removalOf = (c: Case): Removal => {
  const { item, live } = c
  const gone = { item, is: 'gone', message: '' } as const
  const whyAway = c.away(item)
  if (whyAway && wasApplied(item) && !isLeftBehind(item, c.world.goal)) return { item, is: 'going', message: whyAway }
  if (!live) return gone
  const present = { ...c, live }
  if (isNotAwaited(present)) return gone
  const isLeft = c.world.stillOurs?.has(itemKey(item)) ?? false
  const isOurs = isOwnedByUs(live, c.world) || isLeft
  const left = { item, is: 'going', message: 'is not deleted, because it has another owner' } as const
  const neededBy = c.world.needed?.get(itemKey(item))
  if (isLeft && isKeptByAnother(live, c.world)) return { ...left, neededBy }
  const step = isOurs ? handingOver(live, c.world) : undefined
  if (step) return { ...left, step }
  if (!isOurs || isLeftBehind(item, c.world.goal)) return release(present) ?? gone
  if (neededBy) return { item, is: 'going', message: `is still needed by ${listText(neededBy)}`, neededBy }
  return deletion(present)
}

/**
 * True in two cases: the object is rendered in another API group, as an Ingress may be, and stays. Or the object is deleted with the
 * component itself and waits for the component, so the component must not wait for the object.
 */
const isNotAwaited = ({ item, live, kept, world }: Present): boolean =>
  kept.has(live.metadata.uid ?? '') ||
  isComponentItself(live, world) ||
  (isNamespace(item) && item.name === world.self?.namespace && isDeleting(live))

/** Removes our finalizer from an orphan; undefined when it has none. */
const release = ({ item, live, world }: Present): Removal | undefined => {
  const { finalizer } = world.settings
  // If another component of this kind owns the object, the finalizer belongs to that component.
  if (possessionOf(live, world) === 'foreign' || !hasFinalizer(live, finalizer)) return undefined
  const step: Step = { do: 'removeFinalizer', target: live, finalizer }
  return { item, is: 'going', message: 'is being released', step }
}

const deletion = (c: Present): Removal => {
  const { live, world } = c
  const item: Item = { ...c.item, phase: 'Deleting', status: 'Terminating' }
  if (isDeleting(live)) return { item, is: 'going', ...releaseFinalizer(live, item.managedTypes, world) }
  const scheduled: Item = { ...c.item, status: 'Terminating' }
  const inUse = instancesInTheWay(c)
  if (inUse) return { item: scheduled, is: 'blocked', message: inUse }
  if (isNamespaceInUse(c)) return { item: scheduled, is: 'going', message: 'is deleted when it is empty' }
  const step: Step = { do: 'delete', target: live, propagation: 'Background' }
  return { item: scheduled, is: 'going', message: 'is being deleted', step }
}

/** Not needed at the component's deletion, because deletion-blockers.ts has already checked all instances. */
const instancesInTheWay = ({ item, world }: Present): string | undefined =>
  world.goal === 'delete'
    ? undefined
    : item.managedTypes
        .map(type => instancesSentence(type, world) ?? 'its instances were not counted yet')
        .find(Boolean)

const isNamespaceInUse = ({ item, inventory, world }: Present): boolean =>
  isNamespace(item) && inventory.some(other => other.namespace === item.name && world.observed.live.has(itemKey(other)))

const progressOf = (removals: readonly Removal[], later: readonly Item[], world: World): Progress => {
  const left = removals.filter(({ is }) => is !== 'gone')
  return {
    ...noProgress,
    items: [...left.map(({ item }) => item), ...later],
    steps: left.flatMap(({ item, step }): Step[] =>
      step ? [{ ...step, ...stepTo(world), order: deletePriorityOf(item, world.settings) }] : [],
    ),
    redundant: [
      ...left.map(({ item, message, neededBy }) => ({ ref: refOfItem(item), message, ...(neededBy && { neededBy }) })),
      ...later.map(item => ({ ref: refOfItem(item), message: 'waits for its turn' })),
    ],
    blocked: left.filter(({ is }) => is === 'blocked').map(({ item, message }) => ({ ref: refOfItem(item), message })),
  }
}
