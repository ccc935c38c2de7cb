// The table of what happens to a key after its call. Example: `waiting` with 30 seconds calls it again in 30 seconds; `failed`,
// HTTP 503 or a body that is no outcome calls it again after its backoff.
import type { Outcome, OutcomeName } from '../../core/decisions/outcome.ts'
import { isMap } from '../../core/json/json.ts'
import type { WorkResult } from '../queue/queue.ts'
import type { HostReply } from './function-host.ts'

type Row = (requeueAfterSeconds: number | undefined) => WorkResult

const rows: Record<OutcomeName, Row> = {
  settled: seconds => (seconds === undefined ? { is: 'done' } : { is: 'again', seconds, isSettled: true }),
  waiting: seconds => (seconds === undefined ? { is: 'failed' } : { is: 'again', seconds }),
  stalled: () => ({ is: 'done' }),
  failed: seconds => (seconds === undefined ? { is: 'failed' } : { is: 'failed', seconds }),
}

/** What happens to the key after this reply; `fault`: what was wrong with it, for the log. */
export const resultOfReply = (reply: HostReply): { verdict: WorkResult; fault?: string } => {
  if (reply.status !== 200) return { verdict: failedReply(reply), fault: `HTTP ${reply.status}` }
  const outcome = outcomeIn(reply.body)
  if (outcome === undefined) return { verdict: { is: 'failed' }, fault: 'the reply is no outcome' }
  const verdict = withWrites(rows[outcome.outcome](outcome.requeueAfterSeconds), outcome)
  return outcome.outcome === 'failed' ? { verdict, fault: outcome.reason ?? 'failed' } : { verdict }
}

/** A failed call's own writes are not skipped: any event calls the key again. */
const withWrites = (verdict: WorkResult, { wrote = [] }: Outcome): WorkResult =>
  wrote.length === 0 || verdict.is === 'failed' ? verdict : { ...verdict, wrote }

/** Any status but 200: try again, never before `Retry-After`. `Retry-After: 0` counts as absent. */
export const failedReply = ({ retryAfterSeconds = 0 }: HostReply): WorkResult =>
  retryAfterSeconds === 0 ? { is: 'failed' } : { is: 'failed', heldSeconds: retryAfterSeconds }

const outcomeIn = (body: unknown): Outcome | undefined => {
  if (!isMap(body) || typeof body.outcome !== 'string' || !Object.hasOwn(rows, body.outcome)) return undefined
  const { outcome, requeueAfterSeconds: seconds, reason, wrote } = body
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)))
    return undefined
  if (!areTexts(wrote)) return undefined
  return {
    outcome: outcome as OutcomeName,
    ...(seconds === undefined ? {} : { requeueAfterSeconds: seconds }),
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(wrote === undefined ? {} : { wrote }),
  }
}

const areTexts = (value: unknown): value is string[] | undefined =>
  value === undefined || (Array.isArray(value) && value.every(item => typeof item === 'string'))
