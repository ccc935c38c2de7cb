// Decides why a dependent is written again: its manifest changed, another client changed the object, or the last write is older than
// reapply-interval. Also delays repairs.
import { hasFinalizer, type KubeObject } from '../../core/objects/object.ts'
import { timePassed } from '../../core/time/kube-time.ts'
import type { Dependent } from '../declared/dependent.ts'
import { writtenDigestOf } from '../declared/owner.ts'
import { type Item, wasApplied } from '../inventory/item.ts'
import { isOwnedByUs } from '../observed/adoption.ts'
import { fingerprintOf } from '../observed/fingerprint.ts'
import type { World } from '../world.ts'
import { isGuarded, objectToSend } from './object-to-send.ts'

/** The facts about one dependent. `live` is undefined if the object does not exist. */
export type DependentCase = {
  readonly world: World
  readonly now: Date
  readonly dependent: Dependent
  readonly item: Item
  readonly live: KubeObject | undefined
}

export type PresentDependent = DependentCase & { readonly live: KubeObject }
export type WriteCause = 'change' | 'drift' | 'age'

/** The reason to write the object; undefined when no write is needed. */
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
  // The fingerprint of an unrecorded write is unknown.
  return !isUnrecorded(c) && c.item.fingerprint !== fingerprintOf(c.live, objectToSendIn(c))
}

export const isUnrecorded = (c: DependentCase): boolean => isScheduled(c) || c.item.fingerprint === ''

/** With the update policy `recreate`, age alone does not cause a write, because the write would delete the object. */
const isOld = ({ item, now, dependent: { policies } }: DependentCase): boolean =>
  policies.updatePolicy !== 'Recreate' &&
  wasApplied(item) &&
  now.getTime() - Date.parse(item.lastAppliedAt) >= policies.reapplySeconds * 1000

export const isOnce = ({ dependent }: DependentCase): boolean => dependent.policies.reconcilePolicy === 'Once'
export const isScheduled = ({ item }: DependentCase): boolean => item.phase === 'ScheduledForApplication'

/** Minimum time between two repairs, so that two controllers do not overwrite each other without pause. */
const repairPauseSeconds = 10

export const heldSeconds = ({ item: { lastAppliedAt }, now }: DependentCase): number => {
  const written = timePassed(lastAppliedAt, now)
  return written === undefined ? 0 : repairPauseSeconds - (now.getTime() - Date.parse(written)) / 1000
}

export const isHeld = (c: DependentCase): boolean => wasApplied(c.item) && heldSeconds(c) > 0

export const objectToSendIn = ({ dependent, world }: DependentCase): KubeObject => objectToSend(dependent, world)
