// Determines the reads that a decision needs, as data. The caller performs the reads and calls again, until no more reads are needed.
// Existing dependents are read by one list per kind, so a component with a hundred ConfigMaps needs one list and no GET.
import { apiVersionOf, type GroupVersionKind, type KubeObject, type ObjectRef } from '../../core/objects/object.ts'
import { declared, manifestsAtStake } from '../declared/declared-dependents.ts'
import { type Dependent, isRegular } from '../declared/dependent.ts'
import {
  kindKey,
  kindKeyOf,
  kindsKnown,
  scopesIn,
  servicesUnasked,
  typeOf,
  unavailableKinds,
} from '../declared/kinds.ts'
import { shapeFaults } from '../declared/manifest-faults.ts'
import { updatedInventory } from '../inventory.ts'
import { type Item, type ItemKey, itemKey, refOfItem, wasApplied } from '../item.ts'
import { ownerSelector } from '../ownership.ts'
import { isSkipped } from '../removed/deleting.ts'
import { type InstancesWanted, instancesToAsk } from '../removed/deletion-blockers.ts'
import type { EngineInput, ObservedCluster, World } from '../world.ts'

export type ReadsWanted = {
  /** Kinds to discover. */
  readonly kinds: readonly GroupVersionKind[]
  readonly gets: readonly ObjectRef[]
  /** Lists of objects with our owner label. */
  readonly lists: readonly ListWanted[]
  readonly namespaces: readonly string[]
  /** Types whose instances are needed. Messages contain ten names and the total count. */
  readonly instances: readonly InstancesWanted[]
}

/** `namespace`: absent for all namespaces. `metadataOnly`: read no content, because all objects will be deleted. */
export type ListWanted = GroupVersionKind & {
  readonly namespace?: string
  readonly labelSelector: string
  readonly metadataOnly?: true
}

const nothing: ReadsWanted = { kinds: [], gets: [], lists: [], namespaces: [], instances: [] }

/** undefined when no more reads are needed. */
export const readsWanted = (input: EngineInput, observed: ObservedCluster): ReadsWanted | undefined => {
  const services = servicesUnasked({ ...input, observed })
  if (services.length > 0) return { ...nothing, gets: services }
  const kinds = kindsWanted({ ...input, observed })
  const wanted = kinds.length > 0 ? { ...nothing, kinds } : wantedOf({ ...input, observed })
  return Object.values(wanted).some(list => list.length > 0) ? wanted : undefined
}

const kindsWanted = (world: World): GroupVersionKind[] => {
  const manifests = manifestsAtStake(world)
  if (shapeFaults(manifests, world).length > 0) return []
  const kinds = kindsKnown(world)
  const [scopeOf, away] = [scopesIn(world.manifests, kinds), unavailableKinds(world)]
  const isUnasked = (manifest: KubeObject): boolean => {
    const scope = scopeOf(manifest)
    if (scope !== 'unknown') return scope === undefined
    return !kinds.has(kindKey(manifest)) && away(typeOf(manifest)) === undefined
  }
  return unique(manifests.filter(isUnasked), kindKey).map(({ apiVersion, kind }) => ({ apiVersion, kind }))
}

const wantedOf = (world: World): ReadsWanted => {
  const { dependents, faults } = declared(world)
  if (faults.length > 0) return nothing
  const { items, hasAdded } = updatedInventory(dependents.filter(isAtWork(world)), world)
  const objects = objectsWanted(items, world)
  const isAllSeen = objects.lists.length === 0 && objects.gets.length === 0
  // Ownership is known only after all objects have been read.
  const instances = isAllSeen ? instancesToAsk(items, world) : []
  const namespaces = isAllSeen && !hasAdded ? namespacesWanted(dependents, items, world) : []
  return { ...nothing, ...objects, instances, namespaces }
}

/** Delete hooks are read at the component's deletion, other dependents before the deletion. */
const isAtWork =
  (input: EngineInput) =>
  (dependent: Dependent): boolean => {
    const { goal, settings } = input
    if (isRegular(dependent)) return goal === 'apply' || settings.whileBlocked === 'repair'
    return goal === 'delete' && !isSkipped(dependent, input)
  }

type ObjectsWanted = Pick<ReadsWanted, 'lists' | 'gets'>

const objectsWanted = (items: readonly Item[], world: World): ObjectsWanted => {
  const inventory = new Set(world.items.map(itemKey))
  const isAdded = (item: Item) => !inventory.has(itemKey(item))
  const isSingle = (item: Item) => isAdded(item) || item.status === 'Unknown'
  const away = unavailableKinds(world)
  const toRead = items.filter(item => item.phase !== 'Completed' && away(item) === undefined)
  const byKind = Map.groupBy(
    toRead.filter(item => !isSingle(item)),
    kindKeyOf,
  )
  const groups = [...byKind.values()].map(group => groupWanted(group, world))
  const singles = toRead.filter(
    item => isSingle(item) && isUnasked(item, world) && !(isAdded(item) && isToBeCreatedFirst(item, world)),
  )
  return {
    lists: groups.flatMap(({ lists }) => lists),
    gets: [...singles.map(refOfItem), ...groups.flatMap(({ gets }) => gets)],
  }
}

const groupWanted = (group: readonly Item[], world: World): ObjectsWanted => {
  const [first, ...others] = group
  if (!first || group.every(item => isNew(item, world) || !isUnasked(item, world))) return { lists: [], gets: [] }
  const answer = others.length > 0 ? world.observed.listed.get(kindKeyOf(first)) : 'refused'
  if (answer === undefined) return { lists: [{ ...listOf([first, ...others], world), ...sizeOf(group) }], gets: [] }
  const missing = group.filter(item => isUnasked(item, world) && (answer === 'refused' || isMissed(item, world)))
  return { lists: [], gets: missing.filter(item => !isNew(item, world)).map(refOfItem) }
}

/** Whether to create without a GET. Any existing object may be adopted, and the API server refuses the create if the object exists. */
const isToBeCreatedFirst = (item: Item, { goal }: World): boolean =>
  goal === 'apply' && item.adoptionPolicy === 'Always'

export const listOf = (items: readonly [Item, ...Item[]], input: EngineInput): ListWanted => {
  const [first] = items
  const isInOnePlace = first.namespace !== '' && items.every(({ namespace }) => namespace === first.namespace)
  return {
    apiVersion: apiVersionOf(first),
    kind: first.kind,
    labelSelector: ownerSelector(input),
    ...(isInOnePlace && { namespace: first.namespace }),
  }
}

const sizeOf = (group: readonly Item[]): Pick<ListWanted, 'metadataOnly'> =>
  group.every(({ digest }) => digest === '') ? { metadataOnly: true } : {}

/** Whether the object probably does not exist. If the object exists, the API server refuses the create. */
const isNew = (item: Item, { goal }: World): boolean =>
  goal === 'apply' && item.phase === 'ScheduledForApplication' && !wasApplied(item)

/** True if the decision needs an object that a list by owner label does not contain. Its label may have been removed. */
const isMissed = (item: Item, { goal, settings }: World): boolean => {
  if (!wasApplied(item)) return false
  if (item.digest === '' || goal === 'delete') return item.managedTypes.length > 0 || settings.inherits !== undefined
  return item.reconcilePolicy !== 'Once' || item.phase === 'ScheduledForApplication'
}

const isUnasked = (item: Item, { observed }: World): boolean =>
  !observed.asked.has(itemKey(item)) && !observed.live.has(itemKey(item))

/** Namespaces of objects to create. Leaves out namespaces that are dependents, because these are created earlier. */
const namespacesWanted = (dependents: readonly Dependent[], items: readonly Item[], world: World): string[] => {
  const absent = new Set<ItemKey>(items.filter(item => isToCreate(item, world)).map(itemKey))
  const own = dependents.filter(({ object }) => object.kind === 'Namespace').map(({ object }) => object.metadata.name)
  const needed = dependents
    .filter(({ key }) => absent.has(key))
    .flatMap(({ object }) => object.metadata.namespace ?? [])
    .filter(name => !own.includes(name) && !world.observed.namespaces.has(name))
  return [...new Set(needed)]
}

const isToCreate = (item: Item, { observed }: World): boolean =>
  item.digest !== '' &&
  item.phase !== 'Completed' &&
  !observed.live.has(itemKey(item)) &&
  (item.reconcilePolicy !== 'Once' || item.phase === 'ScheduledForApplication')

const unique = <T>(list: readonly T[], keyOf: (element: T) => string): T[] => [
  ...new Map(list.map(element => [keyOf(element), element])).values(),
]
