// Gardener's conditions. These conditions have a fourth status, Progressing, for a check that failed recently, and the field
// lastUpdateTime.
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

export type Finding = Pick<GardenerCondition, 'status' | 'reason' | 'message' | 'codes'>

export const initializedCondition = (type: string, now: Date): GardenerCondition => ({
  type,
  status: 'Unknown',
  reason: 'ConditionInitialized',
  message: 'The condition has been initialized but its semantic check has not been performed yet.',
  lastTransitionTime: kubeTime(now),
  lastUpdateTime: kubeTime(now),
})

/** The condition after this finding; the same object if nothing changes. `sameMessage` compares messages. */
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

/** `succeededAt`: when the last operation of the object succeeded. */
type Failure = {
  readonly reason: string
  readonly thresholdSeconds: number | undefined
  readonly succeededAt: string | undefined
  readonly now: Date
}

/**
 * The status of a condition whose check fails. Without a threshold it is False. With a threshold it is Progressing until the threshold has
 * passed. The threshold starts again when a False condition gets another reason, and after each successful operation.
 */
export const failingStatus = (
  before: GardenerCondition,
  { reason, thresholdSeconds, succeededAt, now }: Failure,
): GardenerConditionStatus => {
  if (thresholdSeconds === undefined) return 'False'
  const isRecent = (time = ''): boolean => now.getTime() - Date.parse(time) <= thresholdSeconds * 1_000
  const isPassing: Readonly<Record<GardenerConditionStatus, boolean>> = {
    True: true,
    Progressing: isRecent(before.lastTransitionTime) || isRecent(succeededAt),
    False: reason !== before.reason || isRecent(succeededAt),
    Unknown: false,
  }
  return isPassing[before.status] ? 'Progressing' : 'False'
}
