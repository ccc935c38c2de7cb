// Dependents with a purge order, such as a migration Job: deleted when the wave of that order is ready, and kept in the
// inventory as Completed, so that they are not created again until their manifest changes.
import { isDeleting } from '../../core/objects/object.ts'
import { completedItem, type Item } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import type { DependentAction } from './dependent-action.ts'
import type { DependentCase } from './write-cause.ts'

export const isCompleting = ({ phase }: Item): boolean => phase === 'ScheduledForCompletion' || phase === 'Completing'

/** It is ready, and so are all waves up to its purge order. `nextOrder`: the wave that is about to begin. */
export const isDue = ({ item, dependent: { policies } }: DependentCase, nextOrder: number): boolean =>
  item.phase === 'Ready' &&
  policies.purgeOrder !== undefined &&
  Math.max(policies.purgeOrder, policies.applyOrder) < nextOrder

/** The inventory must say so before the object is deleted; else the next pass would miss the object and create it again. */
export const scheduledForCompletion = ({ dependent, item }: DependentCase): DependentAction => ({
  dependent,
  item: { ...item, phase: 'ScheduledForCompletion' },
  is: 'unready',
  message: 'is done and about to be purged',
  savesFirst: true,
})

/** A scheduled one is deleted whatever its delete policy says, unless somebody else owns it by now. */
export const completionOf = ({ dependent, item, live, world }: DependentCase): DependentAction => {
  if (!live || !isOwnedByUs(live, world))
    return { dependent, item: completedItem(item), is: 'good', message: 'is completed' }
  const waits = { dependent, item: { ...item, status: 'Terminating' }, is: 'unready' } as const
  if (isDeleting(live)) return { ...waits, message: 'is being purged' }
  return { ...waits, message: 'is being purged', step: { do: 'delete', target: live, propagation: 'Background' } }
}
