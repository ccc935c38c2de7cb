// Parses answers of API servers: the body, or the error in a metav1.Status.
import { isMap, type JsonMap } from '../../core/json/json.ts'
import { isBeyond, type JsonBounds } from '../../core/json/json-bounds.ts'
import { ApiError, ConnectionError, type StatusCause, type StatusDetails } from '../errors.ts'
import { Excess, type Limits } from '../limits.ts'
import type { WholeAnswer } from './whole-answer.ts'

type Asked = { method: string; path: string }

/** Shorter bodies are not checked, because they need a few megabytes at most when parsed. */
const harmlessBytes = 64 * 1024

/** Parsed JSON, or the text of other media types; undefined without a body. */
export const bodyOf = (answer: WholeAnswer, asked: Asked, { answerParts }: Limits): unknown => {
  const { bytes } = answer
  if (!isJson(answer)) return bytes.toString() || undefined
  checkParts(bytes, answerParts)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    // The parser's message is dropped, because it quotes the body, which may be a Secret.
    throw new ConnectionError('unreadable', 'NO_JSON', `${whatOf(asked)}: the response is not JSON`)
  }
}

/** Throws an Excess when the body is nested too deep or has too many values. */
export const checkParts = (bytes: Uint8Array, parts: JsonBounds): void => {
  if (parts.values === Number.POSITIVE_INFINITY || bytes.length <= harmlessBytes || !isBeyond(bytes, parts)) return
  throw new Excess(
    'TOO_INTRICATE',
    `the response has more than ${parts.values} values or more than ${parts.depth} levels`,
  )
}

/** If an error answer is longer, only its HTTP status is used. */
export const statusBytesMost = 256 * 1024

/** The error for a status of 300 or above. Redirects are errors too, because they are not followed. */
export const refusalOf = (answer: WholeAnswer, asked: Asked): ApiError =>
  apiErrorOf(isJson(answer) ? statusIn(answer.bytes) : undefined, {
    code: answer.statusCode,
    asked: whatOf(asked),
    retryAfterSeconds: retryAfterIn(answer.headers['retry-after']),
  })

/** The ApiError for a Status in a body or in an ERROR event of a watch. Missing fields are taken from `http`. */
export const apiErrorOf = (
  status: JsonMap | undefined,
  http: { code: number; asked: string; retryAfterSeconds?: number },
): ApiError => {
  const code = typeof status?.code === 'number' && status.code >= 300 ? status.code : http.code
  return new ApiError({
    code,
    reason: textOr(status?.reason, reasons[code] ?? 'Unknown', 128),
    message: textOr(status?.message, `${http.asked}: the API server answered ${code}`),
    details: detailsOf(status?.details),
    retryAfterSeconds: http.retryAfterSeconds,
  })
}

/** Reasons for answers without a Status. Proxies send such answers, and API servers do for unknown paths. */
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

/** Method and path without query, for messages. */
export const whatOf = ({ method, path }: Asked): string => `${method} ${path.split('?', 1)[0]}`

const isJson = ({ headers }: WholeAnswer): boolean => String(headers['content-type']).startsWith('application/json')

const statusIn = (bytes: Buffer): JsonMap | undefined => {
  if (bytes.length > statusBytesMost) return undefined
  try {
    const body: unknown = JSON.parse(bytes.toString())
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
        causes: Array.isArray(details.causes) ? details.causes.slice(0, 100).filter(isMap).map(causeOf) : undefined,
        retryAfterSeconds: retrySecondsIn(details.retryAfterSeconds),
      }
    : undefined

const causeOf = (cause: JsonMap): StatusCause => ({
  reason: textOr(cause.reason, undefined),
  message: textOr(withoutValue(cause.message), undefined),
  field: textOr(cause.field, undefined),
})

/** A longer value in a message, such as the template of a Job that cannot change, hides the reason. */
const valueCharactersMost = 256

/** `Invalid value: {…}: field is immutable` → `Invalid value: field is immutable`. */
const withoutValue = (message: unknown): unknown =>
  typeof message === 'string' && message.length > valueCharactersMost
    ? message.replace(/^([A-Z][a-z]+(?: [a-z]+)*: ).*[}\]"]: /s, '$1')
    : message

/** Longer messages are cut, because they go into status, Events and logs. */
const charactersMost = 4_096

const textOr = <T>(value: unknown, otherwise: T, most = charactersMost): string | T =>
  typeof value === 'string' && value ? value.slice(0, most).toWellFormed() : otherwise

/** The maximum for Retry-After. Longer values are reduced to this value. */
const retryAfterSecondsMost = 3_600

const retrySecondsIn = (seconds: unknown): number | undefined =>
  typeof seconds === 'number' && seconds >= 0 ? Math.min(seconds, retryAfterSecondsMost) : undefined

export const retryAfterIn = (header: string | string[] | undefined): number | undefined => {
  const text = Array.isArray(header) ? header[0] : header
  if (!text) return undefined
  if (/^\d+$/.test(text)) return retrySecondsIn(Number(text))
  const until = Date.parse(text)
  return Number.isNaN(until) ? undefined : retrySecondsIn(Math.max(0, (until - Date.now()) / 1000))
}
