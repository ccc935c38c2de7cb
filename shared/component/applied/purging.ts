// Dependents that are done with: purged when the wave of their purge order is ready, and remembered as Completed, so that
// they are neither read nor created again until they are declared differently.
import { isDeleting } from '../../core/object.ts'
import type { Item } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import type { DependentAction } from './dependent-action.ts'
import type { DependentCase } from './write-cause.ts'

export const isCompleting = ({ phase }: Item): boolean => phase === 'ScheduledForCompletion' || phase === 'Completing'

/** Ready, and all waves up to its own and its purge order are. */
export const isDue = ({ item, dependent: { policies } }: DependentCase, nextOrder: number): boolean =>
  item.phase === 'Ready' &&
  policies.purgeOrder !== undefined &&
  Math.max(policies.purgeOrder, policies.applyOrder) < nextOrder

/** Saved before the object is deleted: one that is gone without a word would be created again. */
export const scheduledForCompletion = ({ dependent, item }: DependentCase): DependentAction => ({
  dependent,
  item: { ...item, phase: 'ScheduledForCompletion' },
  standing: 'unready',
  message: 'is done and about to be purged',
  savesFirst: true,
})

/** One that was scheduled: it is deleted whatever its delete policy, unless it is somebody else's by now. */
export const completionOf = ({ dependent, item, live, world }: DependentCase): DependentAction => {
  if (!live || !isOwnedByUs(live, world)) {
    const completed: Item = { ...item, phase: 'Completed', status: '', fingerprint: '' }
    return { dependent, item: completed, standing: 'good', message: 'is completed' }
  }
  const waits = { dependent, item: { ...item, status: 'Terminating' }, standing: 'unready' } as const
  if (isDeleting(live)) return { ...waits, message: 'is being purged' }
  return { ...waits, message: 'is being purged', step: { do: 'delete', target: live, propagation: 'Background' } }
}
