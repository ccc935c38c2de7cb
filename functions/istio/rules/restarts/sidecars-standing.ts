// How far the restarts of sidecars have come after this pass tried some, and what that means for the Istio.
import type { Step, StepResult } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { keyText } from '../../../../shared/core/objects/object.ts'
import { descriptions } from '../../reasons.ts'
import type { ConditionNote } from '../conditions.ts'
import type { IstioFinding } from '../findings.ts'
import { type DueRestart, dueNow, type StuckOwner, type Survey } from './pod-survey.ts'
import { deletePodStep, type RestartTried, rollStep } from './steps.ts'
import { workloadsText } from './workloads-text.ts'

/** The write that restarts each owner. */
export const restartSteps = (due: readonly DueRestart[], now: Date): Step[] =>
  due.flatMap(restart => {
    const { action } = restart.owner
    if (action.does === 'nothing') return []
    return [action.does === 'roll' ? rollStep(action.workload, now) : deletePodStep(restart.pod)]
  })

export const sidecarSteps = (survey: Survey, now: Date): Step[] => restartSteps(dueNow(survey), now)

/** A restart that was tried. */
type Tried = { readonly restart: DueRestart; readonly result: StepResult }

export const restartsTried = (due: readonly DueRestart[], results: readonly StepResult[]): readonly Tried[] => {
  const byUid = new Map(due.map(restart => [writtenBy(restart).metadata.uid, restart]))
  return results.flatMap((result): Tried[] => {
    const restart = 'target' in result.step ? byUid.get(result.step.target.metadata.uid) : undefined
    return restart ? [{ restart, result }] : []
  })
}

const writtenBy = ({ owner: { action }, pod }: DueRestart): KubeObject =>
  action.does === 'roll' ? action.workload : pod

export const restartOf = ({ restart: { owner, cause }, result }: Tried): RestartTried[] => {
  const { action } = owner
  if (action.does === 'nothing') return []
  const workload = action.does === 'roll' ? action.workload : action.owner
  return [{ target: 'sidecars', cause, workload, result }]
}

type SidecarsStanding = {
  /** Owners that cannot be restarted. */
  readonly stuck: readonly StuckOwner[]
  /** More restarts may be needed in a minute. */
  readonly isDue: boolean
  /** Workloads of Kyma were restarted, and others may follow in this call. */
  readonly mayOthersFollow: boolean
}

type Seen = { readonly survey: Survey; readonly hasActed: boolean; readonly tried: readonly Tried[] }

export const sidecarsStanding = ({ survey, hasActed, tried }: Seen): SidecarsStanding => {
  const failed = tried.filter(({ result }) => result.error)
  const refused = failed.filter(({ result }) => !result.error?.isRetriable && !result.error?.isConflict)
  const stuck = [
    ...survey.stuck,
    ...refused.map(({ restart: { owner, isOfKyma }, result }) => ({
      owner,
      isOfKyma,
      why: result.error?.message ?? '',
    })),
  ]
  const areOthersDue = dueNow(survey).length < survey.due.length
  const isDue = hasActed || survey.isSettling || survey.isCutShort || areOthersDue || tried.length > refused.length
  const mayOthersFollow = areOthersDue && failed.length === 0 && !stuck.some(({ isOfKyma }) => isOfKyma)
  return { stuck, isDue, mayOthersFollow }
}

type SidecarsReport = { readonly findings: readonly IstioFinding[]; readonly conditions: readonly ConditionNote[] }

export const sidecarsUnread = (cause: string): SidecarsReport => ({
  findings: [{ state: 'Error', description: descriptions.sidecarsFailed(cause), answer: 'backoff' }],
  conditions: [{ reason: 'ProxySidecarRestartFailed', detail: cause }],
})

export const standingReport = ({ stuck, isDue }: SidecarsStanding): SidecarsReport => {
  const due: readonly IstioFinding[] = isDue
    ? [{ state: 'Processing', description: descriptions.restarting, answer: 'chunksDue' }]
    : []
  const ofKyma = stuck.find(({ isOfKyma }) => isOfKyma)
  if (ofKyma) {
    const { findings, conditions } = sidecarsUnread(`could not restart ${keyText(ofKyma.owner.key)}: ${ofKyma.why}`)
    return { conditions, findings: [...findings, ...due] }
  }
  if (stuck.length > 0) {
    const warning: IstioFinding = { state: 'Warning', description: descriptions.sidecarsStuck, answer: 'userTask' }
    const detail = workloadsText(stuck.map(({ owner }) => owner.key))
    return { findings: [warning, ...due], conditions: [{ reason: 'ProxySidecarManualRestartRequired', detail }] }
  }
  return {
    findings: due,
    conditions: [{ reason: isDue ? 'ProxySidecarPartiallySucceeded' : 'ProxySidecarRestartSucceeded' }],
  }
}
