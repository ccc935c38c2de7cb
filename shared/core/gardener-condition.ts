// Conditions as Gardener has them: a fourth status for what was seen well and fails since a short while, and the time of
// the last update beside that of the last transition. Who judges, and by what, is the functions' matter.
import { isDeepStrictEqual } from 'node:util'
import { kubeTime } from './kube-time.ts'

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

/** A condition that nobody has judged yet. */
export const initializedCondition = (type: string, now: Date): GardenerCondition => ({
  type,
  status: 'Unknown',
  reason: 'ConditionInitialized',
  message: 'The condition has been initialized but its semantic check has not been performed yet.',
  lastTransitionTime: kubeTime(now),
  lastUpdateTime: kubeTime(now),
})

/**
 * The condition after this finding; the very same one when it says nothing new. `sameMessage` tells which messages say
 * the same though they are spelled differently.
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

export type Update = { finding: Finding; now: Date; sameMessage?: (a: string, b: string) => boolean }

/**
 * The status of a condition whose check fails: what was True is Progressing until nothing new was seen for longer than
 * the threshold, and False at once without one.
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
