// What can go wrong between us and an API server, and the questions callers ask of it. They are answered by code,
// reason and cause, not by a message's text, but for what webhooks deny. No error carries a body, a header or a credential: messages are logged.
import { type GroupVersionKind, groupOf } from '../core/objects/object.ts'

export type StatusCause = { reason?: string; message?: string; field?: string }

export type StatusDetails = { name?: string; kind?: string; causes?: StatusCause[]; retryAfterSeconds?: number }

type ApiAnswer = {
  code: number
  reason: string
  message: string
  details?: StatusDetails
  retryAfterSeconds?: number
  /** Absent: the message says it. */
  isDenied?: boolean
}

/** The API server answered, and the answer is no. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails
  readonly retryAfterSeconds?: number
  /** Refused by an admission webhook, which may choose any code, reason and details. No webhook can choose how its message begins. */
  readonly isDenied: boolean

  constructor(answer: ApiAnswer) {
    super(answer.message)
    this.code = answer.code
    this.reason = answer.reason
    this.details = answer.details ?? {}
    this.retryAfterSeconds = answer.retryAfterSeconds ?? answer.details?.retryAfterSeconds
    this.isDenied = answer.isDenied ?? answer.message.startsWith('admission webhook "')
  }

  get causes(): readonly StatusCause[] {
    return this.details.causes ?? []
  }
}

/** What became of a request that got no answer. */
export type Loss =
  /** No connection was made: nothing was done. */
  | 'unsent'
  /** The server's certificate is not trusted: nothing was sent. */
  | 'untrusted'
  /** Sent, then the connection broke: it may have been done. */
  | 'lost'
  /** No answer in the time an answer may take: it may have been done. A second attempt may take as long again. */
  | 'silent'
  /** The answer was no JSON: it may have been done. */
  | 'unreadable'
  /** The answer was larger or faster than limits.ts allows: it may have been done. */
  | 'excess'
  /** The caller's own time was up, or it gave up. */
  | 'ended'

/** There is no answer. `code` is the system's or undici's error code. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
  readonly loss: Loss
  readonly code: string

  constructor(loss: Loss, code: string, message: string) {
    super(message)
    this.loss = loss
    this.code = code
  }
}

type StreamFault =
  /** The connection broke: resume from the last resourceVersion. */
  | 'dropped'
  /** Nothing arrived for too long: resume, too. */
  | 'silent'
  /** A line was no event: earlier events may be missing as well, so list again. */
  | 'garbage'
  /** It sent more than limits.ts allows. */
  | 'excess'

export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly fault: StreamFault

  constructor(fault: StreamFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/** The API server was asked again and serves no such kind. */
export class KindNotServed extends Error {
  override readonly name = 'KindNotServed'
  readonly group: string
  readonly version: string
  readonly kind: string

  constructor({ apiVersion, kind }: GroupVersionKind) {
    const group = groupOf(apiVersion)
    const version = apiVersion.slice(group ? group.length + 1 : 0)
    super(`the API server serves no kind ${kind} in group "${group}", version ${version}`)
    this.group = group
    this.version = version
    this.kind = kind
  }
}

/** The cluster cannot be reached because its credentials are missing or refused. Only a new or changed Secret or file helps. */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly reason: 'Missing' | 'Refused'
  /** The host that is refused. It is not in the message, because a kubeconfig that a user refers to may hold a secret in its place. */
  readonly host?: string

  constructor(reason: 'Missing' | 'Refused', message: string, host?: string) {
    super(message)
    this.reason = reason
    if (host !== undefined) this.host = host
  }
}

export const isNotFound = (error: unknown): boolean => hasCode(error, 404) && !error.isDenied

export const isForbidden = (error: unknown): boolean => hasCode(error, 403)

export const isAlreadyExists = (error: unknown): boolean =>
  hasCode(error, 409) && error.reason === 'AlreadyExists' && !error.isDenied

/** The object is not as it was read: read again, decide again. */
export const isConflict = (error: unknown): boolean =>
  hasCode(error, 409) && !isOwnershipConflict(error) && !error.isDenied

/** A field belongs to another manager and was not taken over: trying again does not help. */
export const isOwnershipConflict = (error: unknown): boolean =>
  hasCode(error, 409) && error.causes.some(cause => cause.reason === 'FieldManagerConflict')

/** The resourceVersion or continue token is too old, according to an HTTP status or a watch: list again. */
export const isGone = (error: unknown): boolean => hasCode(error, 410)

/** After this error of a watch, list again; after any other, resume from the last resourceVersion. */
export const needsRelist = (error: unknown): boolean =>
  isGone(error) || isExcess(error) || (error instanceof StreamError && error.fault === 'garbage')

/** The API server sent more than limits.ts allows. */
export const isExcess = (error: unknown): error is ConnectionError | StreamError =>
  (error instanceof ConnectionError && error.loss === 'excess') ||
  (error instanceof StreamError && error.fault === 'excess')

export const isNotServed = (error: unknown): error is KindNotServed => error instanceof KindNotServed

/** A passing trouble: the same request may succeed later. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof StreamError ||
  (error instanceof ApiError && (error.code === 429 || error.code >= 500))

/** The API server, or a proxy before it, has no time or is away: any other request would fare no better. */
export const isOverburdened = (error: ApiError): boolean => [429, 502, 503, 504].includes(error.code)

/** The conversion webhook of this kind is away, so objects of this kind alone cannot be read. */
export const isUnconverted = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.message.includes('conversion webhook for ')

/** An apply does not fit the schema of its kind. API servers answer 500, though nothing is wrong with them. */
export const isMisfit = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.message.includes('failed to create typed patch object ')

export const retryAfterSecondsOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.retryAfterSeconds : undefined

const hasCode = (error: unknown, code: number): error is ApiError => error instanceof ApiError && error.code === code
