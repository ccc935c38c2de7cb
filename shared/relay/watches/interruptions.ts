// Classifies interruptions of watches: the cause for metrics, and whether the watch resumes or lists again. watch.ts decides how long to
// wait.
import { firstRow } from '../../core/decisions/checks.ts'
import {
  ApiError,
  isExcess,
  isGone,
  isNotServed,
  needsRelist,
  retryAfterSecondsOf,
  StreamError,
} from '../../kube/errors.ts'

export type InterruptionCause =
  | 'ended'
  | 'dropped'
  | 'silent'
  | 'garbage'
  | 'excess'
  | 'gone'
  | 'throttled'
  | 'refused'
  | 'notServed'
  | 'unavailable'

export type Interruption = { cause: InterruptionCause; relists: boolean; retryAfterSeconds?: number; error?: unknown }

type Row = { cause: InterruptionCause; when: (error: unknown) => boolean }

const rows: readonly Row[] = [
  { cause: 'gone', when: isGone },
  { cause: 'excess', when: isExcess },
  { cause: 'garbage', when: needsRelist },
  { cause: 'silent', when: error => error instanceof StreamError && error.fault === 'silent' },
  { cause: 'dropped', when: error => error instanceof StreamError },
  { cause: 'throttled', when: error => error instanceof ApiError && error.code === 429 },
  { cause: 'refused', when: error => error instanceof ApiError && (error.code === 401 || error.code === 403) },
  { cause: 'notServed', when: error => isNotServed(error) || (error instanceof ApiError && error.code === 404) },
  { cause: 'unavailable', when: () => true },
]

export const interruptionOf = (error: unknown): Interruption => {
  const { cause } = firstRow(rows, error)
  const retryAfterSeconds = retryAfterSecondsOf(error)
  return {
    cause,
    relists: needsRelist(error) || cause === 'notServed',
    error,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  }
}

export const ended: Interruption = { cause: 'ended', relists: false }

/** The interruption after a time without data, not even a bookmark. */
export const silent: Interruption = { cause: 'silent', relists: false }
