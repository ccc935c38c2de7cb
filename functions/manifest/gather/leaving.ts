// Reads what sharers need that go at the same moment, such as all modules of a Kyma that is deleted. A Manifest that waits for custom objects
// needs its operator until then. Example: the operator's Namespace is listed by another Manifest, too, which therefore waits with it.
import { ownerBeside, ownerHashOf } from '../../../shared/component/declared/owner.ts'
import { type Item, itemKey, refOfItem } from '../../../shared/component/inventory/item.ts'
import { instancesToAsk, typeKey } from '../../../shared/component/removed/deletion-blockers.ts'
import type { NeededObjects, World } from '../../../shared/component/world.ts'
import { groupOf, type KubeObject, keyOf, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { foreignInstances } from '../../../shared/runtime/component/observed/foreign-instances.ts'
import { engineName } from '../desired/module-objects.ts'
import { groundOf } from '../rules/removal.ts'
import { isHeldUp, isInError, type SharedObjects } from '../rules/sharers.ts'

type Leaving = Pick<SharedObjects, 'leaving' | 'unsettled'> & {
  /** Of the cluster of the module. */
  readonly client: Client
  readonly defaultsOf: (other: Manifest) => Promise<readonly Item[]>
}

/**
 * By whom objects of this Manifest are needed: by those that wait for custom objects, or have their default object still, and by those they
 * were left to.
 */
export const neededByLeaving = async (world: World, looking: Leaving): Promise<NeededObjects> => {
  const needed = looking.leaving.map(async ({ other, lists, inhabits }) => {
    const keys = (await isWaiting(other, world, looking)) ? new Set([...lists, ...inhabits]) : []
    return [...keys].map(key => ({ key, by: refText(refOf(other)) }))
  })
  const left = [...looking.unsettled].map(([key, { other }]) => ({ key, by: refText(refOf(other)) }))
  const byKey = Map.groupBy([...left, ...(await Promise.all(needed)).flat()], ({ key }) => key)
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ by }) => by)]))
}

/** In Error it does not say whether it waits for custom objects. */
const isWaiting = async (other: Manifest, world: World, looking: Leaving): Promise<boolean> =>
  isHeldUp(other) ||
  (await hasDefault(other, world, looking)) ||
  (isInError(other) && (await hasInstances(other, looking)))

const hasDefault = async (other: Manifest, world: World, { client, defaultsOf }: Leaving): Promise<boolean> => {
  const items = await defaultsOf(other)
  const found = await Promise.all(items.map(item => getIfServed(client, refOfItem(item))))
  const { hash } = ownerBeside(world.owner, keyOf(other))
  return found.some(object => object !== undefined && ownerHashOf(object, engineName) === hash)
}

const hasInstances = async (other: Manifest, { client, defaultsOf }: Leaving): Promise<boolean> => {
  const { apiVersion = '', kind = '' } = (other.spec.resource ?? {}) as Partial<KubeObject>
  const except = new Set((await defaultsOf(other)).map(itemKey))
  const type = { group: groupOf(apiVersion), version: '*', kind }
  return (await foreignInstances(client, { type, except })).count > 0
}

/**
 * The custom objects that this Manifest waits for, without the default objects of those that list all that custom objects need: these delete
 * theirs themselves, and each would wait for the other's. Example: the same module of two Kymas in one cluster.
 */
export const instancesBesides = async (
  world: World,
  { leaving, client, defaultsOf }: Leaving,
): Promise<World['observed']['instances']> => {
  const ground = groundOf(world.items, world).map(itemKey)
  const same = leaving.filter(({ lists }) => ground.every(key => lists.includes(key)))
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
