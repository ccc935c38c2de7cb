// Delete hooks are dependents that are applied only at the component's deletion: before (pre-delete) or after (post-delete) all other
// dependents are deleted. A finished hook stays in the inventory as Completed with the digest `…@pre-delete` or `…@post-delete`.
import type { KubeObject } from '../../core/objects/object.ts'
import { type DeleteHook, deleteHooks, isDeleteHook } from '../declared/annotations.ts'
import type { Dependent } from '../declared/dependent.ts'
import { objectDigest } from '../declared/digests.ts'
import type { Item } from '../inventory/item.ts'
import type { EngineInput } from '../world.ts'

/** Higher than any order in an annotation. */
const lastOrder = 32768

/** The hooks of one moment, purged when all of them are ready. */
export const hooksOf = (moment: DeleteHook, dependents: readonly Dependent[]): Dependent[] =>
  dependents
    .filter(({ policies }) => policies.deleteHooks.includes(moment))
    .map(dependent => ({
      ...dependent,
      digest: `${objectDigest(dependent.object)}@${moment}`,
      policies: { ...dependent.policies, reconcilePolicy: 'OnObjectChange', purgeOrder: lastOrder },
    }))

const momentOf = ({ digest }: Item): DeleteHook | undefined => deleteHooks.find(moment => digest.endsWith(`@${moment}`))

/** Whether the hook has run for this moment. A running post-delete hook has already run as pre-delete hook. */
export const isOver = (moment: DeleteHook, item: Item | undefined): boolean => {
  const reached = item && momentOf(item)
  if (reached === moment) return item?.phase === 'Completed'
  return moment === 'pre-delete' && reached === 'post-delete'
}

/** A hook is skipped on request, or because its namespace is being deleted. */
export const isSkipped = (
  { object }: Dependent,
  { settings, endingNamespaces = [] }: Pick<EngineInput, 'settings' | 'endingNamespaces'>,
): boolean => settings.skipsDeleteHooks || endingNamespaces.includes(object.metadata.namespace ?? '')

/** Whether the component has the annotation that skips its hooks. */
export const skipsDeleteHooks = ({ metadata }: KubeObject, reconcilerName: string): boolean =>
  metadata.annotations?.[`${reconcilerName}/skip-delete-hooks`] === 'true'

/** Without delete hooks, the component's deletion renders nothing. */
export const deleteHookCount = (manifests: readonly KubeObject[], reconcilerName: string): number =>
  manifests.filter(manifest => isDeleteHook(manifest, reconcilerName)).length
