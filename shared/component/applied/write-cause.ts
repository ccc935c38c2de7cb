// Decides why a dependent is written again: its manifest changed, another client changed the object, or the last write is older than
// reapply-interval. Also delays repairs, and builds the object to send.
import { remembered } from '../../core/memory/remembered.ts'
import { hasFinalizer, type KubeObject, type ObjectRef, refOf } from '../../core/objects/object.ts'
import { timePassed } from '../../core/time/kube-time.ts'
import { declared } from '../declared/declared-dependents.ts'
import { type Dependent, isRegular } from '../declared/dependent.ts'
import { type Item, itemKey, objectKey, wasApplied } from '../item.ts'
import { fingerprintOf } from '../observed/drift.ts'
import { digestKey, isOwnedByUs, ownerKey, writtenDigestOf } from '../ownership.ts'
import type { EngineSettings } from '../settings.ts'
import type { EngineInput, Owner, World } from '../world.ts'

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
  return !isUnrecorded(c) && c.item.fingerprint !== fingerprintOf(c.live, objectToSend(c.dependent, c.world))
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

/** The first `most` dependents that will be repaired, because reports contain no more. Leaves out objects whose managedFields are known. */
export const driftedRefs = (world: World, now: Date, most: number): ObjectRef[] => {
  const items = new Map(world.items.map(item => [itemKey(item), item]))
  const found: ObjectRef[] = []
  for (const dependent of world.goal === 'apply' ? declared(world).dependents.filter(isRegular) : []) {
    if (found.length === most) break
    const key = objectKey(dependent.object)
    const [item, live] = [items.get(key), world.observed.live.get(key)]
    if (!item || !live || live.metadata.managedFields) continue
    const present = { world, now, dependent, item, live }
    if (causeOf(present) === 'drift' && !isHeld(present)) found.push(refOf(live))
  }
  return found
}

export const objectToSend = (dependent: Dependent, { settings, owner }: EngineInput): KubeObject =>
  objectToSendFor(dependent, settings, owner)

const objectToSendFor = remembered((dependent: Dependent, settings: EngineSettings, owner: Owner): KubeObject => {
  const { metadata } = dependent.object
  const key = ownerKey(settings.reconcilerName)
  const finalizers = [
    ...(metadata.finalizers ?? []),
    ...(isGuarded(dependent, { settings }) ? [settings.finalizer] : []),
  ]
  return {
    ...dependent.object,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [key]: owner.hash },
      annotations: {
        ...metadata.annotations,
        [key]: owner.id,
        [digestKey(settings.reconcilerName)]: dependent.digest,
      },
      ...(finalizers.length > 0 && { finalizers }),
    },
  }
})

/** CRDs and APIServices get our finalizer, so that the API server does not remove them while instances exist. */
const isGuarded = (
  { managedTypes }: Pick<Dependent, 'managedTypes'>,
  { settings }: Pick<EngineInput, 'settings'>,
): boolean => settings.hasCrdFinalizers && managedTypes.length > 0
