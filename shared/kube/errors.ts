// Errors of API server requests, and predicates about them. Predicates use code, reason and causes; only denials by webhooks and three
// known messages are recognised by text. Errors contain no body, header or credential, because messages are logged.
import { type GroupVersionKind, groupOf } from '../core/objects/object.ts'

export type StatusCause = { reason?: string; message?: string; field?: string }

export type StatusDetails = { name?: string; kind?: string; causes?: StatusCause[]; retryAfterSeconds?: number }

type ApiAnswer = {
  code: number
  reason: string
  message: string
  details?: StatusDetails
  retryAfterSeconds?: number
  /** Default: derived from the message. */
  isDenied?: boolean
}

/**
 * The API server answered with an error.
 *
 *   const codeOf = (error: unknown) => (error instanceof ApiError ? error.code : undefined)
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails
  readonly retryAfterSeconds?: number
  /** An admission webhook refused the request. Webhooks choose code, reason and details, but not the start of the message. */
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

/** Why a request got no answer. */
export type Loss =
  /** No connection: the request was not performed. */
  | 'unsent'
  | 'untrusted'
  /** The connection broke after sending: the request may have been performed. */
  | 'lost'
  /** No answer within the time limit: the request may have been performed, and another attempt may take as long. */
  | 'silent'
  /** The answer was not JSON: the request may have been performed. */
  | 'unreadable'
  /** The answer exceeded limits.ts: the request may have been performed. */
  | 'excess'
  /** The caller's time was up, or the caller aborted. */
  | 'ended'

/**
 * The request got no answer. `code`: error code of the system or undici.
 *
 *   const isAway = (error: unknown): boolean => error instanceof ConnectionError
 */
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
  | 'dropped'
  /** No data for too long: resume the watch, too. */
  | 'silent'
  /** A line was not an event. Earlier events may be missing too, so list again. */
  | 'garbage'
  /** The server exceeded limits.ts. */
  | 'excess'

/**
 * A watch broke off; `fault` says why.
 *
 *   const faultOf = (error: unknown) => (error instanceof StreamError ? error.fault : undefined)
 */
export class StreamError extends Error {
  override readonly name = 'StreamError'
  readonly fault: StreamFault

  constructor(fault: StreamFault, message: string) {
    super(message)
    this.fault = fault
  }
}

/**
 * The API server does not serve the kind, also after new discovery.
 *
 *   const issuers = await client.list({ apiVersion: 'cert-manager.io/v1', kind: 'Issuer' }).catch(error => {
 *     if (error instanceof KindNotServed) return []
 *     throw error
 *   })
 */
export class KindNotServed extends Error {
  override readonly name = 'KindNotServed'
  readonly group: string
  readonly version: string
  readonly kind: string

  constructor({ apiVersion, kind }: GroupVersionKind) {
    const group = groupOf(apiVersion)
    const version = apiVersion.slice(group ? group.length + 1 : 0)
    super(`the API server does not serve kind ${kind} in group "${group}", version ${version}`)
    this.group = group
    this.version = version
    this.kind = kind
  }
}

/**
 * The credentials of a cluster are missing or refused. Only a new or changed Secret or file helps.
 *
 *   const isRefused = (error: unknown): boolean => error instanceof AccessError && error.reason === 'Refused'
 */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly reason: 'Missing' | 'Refused'
  /** The refused host. The message does not contain the host, because a user's kubeconfig may have a secret in this field. */
  readonly host?: string

  constructor(reason: 'Missing' | 'Refused', message: string, host?: string) {
    super(message)
    this.reason = reason
    if (host !== undefined) this.host = host
  }
}

/**
 * Whether the API server answered that the object does not exist.
 *
 *   const found = await client.delete(refOf(website), {}).catch(error => {
 *     if (!isNotFound(error)) throw error
 *   })
 */
export const isNotFound = (error: unknown): boolean => hasCode(error, 404) && !error.isDenied

/**
 * Whether the rights of the client do not allow the request.
 *
 *   const pods = await client.list({ apiVersion: 'v1', kind: 'Pod' }).catch(error => {
 *     if (isForbidden(error)) return []
 *     throw error
 *   })
 */
export const isForbidden = (error: unknown): boolean => hasCode(error, 403)

/**
 * Whether an object with this name already exists.
 *
 *   await client.create(website, { fieldManager: 'me' }).catch(error => {
 *     if (!isAlreadyExists(error)) throw error
 *   })
 */
export const isAlreadyExists = (error: unknown): boolean =>
  hasCode(error, 409) && error.reason === 'AlreadyExists' && !error.isDenied

/**
 * Whether the object changed since it was read. The caller should read and decide again.
 *
 *   await client.replace(website, { fieldManager: 'me' }).catch(error => {
 *     if (!isConflict(error)) throw error
 *   })
 */
export const isConflict = (error: unknown): boolean =>
  hasCode(error, 409) && !isOwnershipConflict(error) && !error.isDenied

/** Whether another manager owns a field and `force` was not set. A repeat does not help. */
export const isOwnershipConflict = (error: unknown): boolean =>
  hasCode(error, 409) && error.causes.some(cause => cause.reason === 'FieldManagerConflict')

/** Whether the resourceVersion or continue token has expired. The caller must list again. */
export const isGone = (error: unknown): boolean => hasCode(error, 410)

/**
 * Whether to list again after this error of a watch. After other errors, the watch resumes from the last resourceVersion.
 *
 *   const isOver = (error: unknown): boolean => needsRelist(error)
 */
export const needsRelist = (error: unknown): boolean =>
  isGone(error) || isExcess(error) || (error instanceof StreamError && error.fault === 'garbage')

export const isExcess = (error: unknown): error is ConnectionError | StreamError =>
  (error instanceof ConnectionError && error.loss === 'excess') ||
  (error instanceof StreamError && error.fault === 'excess')

export const isNotServed = (error: unknown): error is KindNotServed => error instanceof KindNotServed

/** Whether the same request may succeed later. */
export const isTrouble = (error: unknown): boolean =>
  error instanceof ConnectionError ||
  error instanceof StreamError ||
  (error instanceof ApiError && (error.code === 429 || error.code >= 500))

/** Whether the API server, or a proxy in front of it, is overloaded or down. Other requests would fail too. */
export const isOverburdened = (error: ApiError): boolean => [429, 502, 503, 504].includes(error.code)

/** Whether the conversion webhook of this kind is down. Only objects of this kind are unreadable then. */
export const isUnconverted = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.message.includes('conversion webhook for ')

/** Whether the apply does not match the schema of its kind. API servers answer 500 in this case, although they work correctly. */
export const isMisfit = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.message.includes('failed to create typed patch object ')

export const retryAfterSecondsOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.retryAfterSeconds : undefined

const hasCode = (error: unknown, code: number): error is ApiError => error instanceof ApiError && error.code === code

/** For `catch`: an expected error becomes undefined. `await client.get(ref).catch(nothingIf(isNotServed))` */
export const nothingIf =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!isExpected(error)) throw error
  }
