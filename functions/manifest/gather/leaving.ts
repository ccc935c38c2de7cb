// Reads what others need that go at the same moment, such as all modules of a Kyma that is deleted. What brings custom objects to their end
// stays until none is left that one of them waits for. Example: the Namespace of an operator, which another module lists, too.
import { ownerHashOf, ownerOf } from '../../../shared/component/declared/owner.ts'
import { type Item, itemKey, refOfItem } from '../../../shared/component/inventory/item.ts'
import { instancesToAsk, typeKey } from '../../../shared/component/removed/deletion-blockers.ts'
import type { NeededObjects, World } from '../../../shared/component/world.ts'
import { keyOf, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { getIfServed } from '../../../shared/kube/reading.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { foreignInstances } from '../../../shared/runtime/component/observed/foreign-instances.ts'
import { engineName } from '../desired/module-objects.ts'
import { groundOf } from '../rules/removal.ts'
import { isHeldUp } from '../rules/sharing.ts'
import type { Sharer } from './sharing.ts'

type Looking = {
  readonly client: Client
  readonly leaving: readonly Sharer[]
  readonly defaultsOf: (other: Manifest) => Promise<readonly Item[]>
}

/** Of the objects of this Manifest. */
export const neededByLeaving = async (world: World, looking: Looking): Promise<NeededObjects> => {
  const [cluster = ''] = world.owner.id.split('/')
  const hasDefault = async (other: Manifest): Promise<boolean> => {
    const items = await looking.defaultsOf(other)
    const found = await Promise.all(items.map(item => getIfServed(looking.client, refOfItem(item))))
    const { hash } = ownerOf(cluster, keyOf(other))
    return found.some(object => object !== undefined && ownerHashOf(object, engineName) === hash)
  }
  const needed = looking.leaving.map(async ({ other, keys, inhabits }) =>
    isHeldUp(other) || (await hasDefault(other))
      ? [...new Set([...keys, ...inhabits])].map(key => ({ key, by: refText(refOf(other)) }))
      : [],
  )
  const byKey = Map.groupBy((await Promise.all(needed)).flat(), ({ key }) => key)
  return new Map([...byKey].map(([key, all]) => [key, all.map(({ by }) => by)]))
}

/**
 * Without the default objects of those that keep all this module's custom objects need until they have deleted these themselves: two
 * would wait for each other.
 */
export const instancesBesides = async (world: World, looking: Looking): Promise<World['observed']['instances']> => {
  const ground = groundOf(world.items, world).map(itemKey)
  const keeping = looking.leaving.filter(({ keys }) => ground.every(key => keys.includes(key)))
  const { instances } = world.observed
  if (keeping.length === 0 || [...instances.values()].every(({ count }) => count === 0)) return instances
  const defaults = (await Promise.all(keeping.map(({ other }) => looking.defaultsOf(other)))).flat().map(itemKey)
  const wanted = instancesToAsk(world.items, { ...world, observed: { ...world.observed, instances: new Map() } })
  const asked = wanted.map(async one => {
    const except = new Set([...one.except, ...defaults])
    return [typeKey(one.type), await foreignInstances(looking.client, { ...one, except })] as const
  })
  return new Map([...instances, ...(await Promise.all(asked))])
}
