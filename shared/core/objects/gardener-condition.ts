// Gardener's conditions. They have a fourth status, Progressing, for a check that has failed for a short while only, and
// lastUpdateTime beside lastTransitionTime.
import { isDeepStrictEqual } from 'node:util'
import { kubeTime } from '../time/kube-time.ts'

type GardenerConditionStatus = 'True' | 'False' | 'Unknown' | 'Progressing'

export type GardenerCondition = {
  type: string
  status: GardenerConditionStatus
  reason: string
  message: string
  lastTransitionTime: string
  lastUpdateTime: string
  codes?: string[]
}

/** What a check found. */
export type Finding = Pick<GardenerCondition, 'status' | 'reason' | 'message' | 'codes'>

/** The condition of a check that has not run yet. */
export const initializedCondition = (type: string, now: Date): GardenerCondition => ({
  type,
  status: 'Unknown',
  reason: 'ConditionInitialized',
  message: 'The condition has been initialized but its semantic check has not been performed yet.',
  lastTransitionTime: kubeTime(now),
  lastUpdateTime: kubeTime(now),
})

/**
 * The condition after this finding; the same object when the finding is no news. `sameMessage` decides which messages count as
 * equal though they differ.
 */
export const updatedCondition = (
  before: GardenerCondition,
  { finding, now, sameMessage = Object.is }: Update,
): GardenerCondition => {
  const isSameStatus = before.status === finding.status
  const isSameFinding = before.reason === finding.reason && sameMessage(before.message, finding.message)
  if (isSameStatus && isSameFinding && isDeepStrictEqual(before.codes, finding.codes)) return before
  const { codes: _, ...kept } = before
  const lastTransitionTime = isSameStatus ? before.lastTransitionTime : kubeTime(now)
  return { ...kept, ...finding, lastTransitionTime, lastUpdateTime: kubeTime(now) }
}

type Update = { finding: Finding; now: Date; sameMessage?: (a: string, b: string) => boolean }

/**
 * The status of a condition whose check fails. With a threshold, True becomes Progressing, and Progressing becomes False when
 * nothing was updated for longer than the threshold. Without one, it becomes False at once.
 */
export const failingStatus = (
  before: GardenerCondition,
  { thresholdSeconds, now }: { thresholdSeconds: number | undefined; now: Date },
): GardenerConditionStatus => {
  if (thresholdSeconds === undefined) return 'False'
  if (before.status === 'True') return 'Progressing'
  const sinceMilliseconds = now.getTime() - Date.parse(before.lastUpdateTime)
  return before.status === 'Progressing' && sinceMilliseconds <= thresholdSeconds * 1_000 ? 'Progressing' : 'False'
}
