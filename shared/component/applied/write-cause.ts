// Why a dependent is to be written again: its manifest is another one, somebody has touched the object, or the last write
// is long ago. And when it is too early to undo what somebody did.
import { hasFinalizer, type KubeObject } from '../../core/object.ts'
import type { Dependent } from '../declared/dependent.ts'
import { writtenDigestOf } from '../declared/owner.ts'
import { type Item, wasApplied } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import { fingerprintOf } from '../observed/fingerprint.ts'
import type { World } from '../world.ts'
import { isGuarded, objectToSend } from './object-to-send.ts'

/** Everything a case may look at. `live` is undefined when there is no such object. */
export type DependentCase = {
  readonly world: World
  readonly now: Date
  readonly dependent: Dependent
  readonly item: Item
  readonly live: KubeObject | undefined
}

export type PresentDependent = DependentCase & { readonly live: KubeObject }
export type WriteCause = 'change' | 'drift' | 'age'

/** Why it is to be written; undefined: it is not. */
export const causeOf = (c: PresentDependent): WriteCause | undefined => {
  if (isOnce(c) && !isScheduled(c)) return undefined
  const { reconcilerName } = c.world.settings
  const isOwn = isOwnedByUs(c.live, c.world)
  if (!isOwn && !wasApplied(c.item)) return 'change'
  if (isOwn && writtenDigestOf(c.live, reconcilerName) !== c.item.digest) return isScheduled(c) ? 'change' : 'drift'
  if (isOnce(c)) return undefined
  if (!isOwn || hasDrifted(c)) return 'drift'
  return isOld(c) ? 'age' : undefined
}

const hasDrifted = (c: PresentDependent): boolean => {
  if (isGuarded(c.dependent, c.world) && !hasFinalizer(c.live, c.world.settings.finalizer)) return true
  // What was written but never recorded has nothing to be compared with.
  return !isUnrecorded(c) && c.item.fingerprint !== fingerprintOf(c.live, objectToSendIn(c))
}

export const isUnrecorded = (c: DependentCase): boolean => isScheduled(c) || c.item.fingerprint === ''

/** Nothing is deleted and created again for its age alone. */
const isOld = ({ item, now, dependent: { policies } }: DependentCase): boolean =>
  policies.updatePolicy !== 'Recreate' &&
  wasApplied(item) &&
  now.getTime() - Date.parse(item.lastAppliedAt) >= policies.reapplySeconds * 1000

export const isOnce = ({ dependent }: DependentCase): boolean => dependent.policies.reconcilePolicy === 'Once'
export const isScheduled = ({ item }: DependentCase): boolean => item.phase === 'ScheduledForApplication'

/** Whatever somebody does to a dependent is undone at most so often, so that nobody is fought without a pause. */
const repairPauseSeconds = 10

export const heldSeconds = ({ item, now }: DependentCase): number =>
  repairPauseSeconds - (now.getTime() - Date.parse(item.lastAppliedAt)) / 1000

export const isHeld = (c: DependentCase): boolean => wasApplied(c.item) && heldSeconds(c) > 0

export const objectToSendIn = ({ dependent, world }: DependentCase): KubeObject => objectToSend(dependent, world)
