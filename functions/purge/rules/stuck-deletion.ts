// Decides when the deletion of a Kyma is stuck.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting } from '../../../shared/core/objects/object.ts'
import { isOfAnother, type Kyma } from '../../../shared/kyma/kinds.ts'
import type { PurgeSettings } from '../settings.ts'

const { finalizers } = kymaNames

export const hasPurgeFinalizer = (kyma: Kyma): boolean => hasFinalizer(kyma, finalizers.purge)

/** Whether the modules were removed normally. The function kyma then removes its finalizer from the Kyma. */
export const isFinished = (kyma: Kyma): boolean => !hasFinalizer(kyma, finalizers.kyma)

export const isStuck = (kyma: Kyma, settings: PurgeSettings, now: Date): boolean =>
  isDeleting(kyma) &&
  settings.scope !== 'none' &&
  hasPurgeFinalizer(kyma) &&
  !isFinished(kyma) &&
  !isOfAnother(kyma) &&
  graceLeft(kyma, settings, now) < 0

/** The remaining grace period in seconds. Negative after its end. */
export const graceLeft = ({ metadata }: Kyma, { graceSeconds }: PurgeSettings, now: Date): number =>
  (Date.parse(metadata.deletionTimestamp ?? '') - now.getTime()) / 1_000 + graceSeconds
