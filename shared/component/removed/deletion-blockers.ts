// Finds instances of other owners that block a deletion. Example: a user created a Certificate, and the CRD of Certificates is a dependent.
// The CRD and the operator stay as long as the Certificate exists.
import type { Step } from '../../core/decisions/plan.ts'
import { apiVersionOf, hasFinalizer, isDeleting, type KubeObject } from '../../core/objects/object.ts'
import { listText } from '../../core/text/text.ts'
import { isManaged, ofAnyVersion, unavailableKinds } from '../declared/kinds.ts'
import { type Item, type ItemKey, isLeftBehind, itemKey, type ManagedType, refOfItem } from '../item.ts'
import { isOwnedByUs, ownerKey, possessionOf } from '../ownership.ts'
import type { Note } from '../reported/dependents-status.ts'
import type { GroupKind } from '../settings.ts'
import type { World } from '../world.ts'

/** A read to perform: all instances of a type that are not items of a component. */
export type InstancesWanted = {
  readonly type: ManagedType
  /** Absent for all instances. Our label does not prove ownership, because copies and former dependents have the label, too. */
  readonly labelSelector?: string
  readonly except: ReadonlySet<ItemKey>
  /** If set, instances with our label and an owner reference are ignored, because they are deleted together with an instance of ours. */
  readonly ourLabel?: OurLabel
}

type OurLabel = { readonly key: string; readonly hash: string }

/** Example: an operator copies the labels of a database to its Pods. */
export const isGenerated = ({ metadata }: KubeObject, ourLabel: OurLabel | undefined): boolean =>
  ourLabel !== undefined &&
  metadata.labels?.[ourLabel.key] === ourLabel.hash &&
  (metadata.ownerReferences ?? []).length > 0

export const typeKey = ({ group, version, kind }: ManagedType): string => `${group}/${version}/${kind}`

/** The reads needed before a CRD, an APIService or an operator is deleted. */
export const instancesToAsk = (items: readonly Item[], world: World): InstancesWanted[] => {
  const wanted = [...(world.goal === 'delete' ? blockingTypes(world) : []), ...typesAtStake(items, world)]
  const unknown = wanted.filter(({ type }) => !world.observed.instances.has(typeKey(type)))
  return [...new Map(unknown.map(one => [typeKey(one.type), one])).values()]
}

/** Types of redundant items that will be deleted, and types of deleted items that still have our finalizer. */
const typesAtStake = (items: readonly Item[], world: World): InstancesWanted[] => {
  const isAtStake = (item: Item): boolean => {
    const live = world.observed.live.get(itemKey(item))
    const isRedundant = world.goal === 'apply' && item.digest === '' && !isLeftBehind(item, 'apply')
    return live !== undefined && (isRedundant || isDeleting(live))
  }
  return items.filter(isAtStake).flatMap(item => item.managedTypes.map(type => wanted(type, world)))
}

const blockingTypes = (world: World): InstancesWanted[] => {
  const { deletionBlockers, additionalManagedTypes } = world.settings
  if (deletionBlockers === 'none') return []
  const broad = (types: readonly GroupKind[]) => ofAnyVersion(types).map(type => wanted(type, world))
  if (deletionBlockers !== 'managed') return broad(deletionBlockers)
  const ofItems = world.items.filter(item => isGoing(item, world)).flatMap(item => item.managedTypes)
  return [...ofItems.map(type => wanted(type, world)), ...broad(additionalManagedTypes)]
}

const wanted = (type: ManagedType, world: World): InstancesWanted => {
  const { inherits, reconcilerName } = world.settings
  const { hash } = world.owner
  const key = ownerKey(reconcilerName)
  if (!inherits)
    return { type, except: new Set(ofType(type, world, isOursOrAway).map(itemKey)), ourLabel: { key, hash } }
  return {
    type,
    // Objects that another component declares were not created by a user.
    except: new Set(ofType(type, world, isKept).map(itemKey)),
    // Former dependents do not block the deletion of an undeclared type. They block the deletion of the whole component.
    ...(world.goal === 'apply' && { labelSelector: `${key}!=${hash}` }),
  }
}

const ofType = (type: ManagedType, world: World, is: (item: Item, world: World) => boolean): Item[] =>
  world.items.filter(item => isManaged([type], item) && is(item, world))

const isKept = (item: Item, world: World): boolean => {
  const live = world.observed.live.get(itemKey(item))
  return live !== undefined && possessionOf(live, world) !== 'unowned'
}

/** True also for unreadable objects, so that they do not count as objects of other owners. */
const isOursOrAway = (item: Item, world: World): boolean =>
  isOurs(item, world) || unavailableKinds(world)(item) !== undefined

const isOurs = (item: Item, world: World): boolean => {
  const live = world.observed.live.get(itemKey(item))
  return live !== undefined && isOwnedByUs(live, world)
}

const isGoing = (item: Item, world: World): boolean => isOurs(item, world) && !isLeftBehind(item, 'delete')

export const blockersOf = (world: World): Note[] => [...finalizerNotes(world), ...instanceNotes(world)]

const finalizerNotes = ({ foreignFinalizers }: World): Note[] =>
  foreignFinalizers.map(name => ({ ref: nowhere, message: `finalizer ${name} of another program is on the component` }))

const instanceNotes = (world: World): Note[] => {
  const types = new Map(blockingTypes(world).map(({ type }) => [typeKey(type), type]))
  return [...types.values()].flatMap(type => {
    const message = instancesSentence(type, world)
    if (message === '') return []
    const item = world.items.find(({ managedTypes }) =>
      managedTypes.some(managed => typeKey(managed) === typeKey(type)),
    )
    const ref = item ? refOfItem(item) : { ...nowhere, apiVersion: apiVersionOf(type), kind: type.kind }
    return [{ ref, message: message ?? 'its instances were not counted yet' }]
  })
}

const nowhere = { apiVersion: '', kind: '', namespace: '', name: '' }

/** A sentence about instances of other owners; '' when none exist; undefined before they were read. */
export const instancesSentence = (type: ManagedType, { observed }: World): string | undefined => {
  const instances = observed.instances.get(typeKey(type))
  if (instances === undefined) return undefined
  const { first, count } = instances
  const need = count === 1 ? 'object of others needs' : 'objects of others need'
  return count === 0 ? '' : `${count} ${need} ${typeText(type)}: ${listText(first, { count })}`
}

const typeText = ({ group, kind }: ManagedType): string => (kind === '*' ? group : `${kind}.${group}`)

type FinalizerRelease = { readonly step?: Step; readonly message: string }

export const releaseFinalizer = (live: KubeObject, types: readonly ManagedType[], world: World): FinalizerRelease => {
  const { finalizer } = world.settings
  if (!hasFinalizer(live, finalizer)) return { message: 'is being deleted' }
  const left = instancesLeft(types, world)
  if (left !== undefined) return { message: left }
  return { step: { do: 'removeFinalizer', target: live, finalizer }, message: 'is being deleted' }
}

/** The reason why the finalizer stays; undefined when no instances are left. */
const instancesLeft = (types: readonly ManagedType[], world: World): string | undefined => {
  const own = world.items.filter(item => isManaged(types, item) && world.observed.live.has(itemKey(item)))
  if (own.length > 0) return `${own.length} of its instances must be deleted first`
  const others = types.map(type => instancesSentence(type, world))
  if (others.includes(undefined)) return 'its instances were not counted yet'
  return others.find(sentence => sentence !== '')
}
