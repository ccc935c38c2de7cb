// Classifies errors of requests without an answer, by a table of the error codes of the system, TLS and undici.
import { errors } from 'undici'
import { AccessError, ApiError, ConnectionError, type Loss } from '../errors.ts'
import { Excess } from '../limits.ts'
import { whatOf } from './answers.ts'
import { OutOfRoom } from './received-bytes.ts'

/** `place`: the API server, for messages. */
type Asked = { method: string; path: string; place?: string }

/** Converts a failure to a ConnectionError. Programming errors, such as a TypeError, are returned unchanged. */
export const connectionErrorOf = (failure: unknown, asked: Asked, signal?: AbortSignal): unknown => {
  if (failure instanceof ApiError || failure instanceof ConnectionError) return failure
  if (failure instanceof AccessError)
    return asked.place ? new AccessError(failure.reason, `${asked.place}: ${failure.message}`, failure.host) : failure
  if (signal?.aborted) return connectionError({ loss: 'ended', code: 'ABORTED' }, asked)
  if (failure instanceof Excess)
    return connectionError({ loss: 'excess', code: failure.code, sentence: failure.message }, asked)
  if (failure instanceof OutOfRoom)
    return connectionError({ loss: 'lost', code: failure.code, sentence: failure.message }, asked)
  const code = codeOf(failure)
  if (!code || faultsOfOurs.has(code)) return failure
  return connectionError({ loss: losses[code] ?? 'lost', code }, asked)
}

/** The error for a request that does not start because the call has no time left. */
export const endedBefore = (asked: Asked): ConnectionError =>
  connectionError({ loss: 'ended', code: 'DEADLINE' }, asked)

type Cause = { loss: Loss; code: string; sentence?: string }

/** The original error is not kept as `cause`, because the original error may quote data from the server. */
const connectionError = ({ loss, code, sentence = sentences[loss] }: Cause, asked: Asked): ConnectionError => {
  const place = asked.place === undefined ? '' : ` ${asked.place}`
  return new ConnectionError(loss, code, `${whatOf(asked)}${place}: ${sentence} (${code})`)
}

const sentences: Record<Loss, string> = {
  unsent: 'no connection to the API server could be established',
  untrusted: 'the certificate of the API server is not trusted',
  lost: 'the connection ended before the response was complete',
  silent: 'the API server did not answer in time',
  unreadable: 'the response cannot be read',
  excess: 'the response exceeds the limit for one API server',
  ended: 'the call ended before the response arrived',
}

const codeOf = (failure: unknown): string | undefined => {
  // Some parser errors have no code. Their messages quote received data.
  if (failure instanceof errors.HTTPParserError) return failure.code ?? 'HPE'
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** All other codes mean `lost`: the request may have been performed. */
const losses: Partial<Record<string, Loss>> = {
  ECONNREFUSED: 'unsent',
  ENOTFOUND: 'unsent',
  EAI_AGAIN: 'unsent',
  EHOSTUNREACH: 'unsent',
  ENETUNREACH: 'unsent',
  // The pool was replaced after a certificate renewal, just before the request used it.
  UND_ERR_CLOSED: 'unsent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_BODY_TIMEOUT: 'silent',
  // The answer did not end in time, although bytes kept coming.
  OVERDUE: 'silent',
  CERT_HAS_EXPIRED: 'untrusted',
  CERT_NOT_YET_VALID: 'untrusted',
  CERT_SIGNATURE_FAILURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'untrusted',
}

const faultsOfOurs: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_CHAR'])
