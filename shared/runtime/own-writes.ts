// Which of its own writes a call has looked at when it ends, so that it need not be called for the events they cause: those
// that a further pass could see, and those whose answers the report has judged. How callers go by it is their matter.
import { isDeleting, versionText } from '../core/object.ts'
import type { Outcome } from '../core/outcome.ts'
import type { StepResult } from '../core/plan.ts'
import type { Pass } from './reconcile.ts'

/** States that the pass left objects in and that have been looked at since; of the last pass nobody saw the status. */
export const writesLookedAt = ({ results, report, saved }: Pass, { isLast }: { isLast: boolean }): string[] => {
  if (isLast && !report.hasJudgedAnswers) return []
  const answers = results.filter(isAnswer).map(({ object }) => object)
  return [...answers, isLast ? undefined : saved].flatMap(object => (object && versionText(object)) ?? [])
}

/**
 * A hook answers what it was given. Where a write lets the last finalizer of an object go, the answer shows the state from
 * before.
 */
const isAnswer = ({ step, changed, object }: StepResult): boolean =>
  changed && step.do !== 'hook' && object !== undefined && !isDeleting(object)

/**
 * With the states that the call knows. Who failed is to be called again by whatever happens, and so is who stalled: nobody else
 * will do it.
 */
export const knowing = (outcome: Outcome, { wrote = [], read = [] }: Pick<Outcome, 'wrote' | 'read'>): Outcome =>
  outcome.outcome === 'settled' || outcome.outcome === 'waiting'
    ? { ...outcome, ...(wrote.length > 0 && { wrote }), ...(read.length > 0 && { read }) }
    : outcome
