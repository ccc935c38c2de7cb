// What is found to be wrong or under way, and what that means for the Istio: of several findings the worst is shown, and the next
// call comes when the earliest of them is due.
import type { IstioState } from '../../../shared/api/istio.ts'
import { conditionLimits } from '../../../shared/core/condition.ts'
import type { Next } from '../../../shared/core/plan.ts'
import { shortened } from '../../../shared/core/text.ts'
import { descriptions, type ReadyReason } from '../reasons.ts'

export type IstioFinding = {
  readonly state: Exclude<IstioState, 'Ready'>
  /** `what: cause`, for people. */
  readonly description: string
  /** Of the condition Ready. Absent: ReconcileUnknown while work goes on, else ReconcileFailed; another condition tells more. */
  readonly reason?: ReadyReason
  /** Follows what the reason says in the condition. */
  readonly detail?: string
  readonly answer: Answer
}

/** When the next call comes, in seconds. `backoff`: as the relay waits after failures; `stalled`: when somebody changes something. */
const answers = {
  installing: 5,
  removing: 5,
  /** Its restart begins once the note is saved. */
  targetNoted: 1,
  /** Restarts go on in portions. */
  chunksDue: 60,
  refusedVersion: 60,
  danglingResources: 60,
  /** Somebody has to restart, or to correct, something of their own. */
  userTask: 3_600,
  stalled: 'stalled',
  backoff: 'backoff',
} as const satisfies Record<string, number | 'stalled' | 'backoff'>

type Answer = keyof typeof answers

/** Objects beside the installation cannot be as they should. */
export const resourcesFailed = (causes: readonly string[]): IstioFinding => ({
  ...{ state: 'Error', description: descriptions.resourcesFailed(causes) },
  ...{ reason: 'CustomResourcesReconcileFailed', answer: 'backoff' },
})

const ranks: Readonly<Record<IstioFinding['state'], number>> = { Error: 0, Warning: 1, Processing: 2, Deleting: 2 }

/** The first of the worst ones. It may quote what anybody wrote into a Pod or an annotation: a status has room for the beginning. */
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

/** Of the condition Ready while something is found. */
export const readyReason = (findings: readonly IstioFinding[]): ReadyReason => {
  const worst = worstOf(findings)
  if (worst === undefined) return 'ReconcileSucceeded'
  if (worst.state !== 'Error' && findings.some(({ answer }) => answer === 'chunksDue')) return 'ReconcileRequeued'
  return worst.reason ?? (ranks[worst.state] < ranks.Processing ? 'ReconcileFailed' : 'ReconcileUnknown')
}
