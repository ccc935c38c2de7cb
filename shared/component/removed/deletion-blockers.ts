// Objects of others whose kinds go with the component: as long as there is one, nothing is deleted under it.
import { apiVersionOf, isDeleting } from '../../core/object.ts'
import { ofAnyVersion } from '../declared/managed-types.ts'
import { ownerKey } from '../declared/owner.ts'
import { type Item, itemKey, type ManagedType, refOfItem } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import type { GroupKind } from '../settings.ts'
import type { Note } from '../told/dependents-status.ts'
import { listText } from '../told/sentences.ts'
import type { EngineInput, World } from '../world.ts'
import { isLeftBehind } from './orphans.ts'

/** A question about the instances of a type that don't carry our label. */
export type InstancesWanted = {
  readonly type: ManagedType
  readonly labelSelector: string
}

export const typeKey = ({ group, version, kind }: ManagedType): string => `${group}/${version}/${kind}`

/** What must be asked before anything is deleted that types live and die with. */
export const instancesToAsk = (items: readonly Item[], world: World): InstancesWanted[] => {
  const wanted = [...(world.wish === 'delete' ? blockingTypes(world) : []), ...typesAtStake(items, world)]
  const unknown = wanted.filter(({ type }) => !world.found.instances.has(typeKey(type)))
  return [...new Map(unknown.map(one => [typeKey(one.type), one])).values()]
}

/** Of single items: redundant ones that are to be deleted, and those that our finalizer keeps. */
const typesAtStake = (items: readonly Item[], world: World): InstancesWanted[] => {
  const isAtStake = (item: Item): boolean => {
    const live = world.found.live.get(itemKey(item))
    const isRedundant = world.wish === 'apply' && item.digest === '' && !isLeftBehind(item, 'apply')
    return live !== undefined && (isRedundant || isDeleting(live))
  }
  return items.filter(isAtStake).flatMap(item => item.managedTypes.map(type => wanted(type, world)))
}

/** What the deletion of the component asks for. */
const blockingTypes = (world: World): InstancesWanted[] => {
  const { deletionBlockers, additionalManagedTypes } = world.settings
  if (deletionBlockers === 'none') return []
  const broad = (types: readonly GroupKind[]) => ofAnyVersion(types).map(type => wanted(type, world))
  if (deletionBlockers !== 'managed') return broad(deletionBlockers)
  const ofItems = world.items.filter(item => isGoing(item, world)).flatMap(item => item.managedTypes)
  return [...ofItems.map(type => wanted(type, world)), ...broad(additionalManagedTypes)]
}

const wanted = (type: ManagedType, { settings, owner }: EngineInput): InstancesWanted => ({
  type,
  labelSelector: `${ownerKey(settings.reconcilerName)}!=${owner.hash}`,
})

/** Neither left behind nor somebody else's. */
const isGoing = (item: Item, world: World): boolean => {
  const live = world.found.live.get(itemKey(item))
  return live !== undefined && isOwnedByUs(live, world) && !isLeftBehind(item, 'delete')
}

/** What holds the deletion of the component up. */
export const blockersOf = (world: World): Note[] => [...finalizerNotes(world), ...instanceNotes(world)]

const finalizerNotes = ({ foreignFinalizers }: World): Note[] =>
  foreignFinalizers.map(name => ({ ref: nowhere, message: `finalizer ${name} of somebody else is on the component` }))

/** A type that several ask for is told once. */
const instanceNotes = (world: World): Note[] => {
  const types = new Map(blockingTypes(world).map(({ type }) => [typeKey(type), type]))
  return [...types.values()].flatMap(type => {
    const message = instancesSentence(type, world)
    if (message === '') return []
    const item = world.items.find(({ managedTypes }) =>
      managedTypes.some(managed => typeKey(managed) === typeKey(type)),
    )
    const ref = item ? refOfItem(item) : { ...nowhere, apiVersion: apiVersionOf(type), kind: type.kind }
    return [{ ref, message: message ?? 'its instances are not known yet' }]
  })
}

const nowhere = { apiVersion: '', kind: '', namespace: '', name: '' }

/** A sentence about the instances of others; '' when there are none, undefined when nobody looked. */
export const instancesSentence = (type: ManagedType, { found }: World): string | undefined => {
  const instances = found.instances.get(typeKey(type))
  if (instances === undefined) return undefined
  const { first, count } = instances
  return count === 0 ? '' : `${count} objects of others need ${typeText(type)}: ${listText(first, { count })}`
}

const typeText = ({ group, kind }: ManagedType): string => (kind === '*' ? group : `${kind}.${group}`)
