// Refuses orders and delete policies that would remove a CRD, APIService or Namespace while another manifest needs it. Example: a custom
// resource with apply-order 0 whose CRD has apply-order 1. This file calls such an object `ground`.
import { refOf, refText } from '../../core/objects/object.ts'
import { type Item, isOrphaned, itemKey, type ManagedType, refOfItem } from '../item.ts'
import { isOwnedByUs } from '../ownership.ts'
import type { World } from '../world.ts'
import type { Dependent } from './dependent.ts'
import { isManaged, typeOf } from './kinds.ts'

type Row = { readonly isAt: (object: Dependent, ground: Dependent) => boolean; readonly fault: string }

const rows: readonly Row[] = [
  {
    isAt: (object, ground) => object.policies.applyOrder < ground.policies.applyOrder,
    fault: 'is applied before',
  },
  {
    isAt: (object, ground) => object.policies.deleteOrder > ground.policies.deleteOrder,
    fault: 'is deleted after',
  },
  {
    isAt: (object, ground) =>
      (['apply', 'delete'] as const).some(
        goal => isOrphaned(object.policies.deletePolicy, goal) && !isOrphaned(ground.policies.deletePolicy, goal),
      ),
    fault: 'would, because of its delete policy, outlive',
  },
]

/** Ignores delete hooks, because they have separate orders. */
export const orderFaults = (all: readonly Dependent[]): string[] => {
  const dependents = all.filter(({ policies }) => policies.deleteHooks.length === 0)
  const grounds = dependents.filter(isGround)
  return dependents.flatMap(object =>
    grounds
      .filter(ground => ground !== object && dependsOn(object, groundOf(ground)))
      .flatMap(ground =>
        rows
          .filter(({ isAt }) => isAt(object, ground))
          .map(({ fault }) => `${nameOf(object)} ${fault} ${nameOf(ground)}, which it needs`),
      ),
  )
}

/** Refuses to delete a CRD, APIService or Namespace that is no longer rendered while a rendered manifest needs it. */
export const survivalFaults = (dependents: readonly Dependent[], world: World): string[] => {
  const rendered = new Set(dependents.map(({ key }) => key))
  const leaving = world.items.filter(item => !rendered.has(itemKey(item)) && isToDelete(item, world))
  return dependents.flatMap(object =>
    leaving
      .filter(item => dependsOn(object, groundOfItem(item)))
      .map(
        item =>
          `${nameOf(object)} would outlive ${refText(refOfItem(item))}, which it needs and which is no longer rendered`,
      ),
  )
}

const isToDelete = (item: Item, world: World): boolean => {
  const live = world.observed.live.get(itemKey(item))
  return live !== undefined && isOwnedByUs(live, world) && !isOrphaned(item.deletePolicy, 'apply')
}

export const isGroundOf = (item: Item, dependents: readonly Dependent[]): boolean =>
  dependents.some(dependent => dependsOn(dependent, groundOfItem(item)))

/** Objects whose type is in `managedTypes`, or whose namespace is `namespace`, need this ground. */
type Ground = { readonly managedTypes: readonly ManagedType[]; readonly namespace: string | undefined }

const groundOf = (dependent: Dependent): Ground => ({
  managedTypes: dependent.managedTypes,
  namespace: isNamespace(dependent) ? dependent.object.metadata.name : undefined,
})

const groundOfItem = ({ group, kind, name, managedTypes }: Item): Ground => ({
  managedTypes,
  namespace: group === '' && kind === 'Namespace' ? name : undefined,
})

const isGround = (dependent: Dependent): boolean => dependent.managedTypes.length > 0 || isNamespace(dependent)

const isNamespace = ({ object: { apiVersion, kind } }: Dependent): boolean =>
  apiVersion === 'v1' && kind === 'Namespace'

const dependsOn = ({ object }: Dependent, { managedTypes, namespace }: Ground): boolean =>
  isManaged(managedTypes, typeOf(object)) || (namespace !== undefined && object.metadata.namespace === namespace)

const nameOf = ({ object }: Dependent): string => refText(refOf(object))
