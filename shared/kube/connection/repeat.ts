// Which failed requests are sent again within a call, and after what pause. One row per kind of failure; whatever no
// row lets through goes to the caller, and in the end to the relay, which backs off per key.
import { ApiError, ConnectionError, isUnconverted, type Loss } from '../errors.ts'

/** What a second sending of the same request could do. */
export type Repeatability =
  /** A read. */
  | 'read'
  /** A write that leaves the same state behind: apply, merge patch, delete of one uid. */
  | 'idempotent'
  /** A write that could happen twice: create, JSON patch, delete by name. */
  | 'once'

type Failure = 'unsent' | 'turnedAway' | 'faulty' | 'lost'

const rules: Record<Failure, readonly Repeatability[]> = {
  // The connection was refused or never came about: nothing has happened.
  unsent: ['read', 'idempotent', 'once'],
  // 429: priority and fairness turns requests away before it looks at them.
  turnedAway: ['read', 'idempotent', 'once'],
  // 500, 502, 503, 504: may come from behind the storage (a webhook, an aggregated server, a proxy): it may have been done.
  faulty: ['read', 'idempotent'],
  // The answer was lost on its way. A repeated patch that is bound to a resourceVersion and had landed gives a conflict,
  // which its caller resolves by reading again; a repeated create could give a second object or a false AlreadyExists.
  lost: ['read', 'idempotent'],
}

const attemptsMost = 5
const firstPauseMilliseconds = 100

export type Attempt = {
  error: unknown
  repeatability: Repeatability
  /** Attempts made so far. */
  attempts: number
  /** What is left of the call's time. */
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

/** Spread over its own length, so that callers turned away together do not come back together. */
const pauseMilliseconds = ({ error, attempts, random }: Attempt): number => {
  const own = firstPauseMilliseconds * 2 ** (attempts - 1)
  const asked = error instanceof ApiError && error.retryAfterSeconds ? error.retryAfterSeconds * 1000 : own / 2
  return asked + own * random
}

/** A conversion webhook that is away is not back in a moment, whatever code the API server says so with. */
const failureOf = (error: unknown): Failure | undefined => {
  if (isUnconverted(error)) return undefined
  if (error instanceof ConnectionError) return failuresByLoss[error.loss]
  return error instanceof ApiError ? failuresByCode[error.code] : undefined
}

/** One that is silent is left alone: a second wait would take the time in which the call can say why it failed. */
const failuresByLoss: Partial<Record<Loss, Failure>> = { unsent: 'unsent', lost: 'lost' }

const failuresByCode: Partial<Record<number, Failure>> = {
  429: 'turnedAway',
  500: 'faulty',
  502: 'faulty',
  503: 'faulty',
  504: 'faulty',
}
