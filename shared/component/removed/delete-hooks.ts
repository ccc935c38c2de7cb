// Dependents that live only while the component is being deleted: some before anything else is, some after. A hook that
// has done its work stays in the inventory as Completed, with a digest that says for which of both moments.

import type { KubeObject } from '../../core/object.ts'
import { type DeleteHook, deleteHooks, isDeleteHook } from '../declared/annotations.ts'
import type { Dependent } from '../declared/dependent.ts'
import { objectDigest } from '../declared/digests.ts'
import type { Item } from '../inventory/item.ts'

/** Above all that an annotation may ask for: at the end. */
const lastOrder = 32768

/** The hooks of one moment, kept like other dependents and purged when all of them are ready. */
export const hooksOf = (moment: DeleteHook, dependents: readonly Dependent[]): Dependent[] =>
  dependents
    .filter(({ policies }) => policies.deleteHooks.includes(moment))
    .map(dependent => ({
      ...dependent,
      digest: `${objectDigest(dependent.object)}@${moment}`,
      policies: { ...dependent.policies, reconcilePolicy: 'OnObjectChange', purgeOrder: lastOrder },
    }))

/** The moment for which the item was applied; undefined for items of other dependents. */
const momentOf = ({ digest }: Item): DeleteHook | undefined => deleteHooks.find(moment => digest.endsWith(`@${moment}`))

/** It need not run for this moment any more. A post-delete hook that is at work has its pre-delete time behind it. */
export const isOver = (moment: DeleteHook, item: Item | undefined): boolean => {
  const reached = item && momentOf(item)
  if (reached === moment) return item?.phase === 'Completed'
  return moment === 'pre-delete' && reached === 'post-delete'
}

/** Somebody has given them up. */
export const skipsDeleteHooks = ({ metadata }: KubeObject, reconcilerName: string): boolean =>
  metadata.annotations?.[`${reconcilerName}/skip-delete-hooks`] === 'true'

/** How many of the manifests are delete hooks: with none, a deletion need not render again. */
export const deleteHookCount = (manifests: readonly KubeObject[], reconcilerName: string): number =>
  manifests.filter(manifest => isDeleteHook(manifest, reconcilerName)).length
