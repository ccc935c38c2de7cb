// Reasons and messages of purge. Reasons are API: alerts and runbooks name them.
import type { EventNote, StepResult } from '../../shared/core/decisions/plan.ts'
import { partsText } from '../../shared/core/text/text.ts'

/** Why a Kyma in deletion waits. */
export const graceOver = 'the end of the grace period'

/** Nothing was purged, although the grace period is over. */
export const notPurged = (because: string): EventNote => ({
  type: 'Normal',
  reason: 'NotPurged',
  message: `nothing is purged: ${because}`,
})

/** An object could not be purged. The next call tries again. */
export const purgeFailed = (message: string): EventNote => ({ type: 'Warning', reason: 'PurgeFailed', message })

/** Events about steps that failed to add or remove the finalizer of a Kyma. */
export const finalizerEvents = (results: readonly StepResult[]): EventNote[] =>
  results.flatMap(({ step, error }) => {
    const reason = finalizerReasons[step.do]
    return error && !error.isConflict && reason ? [{ type: 'Warning', reason, message: error.message }] : []
  })

/** The finalizer of purge could not be removed from the Kyma. */
export const removalFailed = 'RemovingPurgeFinalizerFailed'

const finalizerReasons: Readonly<Partial<Record<StepResult['step']['do'], string>>> = {
  addFinalizer: 'SettingPurgeFinalizerFailed',
  removeFinalizer: removalFailed,
}

const namedMost = 5

/** The first faults, and the number of the remaining faults. */
export const faultsText = (faults: readonly string[]): string => partsText(faults, namedMost)
