// Requests without an answer: which error code of the system, of TLS or of undici means what.
import { whatOf } from './answers.ts'
import { AccessError, ApiError, ConnectionError, type Loss } from './errors.ts'

/** The failure as one of this folder's errors; a fault of our own code stays what it is. */
export const lossOf = (failure: unknown, asked: { method: string; path: string }, signal?: AbortSignal): unknown => {
  if (failure instanceof ApiError || failure instanceof ConnectionError || failure instanceof AccessError)
    return failure
  if (signal?.aborted) return told('ended', 'ABORTED', asked)
  const code = codeOf(failure)
  if (!code || faultsOfOurs.has(code)) return failure
  return told(losses[code] ?? 'lost', code, asked)
}

/** For a request that is not begun because the call's time is up. */
export const endedBefore = (asked: { method: string; path: string }): ConnectionError =>
  told('ended', 'DEADLINE', asked)

/** The original error is not kept as a cause: it may quote what the server sent. */
const told = (loss: Loss, code: string, asked: { method: string; path: string }): ConnectionError =>
  new ConnectionError(loss, code, `${whatOf(asked)}: ${sentences[loss]} (${code})`)

const sentences: Record<Loss, string> = {
  unsent: 'no connection to the API server came about',
  untrusted: 'the certificate of the API server is not trusted',
  lost: 'the connection broke or fell silent before the answer was complete',
  unreadable: 'the answer cannot be read',
  ended: 'the call ended before the answer came',
}

const codeOf = (failure: unknown): string | undefined => {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Codes that are not here mean `lost`, which promises least. */
const losses: Partial<Record<string, Loss>> = {
  ECONNREFUSED: 'unsent',
  ENOTFOUND: 'unsent',
  EAI_AGAIN: 'unsent',
  EHOSTUNREACH: 'unsent',
  ENETUNREACH: 'unsent',
  UND_ERR_CONNECT_TIMEOUT: 'unsent',
  // The pool was replaced, for new certificates, between being chosen and being used.
  UND_ERR_CLOSED: 'unsent',
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
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'unreadable',
}

const faultsOfOurs: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_ARG_TYPE', 'ERR_INVALID_CHAR'])
