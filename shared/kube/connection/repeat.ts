// Which failed requests are sent again within a call, and after what pause: a table with one row per kind of failure. All other
// failures go to the caller and in the end to the relay, which backs off per key.
import { ApiError, ConnectionError, isMisfit, isUnconverted, type Loss } from '../errors.ts'

/** What could happen if the same request is sent a second time. */
export type Repeatability =
  | 'read'
  /** A write that leaves the same state behind: apply, merge patch, delete of one uid. */
  | 'idempotent'
  /** A write that could happen twice: create, JSON patch, delete by name. */
  | 'once'

type Failure = 'unsent' | 'turnedAway' | 'faulty' | 'lost'

const rules: Record<Failure, readonly Repeatability[]> = {
  // No connection was made, so nothing was done.
  unsent: ['read', 'idempotent', 'once'],
  // 429: priority and fairness rejects a request before it is handled.
  turnedAway: ['read', 'idempotent', 'once'],
  // 500, 502, 503, 504: a webhook, an aggregated API server or a proxy may have failed after the write was done.
  faulty: ['read', 'idempotent'],
  // The answer was lost. A patch with a resourceVersion that had succeeded gives a conflict, and the caller reads again; a create
  // that had succeeded could make a second object or answer AlreadyExists.
  lost: ['read', 'idempotent'],
}

const attemptsMost = 5
const firstPauseMilliseconds = 100

export type Attempt = {
  error: unknown
  repeatability: Repeatability
  attempts: number
  remainingMilliseconds: number
  /** 0 to 1. */
  random: number
}

/** Milliseconds to wait before the request is sent again; undefined when it must not or cannot be within the time left. */
export const pauseBeforeRepeat = (attempt: Attempt): number | undefined => {
  const failure = failureOf(attempt.error)
  if (!failure || !rules[failure].includes(attempt.repeatability) || attempt.attempts >= attemptsMost) return undefined
  const pause = pauseMilliseconds(attempt)
  return pause < attempt.remainingMilliseconds ? pause : undefined
}

/** What the API server asked for, else half our own pause; plus a random part, so that callers do not all come back at once. */
const pauseMilliseconds = ({ error, attempts, random }: Attempt): number => {
  const own = firstPauseMilliseconds * 2 ** (attempts - 1)
  const asked = error instanceof ApiError && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : own / 2
  return asked + own * random
}

/** Repeating within the call does not help when a conversion webhook is away, or when an apply does not fit its kind. */
const failureOf = (error: unknown): Failure | undefined => {
  if (isUnconverted(error) || isMisfit(error)) return undefined
  if (error instanceof ConnectionError) return failuresByLoss[error.loss]
  return error instanceof ApiError ? failuresByCode[error.code] : undefined
}

/** After silence a request is not repeated: waiting again would use up the time in which the call can report why it failed. */
const failuresByLoss: Partial<Record<Loss, Failure>> = { unsent: 'unsent', lost: 'lost' }

const failuresByCode: Partial<Record<number, Failure>> = {
  429: 'turnedAway',
  500: 'faulty',
  502: 'faulty',
  503: 'faulty',
  504: 'faulty',
}
