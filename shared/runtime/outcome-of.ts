// From what a pass did to what the relay is told: an ordered table, the first row that applies answers.
import type { Outcome } from '../core/outcome.ts'
import type { Next } from '../core/plan.ts'
import type { Pass } from './reconcile.ts'

type Row = { when: (pass: Pass, call: { hasMore: boolean }) => boolean; reply: (pass: Pass) => Outcome }

const rows: readonly Row[] = [
  {
    when: pass => pass.report.next === undefined && pass.results.some(isFailure),
    reply: pass => ({
      outcome: 'failed',
      reason: pass.results.flatMap(result => result.error?.message ?? []).join('; '),
      ...seconds(pass.report.retrySeconds ?? longestRetryAfter(pass)),
    }),
  },
  {
    when: pass => pass.hasConflict || pass.results.some(result => result.error?.isConflict),
    reply: () => atOnce('the object was changed by somebody else meanwhile'),
  },
  {
    when: (pass, { hasMore }) => hasMore || pass.results.length < pass.plan.steps.length,
    reply: () => atOnce('the time budget of the call is spent'),
  },
  { when: () => true, reply: pass => replyTo(nextOf(pass)) },
]

/** `hasMore`: the pass made progress and another one would have followed, had the call had time for it. */
export const outcomeOf = (pass: Pass, call: { hasMore: boolean }): Outcome => {
  const row = rows.find(({ when }) => when(pass, call))
  return row ? row.reply(pass) : replyTo(nextOf(pass))
}

/** What the report says weighs more: it knows what became of the steps. */
export const nextOf = ({ plan, report }: Pass): Next => report.next ?? plan.next

const isFailure = ({ error }: Pass['results'][number]): boolean => error !== undefined && !error.isConflict

const longestRetryAfter = (pass: Pass): number | undefined => {
  const all = pass.results.flatMap(result => result.error?.retryAfterSeconds ?? [])
  return all.length === 0 ? undefined : Math.max(...all)
}

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
      return { outcome: 'failed', requeueAfterSeconds: next.seconds, reason: next.reason }
    case 'again':
      return atOnce('there is more to do')
  }
}

const seconds = (requeueAfterSeconds: number | undefined) =>
  requeueAfterSeconds === undefined ? {} : { requeueAfterSeconds }
