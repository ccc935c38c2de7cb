// Findings are faults and unfinished work. The status shows the worst finding; the earliest due time determines the next call.
import type { IstioState } from '../../../shared/api/istio.ts'
import type { Next } from '../../../shared/core/decisions/plan.ts'
import { conditionLimits } from '../../../shared/core/objects/condition.ts'
import { shortened } from '../../../shared/core/text/text.ts'
import { descriptions, type ReadyReason } from '../reasons.ts'

export type IstioFinding = {
  readonly state: Exclude<IstioState, 'Ready'>
  /** A text for users in the form `what failed: cause`. */
  readonly description: string
  /** The reason of condition Ready. Absent: ReconcileUnknown for unfinished work, ReconcileFailed for faults. */
  readonly reason?: ReadyReason
  /** Appended to the reason's text in the condition's message. */
  readonly detail?: string
  readonly answer: Answer
}

/** Seconds until the next call. `backoff`: the relay's backoff after failures; `stalled`: no call until something changes. */
const answers = {
  installing: 5,
  removing: 5,
  /** A restart target was noted. Restarts start after the status is saved. */
  targetNoted: 1,
  /** More restarts are due than one call makes. */
  chunksDue: 60,
  refusedVersion: 60,
  danglingResources: 60,
  /** A user must restart or correct something. */
  userTask: 3_600,
  stalled: 'stalled',
  backoff: 'backoff',
} as const satisfies Record<string, number | 'stalled' | 'backoff'>

type Answer = keyof typeof answers

/** A failure that may disappear with another attempt. */
export const failure = (description: string, more: Pick<IstioFinding, 'reason' | 'detail'> = {}): IstioFinding => ({
  state: 'Error',
  description,
  ...more,
  answer: 'backoff',
})

const ofInstallation = { reason: 'IstioInstallUninstallFailed' } as const

export const installFailed = (cause: string): IstioFinding => failure(descriptions.notInstalled(cause), ofInstallation)

export const uninstallFailed = (cause: string): IstioFinding =>
  failure(descriptions.notUninstalled(cause), ofInstallation)

export const annotationUnreadable = (cause: string): IstioFinding =>
  failure(descriptions.unreadableAnnotation(cause), ofInstallation)

export const resourcesFailed = (causes: readonly string[]): IstioFinding =>
  failure(descriptions.resourcesFailed(causes), { reason: 'CustomResourcesReconcileFailed' })

const ranks: Readonly<Record<IstioFinding['state'], number>> = { Error: 0, Warning: 1, Processing: 2, Deleting: 2 }

/** The first of the worst findings. Its text is shortened, because it may quote arbitrary content of Pods and annotations. */
export const worstOf = (findings: readonly IstioFinding[]): IstioFinding | undefined => {
  const [worst] = findings.toSorted((one, other) => ranks[one.state] - ranks[other.state])
  return worst && { ...worst, description: shortened(conditionLimits.message, worst.description) }
}

export const nextAfter = (findings: readonly IstioFinding[], reconcileSeconds: number): Next => {
  const worst = worstOf(findings)
  if (worst === undefined) return { is: 'settled', againSeconds: reconcileSeconds }
  const { state, description } = worst
  const areChunksDue = findings.some(({ answer }) => answer === 'chunksDue')
  if (answers[worst.answer] === 'stalled') return { is: 'stalled', reason: description }
  if (state === 'Error')
    return { is: 'failed', reason: description, ...(areChunksDue && { seconds: answers.chunksDue }) }
  const dues = findings.map(({ answer }) => answers[answer]).filter(due => typeof due === 'number')
  return { is: 'waiting', seconds: Math.min(...dues), for: description }
}

export const readyReason = (findings: readonly IstioFinding[]): ReadyReason => {
  const worst = worstOf(findings)
  if (worst === undefined) return 'ReconcileSucceeded'
  if (worst.state !== 'Error' && findings.some(({ answer }) => answer === 'chunksDue')) return 'ReconcileRequeued'
  return worst.reason ?? (ranks[worst.state] < ranks.Processing ? 'ReconcileFailed' : 'ReconcileUnknown')
}
