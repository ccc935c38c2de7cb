// Decides what happens to a key after its call. Example: `waiting` with 30 seconds repeats the call in 30 seconds. `failed`, HTTP 503 or an
// invalid body repeats the call after the backoff.
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

/** `fault`: the fault of the reply, for the log. */
export const resultOfReply = (reply: HostReply): { verdict: WorkResult; fault?: string } => {
  if (reply.status !== 200) return { verdict: failedReply(reply), fault: `HTTP ${reply.status}` }
  const outcome = outcomeIn(reply.body)
  if (outcome === undefined)
    return { verdict: { is: 'failed' }, fault: 'the response of the function is not a valid outcome' }
  const verdict = withWrites(rows[outcome.outcome](outcome.requeueAfterSeconds), outcome)
  return outcome.outcome === 'failed' ? { verdict, fault: outcome.reason ?? 'failed' } : { verdict }
}

/** After a failed call, events of its own writes are not skipped, so any event calls the key again. */
const withWrites = (verdict: WorkResult, { wrote = [] }: Outcome): WorkResult =>
  wrote.length === 0 || verdict.is === 'failed' ? verdict : { ...verdict, wrote }

/** For any status except 200: repeat, but not before `Retry-After`. `Retry-After: 0` counts as absent. */
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
