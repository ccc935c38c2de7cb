// Delete hooks: dependents that are applied only at the component's deletion, before (pre-delete) or after (post-delete)
// everything else is deleted. A hook that is done stays in the inventory as Completed with the digest `…@pre-delete` or
// `…@post-delete`.
import type { KubeObject } from '../../core/objects/object.ts'
import { type DeleteHook, deleteHooks, isDeleteHook } from '../declared/annotations.ts'
import type { Dependent } from '../declared/dependent.ts'
import { objectDigest } from '../declared/digests.ts'
import type { Item } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

/** Higher than any order an annotation can have: at the end. */
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

/** The hook has run for this moment. If it is at work as a post-delete hook, its pre-delete run is over. */
export const isOver = (moment: DeleteHook, item: Item | undefined): boolean => {
  const reached = item && momentOf(item)
  if (reached === moment) return item?.phase === 'Completed'
  return moment === 'pre-delete' && reached === 'post-delete'
}

/** The hook is skipped, because a person asked for that or because its namespace is ending. */
export const isSkipped = (
  { object }: Dependent,
  { settings, endingNamespaces = [] }: Pick<EngineInput, 'settings' | 'endingNamespaces'>,
): boolean => settings.skipsDeleteHooks || endingNamespaces.includes(object.metadata.namespace ?? '')

/** A person has set the annotation, to let the component go without its hooks. */
export const skipsDeleteHooks = ({ metadata }: KubeObject, reconcilerName: string): boolean =>
  metadata.annotations?.[`${reconcilerName}/skip-delete-hooks`] === 'true'

/** How many manifests are delete hooks. If there are none, nothing is rendered at the component's deletion. */
export const deleteHookCount = (manifests: readonly KubeObject[], reconcilerName: string): number =>
  manifests.filter(manifest => isDeleteHook(manifest, reconcilerName)).length
