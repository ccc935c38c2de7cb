// What an API server answered, read: a body, or the error it tells in a metav1.Status.
import { isMap, type JsonMap } from '../core/json.ts'
import { ApiError, ConnectionError, type StatusCause, type StatusDetails } from './errors.ts'
import type { WholeAnswer } from './whole-answer.ts'

type Asked = { method: string; path: string }

/** JSON parsed, other text as it is, undefined when there is none. */
export const bodyOf = (answer: WholeAnswer, asked: Asked): unknown => {
  const { text } = answer
  if (!isJson(answer)) return text || undefined
  try {
    return JSON.parse(text)
  } catch {
    // The parser's own message quotes the body, which may be a Secret.
    throw new ConnectionError('unreadable', 'NO_JSON', `${whatOf(asked)}: the answer is no JSON`)
  }
}

/** The error that an answer of 300 and more tells. Redirects are never followed: they are errors like the others. */
export const refusalOf = (answer: WholeAnswer, asked: Asked): ApiError =>
  apiErrorOf(isJson(answer) ? statusIn(answer.text) : undefined, {
    code: answer.statusCode,
    asked: whatOf(asked),
    retryAfterSeconds: secondsIn(answer.headers['retry-after']),
  })

/** The ApiError for a Status object, also one that came as an event. */
export const apiErrorOf = (
  status: JsonMap | undefined,
  told: { code: number; asked: string; retryAfterSeconds?: number },
): ApiError => {
  const code = typeof status?.code === 'number' && status.code >= 300 ? status.code : told.code
  return new ApiError({
    code,
    reason: textOr(status?.reason, reasons[code] ?? 'Unknown'),
    message: textOr(status?.message, `${told.asked}: the API server answered ${code}`),
    details: detailsOf(status?.details),
    retryAfterSeconds: told.retryAfterSeconds,
  })
}

/** For answers that carry no Status: proxies, and paths that are not served. */
const reasons: Partial<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** Method and path, for sentences; the query is left out. */
export const whatOf = ({ method, path }: Asked): string => `${method} ${path.split('?', 1)[0]}`

const isJson = ({ headers }: WholeAnswer): boolean => String(headers['content-type']).startsWith('application/json')

const statusIn = (text: string): JsonMap | undefined => {
  try {
    const body: unknown = JSON.parse(text)
    return isMap(body) && body.kind === 'Status' ? body : undefined
  } catch {
    return undefined
  }
}

const detailsOf = (details: unknown): StatusDetails | undefined =>
  isMap(details)
    ? {
        name: textOr(details.name, undefined),
        kind: textOr(details.kind, undefined),
        causes: Array.isArray(details.causes) ? details.causes.filter(isMap).map(causeOf) : undefined,
        retryAfterSeconds: typeof details.retryAfterSeconds === 'number' ? details.retryAfterSeconds : undefined,
      }
    : undefined

const causeOf = (cause: JsonMap): StatusCause => ({
  reason: textOr(cause.reason, undefined),
  message: textOr(cause.message, undefined),
  field: textOr(cause.field, undefined),
})

const textOr = <T>(value: unknown, otherwise: T): string | T => (typeof value === 'string' && value ? value : otherwise)

/** Retry-After counts seconds or names a date. */
const secondsIn = (header: string | string[] | undefined): number | undefined => {
  const text = Array.isArray(header) ? header[0] : header
  if (!text) return undefined
  if (/^\d+$/.test(text)) return Number(text)
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : Math.max(0, (until - Date.now()) / 1000)
}
