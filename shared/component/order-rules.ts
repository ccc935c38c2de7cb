// Orders and policies that would take away the ground an object stands on: its CRD, its APIService or its Namespace. Such
// a set is refused as a whole.
import { refOf, refText } from '../core/object.ts'
import type { Dependent } from './dependent.ts'
import { isManaged, typeOf } from './managed-types.ts'
import { isOrphaned } from './orphans.ts'

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
        wish => isOrphaned(object.policies.deletePolicy, wish) && !isOrphaned(ground.policies.deletePolicy, wish),
      ),
    fault: 'would by its delete policy survive',
  },
]

/** Sentences that name both objects. Delete hooks have orders of their own. */
export const orderFaults = (all: readonly Dependent[]): string[] => {
  const dependents = all.filter(({ policies }) => policies.deleteHooks.length === 0)
  const grounds = dependents.filter(isGround)
  return dependents.flatMap(object =>
    grounds
      .filter(ground => ground !== object && standsOn(object, ground))
      .flatMap(ground =>
        rows
          .filter(({ isAt }) => isAt(object, ground))
          .map(({ fault }) => `${nameOf(object)} ${fault} ${nameOf(ground)}, which it needs`),
      ),
  )
}

const isGround = (dependent: Dependent): boolean => dependent.managedTypes.length > 0 || isNamespace(dependent)

const isNamespace = ({ object: { apiVersion, kind } }: Dependent): boolean =>
  apiVersion === 'v1' && kind === 'Namespace'

const standsOn = ({ object }: Dependent, ground: Dependent): boolean =>
  isManaged(ground.managedTypes, typeOf(object)) ||
  (isNamespace(ground) && object.metadata.namespace === ground.object.metadata.name)

const nameOf = ({ object }: Dependent): string => refText(refOf(object))
