// Decides whether another pass follows in this call, and the reply of the call.
import { firstRow } from '../core/decisions/checks.ts'
import type { Outcome } from '../core/decisions/outcome.ts'
import type { Next, Plan, Report, StepResult } from '../core/decisions/plan.ts'
import { refOf, refText } from '../core/objects/object.ts'
import type { FutileWrite } from './own-writes.ts'

export type Pass = {
  readonly plan: Plan
  readonly results: readonly StepResult[]
  readonly report: Report
  /** Results of the steps after the status. */
  readonly afterwards: readonly StepResult[]
  /** The status was not saved, because the object had changed. */
  readonly hasConflict: boolean
}

/** The report takes precedence over the plan, because the report knows the results of the steps. */
export const nextOf = ({ plan, report }: Pass): Next => report.next ?? plan.next

/** After a change, another pass follows, until a pass changes nothing. A failure or a conflict ends the call. */
export const needsAnotherPass = (pass: Pass): boolean => {
  if (wasOvertaken(pass) || hasFailed(pass)) return false
  const next = nextOf(pass)
  return next.is === 'again' || (next.is === 'settled' && pass.results.some(({ changed }) => changed))
}

export const isAtRest = (pass: Pass): boolean =>
  nextOf(pass).is === 'settled' &&
  !pass.hasConflict &&
  allResults(pass).every(({ changed, error }) => !changed && !error)

type Row = { when: (pass: Pass, call: { hasMore: boolean }) => boolean; reply: (pass: Pass) => Outcome }

const rows: readonly Row[] = [
  {
    when: hasFailed,
    reply: pass => ({
      outcome: 'failed',
      reason: allResults(pass)
        .flatMap(result => result.error?.message ?? [])
        .join('; '),
      ...seconds(longestRetryAfter(pass)),
    }),
  },
  { when: wasOvertaken, reply: () => atOnce('the object was changed by another client in the meantime') },
  {
    when: (pass, { hasMore }) => hasMore || pass.results.length < pass.plan.steps.length,
    reply: () => atOnce('the time budget of the call is used up'),
  },
  { when: () => true, reply: pass => replyTo(nextOf(pass)) },
]

/** `hasMore`: another pass is due, but the call has no time left. */
export const outcomeOf = (pass: Pass, call: { hasMore: boolean }): Outcome => firstRow(rows, pass, call).reply(pass)

/** Whether a step failed and the report does not set `next`, or a step after the status failed. */
function hasFailed({ report, results, afterwards }: Pass): boolean {
  return [...(report.next ? [] : results), ...afterwards].some(({ error }) => error !== undefined && !error.isConflict)
}

/** Whether a write of the pass had a conflict. */
export function wasOvertaken(pass: Pass): boolean {
  return pass.hasConflict || allResults(pass).some(({ error }) => error?.isConflict)
}

const allResults = ({ results, afterwards }: Pass): readonly StepResult[] => [...results, ...afterwards]

const longestRetryAfter = (pass: Pass): number | undefined => {
  const all = allResults(pass).flatMap(({ error }) => error?.retryAfterSeconds ?? [])
  return all.length === 0 ? undefined : Math.max(...all)
}

/** The pause after futile writes, which are due to stale reads or a competing writer. */
const futileSeconds = 10

const futileReasons: Readonly<Record<FutileWrite['because'], string>> = {
  readAsBefore: 'was written, but the API server still returns an older state',
  changedBack: 'is changed by another program, such as a webhook, after each write',
}

export const outcomeOfFutile = ({ object, because }: FutileWrite): Outcome => ({
  outcome: 'waiting',
  requeueAfterSeconds: futileSeconds,
  reason: `${refText(refOf(object))} ${futileReasons[because]}`,
})

const atOnce = (reason: string): Outcome => ({ outcome: 'waiting', requeueAfterSeconds: 0, reason })

const replyTo = (next: Next): Outcome => {
  switch (next.is) {
    case 'settled':
      return { outcome: 'settled', ...seconds(next.againSeconds) }
    case 'waiting':
      return { outcome: 'waiting', requeueAfterSeconds: next.seconds, reason: next.for }
    case 'stalled':
      return { outcome: 'stalled', reason: next.reason }
    case 'failed':
      return { outcome: 'failed', ...seconds(next.seconds), reason: next.reason }
    case 'again':
      return atOnce('the plan has more steps')
  }
}

const seconds = (requeueAfterSeconds: number | undefined) =>
  requeueAfterSeconds === undefined ? {} : { requeueAfterSeconds }
