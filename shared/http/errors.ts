// All error answers in a table: HTTP status and message. Causes are logged and not sent to the caller.
import type { IncomingMessage } from 'node:http'
import { checks } from '../core/decisions/checks.ts'
import type { Log } from '../core/log.ts'
import { isTrouble, retryAfterSecondsOf } from '../kube/errors.ts'
import { announcedLength, bodyFaults } from '../listener/receive-body.ts'
import { RelayAway, RelayRefusal } from '../outside/relay-errors.ts'

type Level = 'error' | 'warn' | 'info' | 'debug'

type Row = {
  readonly status: number
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** Absent: the level follows from the status. */
  readonly level?: Level
  /** For authenticated callers that will call again: if the unread body is short, the connection stays open. */
  readonly keepsConnection?: true
}

const soon = { 'retry-after': '1' }
const challenge = { 'www-authenticate': 'Bearer' }

export const refusals = {
  badJson: { status: 400, message: 'the body is not JSON in UTF-8' },
  tooIntricate: { status: 400, message: 'the body is nested too deeply or has too many parts' },
  badBody: { status: 400, message: 'the body does not match the schema' },
  nameless: { status: 400, message: 'the client certificate has no common name' },
  badRequest: { status: 400, message: 'the request is not valid HTTP' },
  inCrumbs: bodyFaults.inCrumbs,
  brokenOff: bodyFaults.brokenOff,
  unauthenticated: { status: 401, message: 'the caller is not authenticated', headers: challenge },
  forbidden: { status: 403, message: 'the caller is not allowed to do this' },
  unknownPath: { status: 404, message: 'this path does not exist' },
  unknownFunction: { status: 404, message: 'this host serves no function of this name' },
  unknownListener: { status: 404, message: 'no function receives events under this name' },
  methodNotAllowed: { status: 405, message: 'this path does not support the method' },
  slowSender: { status: 408, message: 'the request was not complete in time' },
  noLength: bodyFaults.noLength,
  tooLarge: bodyFaults.tooLarge,
  mediaType: { status: 415, message: 'the body must be application/json' },
  encoding: { status: 415, message: 'the body must not be compressed' },
  tooOften: { status: 429, message: 'this caller sends too many requests', keepsConnection: true },
  headersTooLarge: { status: 431, message: 'the headers are too large' },
  internal: { status: 500, message: 'internal error; the log has the cause under the request id' },
  noRoom: { ...bodyFaults.noRoom, headers: soon, level: 'debug' },
  trouble: { status: 503, message: 'the API server cannot be reached now', headers: soon },
  relayAway: { status: 503, message: 'the relay does not accept keys now', headers: soon },
  relayRefusal: { status: 503, message: 'the relay refuses the keys of this host', headers: soon },
  outOfTime: { status: 503, message: 'the call exceeded its time limit', headers: soon },
} as const satisfies Record<string, Row>

export type RefusalCode = keyof typeof refusals

/** Throw Refused to refuse a request. The caller gets `detail`; `cause` is only logged. */
export class Refused extends Error {
  readonly code: RefusalCode
  readonly detail?: string
  readonly facts?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>

  constructor(code: RefusalCode, more: RefusedMore = {}) {
    super(more.detail ?? refusals[code].message, { cause: more.cause })
    this.name = 'Refused'
    this.code = code
    this.detail = more.detail
    this.facts = more.facts
    this.headers = more.headers
  }
}

type RefusedMore = {
  detail?: string
  facts?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
  cause?: unknown
}

type ErrorAnswer = { status: number; headers: Record<string, string>; body: AnswerBody; keepsConnection: boolean }
type AnswerBody = { code: RefusalCode; message: string; requestId: string; [fact: string]: unknown }

/** Our codes for Fastify's errors. If an error of Fastify is missing here, this is a bug. */
const ofFastify: ReadonlyMap<unknown, RefusalCode> = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'mediaType'],
  ['FST_ERR_BAD_URL', 'badRequest'],
  ['FST_ERR_MAX_PARAM_LENGTH', 'unknownPath'],
  ['FST_ERR_HANDLER_TIMEOUT', 'outOfTime'],
])

/** The first matching row counts. An unknown error is a bug and is answered 500. */
const recognisers: readonly ((error: unknown) => Refused | undefined)[] = [
  error => (error instanceof Refused ? error : undefined),
  error => (error instanceof RelayAway ? new Refused('relayAway', { cause: error }) : undefined),
  error => (error instanceof RelayRefusal ? new Refused('relayRefusal', { cause: error }) : undefined),
  error => (isTrouble(error) ? new Refused('trouble', { cause: error, headers: retryAfter(error) }) : undefined),
  error => {
    const code = ofFastify.get(fieldOf(error, 'code'))
    return code && new Refused(code, { cause: error })
  },
]

/** Logs the cause, but only once even if several callers share the error. */
export const answerWith = (error: unknown, { requestId, log }: { requestId: string; log: Log }): ErrorAnswer => {
  const refused = refusedFor(error)
  logged(refused, refusals[refused.code], log)
  return answerOf(refused.code, refused, requestId)
}

export const answerOf = (
  code: RefusalCode,
  { detail, facts, headers }: Omit<RefusedMore, 'cause'>,
  requestId: string,
): ErrorAnswer => {
  const row: Row = refusals[code]
  return {
    status: row.status,
    headers: { ...row.headers, ...headers },
    keepsConnection: row.keepsConnection ?? false,
    body: { ...facts, code, message: detail ?? row.message, requestId },
  }
}

/** Handles an unread body: the connection is closed after the answer, or the rest of a short body is skipped. */
export const closingIfUnread = (request: IncomingMessage, answer: ErrorAnswer): ErrorAnswer => {
  const staysOpen = request.complete || (answer.keepsConnection && isShort(request))
  return staysOpen ? answer : { ...answer, headers: { ...answer.headers, connection: 'close' } }
}

const shortBytesMost = 16_384

const isShort = (request: IncomingMessage): boolean =>
  (announcedLength(request) ?? Number.POSITIVE_INFINITY) <= shortBytesMost

const refusedFor = (error: unknown): Refused =>
  checks(...recognisers)(error) ?? new Refused('internal', { cause: error })

const logged = ({ code, cause, message }: Refused, { status, level = levelOf(status) }: Row, log: Log): void => {
  const isRepeated = typeof cause === 'object' && cause !== null && known.has(cause)
  if (typeof cause === 'object' && cause !== null) known.add(cause)
  if (isRepeated) log.info({ code }, 'this call failed with the same error')
  else log[level]({ code, ...(cause !== undefined && { err: cause }) }, message)
}

/** Errors that were logged, so that callers of a shared run do not log its error again. */
const known = new WeakSet<object>()

/** Log levels by the lowest status. */
const levels: readonly [number, Level][] = [
  [501, 'warn'],
  [500, 'error'],
  [404, 'debug'],
  [401, 'info'],
]

const levelOf = (status: number): Level => levels.find(([least]) => status >= least)?.[1] ?? 'debug'

const retryAfter = (error: unknown): Record<string, string> => {
  const seconds = retryAfterSecondsOf(error)
  return seconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(seconds))) }
}

const fieldOf = (error: unknown, field: string): unknown =>
  error instanceof Error ? Reflect.get(error, field) : undefined
