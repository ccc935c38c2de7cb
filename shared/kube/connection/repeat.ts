// Decides which failed requests are repeated within a call, and after what pause. The caller handles all other failures. The relay finally
// backs off per key.
import { ApiError, ConnectionError, isMisfit, isUnconverted, type Loss } from '../errors.ts'

/** Which effects a repeated request could have. */
export type Repeatability =
  | 'read'
  /** A write that leads to the same state: apply, merge patch, delete with uid. */
  | 'idempotent'
  /** A write that could take effect twice: create, JSON patch, delete by name. */
  | 'once'

type Failure = 'unsent' | 'turnedAway' | 'faulty' | 'lost'

const rules: Record<Failure, readonly Repeatability[]> = {
  // There was no connection, so the request was not performed.
  unsent: ['read', 'idempotent', 'once'],
  // 429: priority and fairness rejected the request before it was handled.
  turnedAway: ['read', 'idempotent', 'once'],
  // 500, 502, 503, 504: a webhook, an aggregated API server or a proxy may have failed after the write.
  faulty: ['read', 'idempotent'],
  // The answer was lost. If the write succeeded, a repeated patch with a resourceVersion is a conflict, and the caller reads again. A
  // repeated create could make a second object or fail with AlreadyExists.
  lost: ['read', 'idempotent'],
}

const attemptsMost = 5
const firstPauseMilliseconds = 100

export type Attempt = {
  error: unknown
  repeatability: Repeatability
  attempts: number
  remainingMilliseconds: number
  random: number
}

/** Milliseconds until the repeat; undefined when the request must not be repeated or no time is left. */
export const pauseBeforeRepeat = (attempt: Attempt): number | undefined => {
  const failure = failureOf(attempt.error)
  if (!failure || !rules[failure].includes(attempt.repeatability) || attempt.attempts >= attemptsMost) return undefined
  const pause = pauseMilliseconds(attempt)
  return pause < attempt.remainingMilliseconds ? pause : undefined
}

/** The Retry-After of the API server, or else half of our own pause. A random part is added, so that callers do not repeat at once. */
const pauseMilliseconds = ({ error, attempts, random }: Attempt): number => {
  const own = firstPauseMilliseconds * 2 ** (attempts - 1)
  const asked = error instanceof ApiError && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : own / 2
  return asked + own * random
}

/** undefined if a repeat does not help: a conversion webhook is down, or the apply does not match the schema of its kind. */
const failureOf = (error: unknown): Failure | undefined => {
  if (isUnconverted(error) || isMisfit(error)) return undefined
  if (error instanceof ConnectionError) return failuresByLoss[error.loss]
  return error instanceof ApiError ? failuresByCode[error.code] : undefined
}

/** Requests are not repeated after silence. The call needs the remaining time to report the failure. */
const failuresByLoss: Partial<Record<Loss, Failure>> = { unsent: 'unsent', lost: 'lost' }

const failuresByCode: Partial<Record<number, Failure>> = {
  429: 'turnedAway',
  500: 'faulty',
  502: 'faulty',
  503: 'faulty',
  504: 'faulty',
}
