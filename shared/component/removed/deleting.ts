// Plans the deletion of a component: pre-delete hooks, removal of dependents, post-delete hooks, and last the namespaces and CRDs that the
// hooks needed. Nothing starts while objects of other owners block the deletion.
import type { KubeObject } from '../../core/objects/object.ts'
import { applying, keepWaveByWave } from '../applied/applying.ts'
import { type DeleteHook, deleteHooks, isDeleteHook } from '../declared/annotations.ts'
import { type Dependent, isRegular, objectDigest } from '../declared/dependent.ts'
import { isGroundOf } from '../declared/order-faults.ts'
import { inOrder, updatedInventory } from '../inventory.ts'
import { type Item, type ItemKey, itemKey } from '../item.ts'
import { isOwnedByUs } from '../ownership.ts'
import { type Draft, isDone, noProgress, type Progress, together } from '../reported/dependents-status.ts'
import type { EngineInput, World } from '../world.ts'
import { blockersOf } from './deletion-blockers.ts'
import { removeItems } from './removal.ts'

export type DeletingOptions = {
  /** Deletes only items of a lower delete order. The plan is ready when these items are gone. */
  readonly upToDeleteOrder?: number
}

type Deleting = DeletingOptions & {
  readonly world: World
  readonly dependents: readonly Dependent[]
  readonly now: Date
}

/** A stage starts when the previous stage is done, and uses the inventory of the previous stage. */
type Stage = (deleting: Deleting) => Progress

const atTheEnd =
  (stage: Stage): Stage =>
  deleting =>
    deleting.upToDeleteOrder === undefined ? stage(deleting) : unchanged(deleting)

const stages: readonly Stage[] = [
  deleting => hookStage('pre-delete', deleting),
  deleting => removalStage(deleting, isNeededByLastHooks(deleting)),
  atTheEnd(deleting => hookStage('post-delete', deleting)),
  atTheEnd(deleting => removalStage(deleting, () => false)),
]

export const deleting = (world: World, declared: readonly Dependent[], now: Date, options: DeletingOptions): Draft => {
  const blocked = blockersOf(world)
  if (blocked.length > 0) return { hasChanged: false, progress: { ...whileBlocked(world, declared, now), blocked } }
  const dependents = declared.filter(dependent => !isSkipped(dependent, world))
  let progress = unchanged({ world, dependents, now })
  for (const stage of stages) {
    progress = stage({ ...options, world: { ...world, items: progress.items }, dependents, now })
    if (!isDone(progress)) break
  }
  const left = besideFirst(progress, { world, dependents: declared, now })
  return { hasChanged: false, progress: { ...left, items: inOrder(left.items, world) } }
}

/** With `repair`, dependents are still applied until items with negative delete order are gone. A new operator may finalize these items. */
const besideFirst = (progress: Progress, { world, dependents, now }: Deleting): Progress => {
  if (progress.items.every(({ deleteOrder }) => deleteOrder >= 0)) return progress
  const isOfOthers = (key: ItemKey): boolean => {
    const live = world.observed.live.get(key)
    return live !== undefined && !isOwnedByUs(live, world)
  }
  const aside = progress.items.filter(item => item.deleteOrder < 0 || isOfOthers(itemKey(item)))
  const keys = new Set(aside.map(itemKey))
  const items = progress.items.filter(item => !aside.includes(item))
  const rest = dependents.filter(({ key }) => !keys.has(key) && !isOfOthers(key))
  const kept = whileBlocked({ ...world, items }, rest, now)
  return together([
    { ...progress, items: aside },
    { ...kept, redundant: [] },
  ])
}

const unchanged = ({ world }: Deleting): Progress => ({ ...noProgress, items: world.items })

/** If no regular dependent is known, no dependent is repaired, and no item counts as undeclared. */
const whileBlocked = (world: World, declared: readonly Dependent[], now: Date): Progress =>
  world.settings.whileBlocked === 'repair' && declared.some(isRegular)
    ? applying({ ...world, goal: 'apply' }, declared, now).progress
    : { ...noProgress, items: world.items }

const hookStage = (moment: DeleteHook, { world, dependents, now }: Deleting): Progress => {
  const byKey = new Map(world.items.map(item => [itemKey(item), item]))
  const hooks = hooksOf(moment, dependents).filter(({ key }) => !isOver(moment, byKey.get(key)))
  const { own, others } = split(world.items, hooks)
  const books = updatedInventory(hooks, { ...world, items: own })
  if (books.hasAdded) return { ...noProgress, items: [...books.items, ...others], mustSave: true }
  const items = new Map(books.items.map(item => [itemKey(item), item]))
  const kept = keepWaveByWave({ world, now, dependents: hooks, items })
  return { ...kept, items: [...kept.items, ...others] }
}

const isNeededByLastHooks = ({ dependents }: Deleting): ((item: Item) => boolean) => {
  const hooks = hooksOf('post-delete', dependents)
  return item => isGroundOf(item, hooks)
}

const removalStage = (
  { world, dependents, upToDeleteOrder = Number.POSITIVE_INFINITY }: Deleting,
  isStillNeeded: (item: Item) => boolean,
): Progress => {
  const hooks = dependents.filter(({ policies }) => policies.deleteHooks.length > 0)
  const { own, others } = split(world.items, hooks)
  const isToGo = (item: Item) => item.deleteOrder < upToDeleteOrder && !isStillNeeded(item)
  const staying = [...own, ...others.filter(item => !isToGo(item))]
  const removed = removeItems({ world, items: others.filter(isToGo), staying })
  return { ...removed, items: [...removed.items, ...staying] }
}

const split = (items: readonly Item[], dependents: readonly Dependent[]) => {
  const keys = new Set(dependents.map(({ key }) => key))
  return {
    own: items.filter(item => keys.has(itemKey(item))),
    others: items.filter(item => !keys.has(itemKey(item))),
  }
}

// Delete hooks are applied only at the component's deletion: before (pre-delete) or after (post-delete) all other dependents are deleted.
// A finished hook stays in the inventory as Completed with the digest `…@pre-delete` or `…@post-delete`.

/** Higher than any order in an annotation. */
const lastOrder = 32768

/** The hooks of one moment, purged when all of them are ready. */
const hooksOf = (moment: DeleteHook, dependents: readonly Dependent[]): Dependent[] =>
  dependents
    .filter(({ policies }) => policies.deleteHooks.includes(moment))
    .map(dependent => ({
      ...dependent,
      digest: `${objectDigest(dependent.object)}@${moment}`,
      policies: { ...dependent.policies, reconcilePolicy: 'OnObjectChange', purgeOrder: lastOrder },
    }))

const momentOf = ({ digest }: Item): DeleteHook | undefined => deleteHooks.find(moment => digest.endsWith(`@${moment}`))

/** Whether the hook has run for this moment. A running post-delete hook has already run as pre-delete hook. */
const isOver = (moment: DeleteHook, item: Item | undefined): boolean => {
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
