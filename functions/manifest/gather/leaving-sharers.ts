// Reads the objects that other deleted sharers need, for example all modules of a deleted Kyma. A Manifest that waits for custom objects
// needs its operator until the custom objects are gone. Example: another Manifest also lists the operator's Namespace, and therefore waits.
import { isDeepStrictEqual } from 'node:util'
import { type Item, type ItemKey, itemKey, itemsOf, refOfItem } from '../../../shared/component/item.ts'
import { ownerBeside, ownerHashOf } from '../../../shared/component/ownership.ts'
import { instancesToAsk, typeKey } from '../../../shared/component/removed/deletion-blockers.ts'
import type { NeededObjects, World } from '../../../shared/component/world.ts'
import { type KubeObject, keyOf, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { ReadClient } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { foreignInstances } from '../../../shared/runtime/component/reads/foreign-instances.ts'
import { engineName, isDeletedLast, operatedKind } from '../desired/module-objects.ts'
import { groundOf } from '../rules/lifecycle.ts'
import { isHeldUp, isInError, type SharedObjects, type Sharer } from '../rules/sharers.ts'

type Leaving = Pick<SharedObjects, 'leaving' | 'unsettled'> & {
  readonly manifest: Manifest
  readonly client: ReadClient
  readonly defaultsOf: (other: Manifest) => Promise<readonly Item[]>
}

/**
 * Which Manifests still need objects of this Manifest: sharers that wait for custom objects or have a default object, and Manifests to
 * which the objects were handed over.
 */
export const neededByLeaving = async (world: World, looking: Leaving): Promise<NeededObjects> => {
  const needed = looking.leaving.map(async sharer => {
    const keys = await keysNeeded(sharer, world, looking)
    return [...new Set(keys)].map(key => ({ key, by: refText(refOf(sharer.other)) }))
  })
  const left = [...looking.unsettled].map(([key, { other }]) => ({ key, by: refText(refOf(other)) }))
  const byKey = Map.groupBy([...left, ...(await Promise.all(needed)).flat()], ({ key }) => key)
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ by }) => by)]))
}

/** With two operators, the operator of the sharer's default object is unknown. So the sharer needs all objects of this Manifest. */
const keysNeeded = async (sharer: Sharer, world: World, looking: Leaving): Promise<readonly ItemKey[]> => {
  const { other, lists, inhabits } = sharer
  if (hasOperatorOfItsOwn(sharer, world, looking) && (await defaultsFound(other, looking)).length > 0)
    return world.items.map(itemKey)
  return (await isWaiting(other, world, looking)) ? [...lists, ...inhabits] : []
}

/** A Manifest in Error does not report whether it waits for custom objects, so the custom objects are read. */
const isWaiting = async (other: Manifest, world: World, looking: Leaving): Promise<boolean> =>
  isHeldUp(other) ||
  (await hasDefault(other, world, looking)) ||
  (isInError(other) && (await hasInstances(other, looking)))

const hasDefault = async (other: Manifest, world: World, looking: Leaving): Promise<boolean> => {
  const { hash } = ownerBeside(world.owner, keyOf(other))
  return (await defaultsFound(other, looking)).some(object => ownerHashOf(object, engineName) === hash)
}

const defaultsFound = async (other: Manifest, { client, defaultsOf }: Leaving): Promise<readonly KubeObject[]> => {
  const found = (await defaultsOf(other)).map(item => getIfServed(client, refOfItem(item)))
  return (await Promise.all(found)).filter(object => object !== undefined)
}

const hasInstances = async (other: Manifest, { client, defaultsOf }: Leaving): Promise<boolean> => {
  const kind = operatedKind(other)
  if (kind === undefined) return false
  const except = new Set((await defaultsOf(other)).map(itemKey))
  const type = { ...kind, version: '*' }
  return (await foreignInstances(client, { type, except })).count > 0
}

/** The sharer lists all objects that custom objects need. */
const hasAllGround = ({ lists }: Sharer, world: World): boolean =>
  groundOf(world.items, world).every(item => lists.includes(itemKey(item)))

/** The sharer has custom objects of the same kind and its own operator. Example: another version of the module. */
const hasOperatorOfItsOwn = (sharer: Sharer, world: World, { manifest }: Leaving): boolean => {
  const { other } = sharer
  const own = new Set(world.items.map(itemKey))
  return (
    world.settings.deletionBlockers !== 'none' &&
    isDeepStrictEqual(operatedKind(other), operatedKind(manifest)) &&
    !hasAllGround(sharer, world) &&
    itemsOf(other.status?.synced).some(item => isDeletedLast(item) && !own.has(itemKey(item)))
  )
}

/**
 * The custom objects that this Manifest waits for. Excludes default objects of sharers that can delete these objects themselves, because
 * each Manifest would wait for the other. A sharer can do so if it lists all objects that custom objects need, or has its own operator.
 * Example: the same module of two Kymas in one cluster.
 */
export const instancesBesides = async (world: World, looking: Leaving): Promise<World['observed']['instances']> => {
  const { leaving, client, defaultsOf } = looking
  const same = leaving.filter(one => hasAllGround(one, world) || hasOperatorOfItsOwn(one, world, looking))
  const { instances } = world.observed
  if (same.length === 0 || [...instances.values()].every(({ count }) => count === 0)) return instances
  const defaults = (await Promise.all(same.map(({ other }) => defaultsOf(other)))).flat().map(itemKey)
  const wanted = instancesToAsk(world.items, { ...world, observed: { ...world.observed, instances: new Map() } })
  const asked = wanted.map(async one => {
    const except = new Set([...one.except, ...defaults])
    return [typeKey(one.type), await foreignInstances(client, { ...one, except })] as const
  })
  return new Map([...instances, ...(await Promise.all(asked))])
}
