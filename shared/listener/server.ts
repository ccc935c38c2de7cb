// An HTTP server that unknown callers may reach. It bounds connections, memory for bodies and time; its handler decides who may call and
// what is answered.
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https'
import { openConnections } from './connections.ts'

/** An import would load all that node:http exports, Node's own fetch and WebSocket among it: a sixth of the time to start, and 13 MB. */
const { createServer } = process.getBuiltinModule('node:http')

export type ListenerLimits = {
  /** Open at once. */
  readonly connections: number
  /** The memory of all bodies together that arrive or are being answered; and that of answers that their callers do not fetch. */
  readonly bodyBytes: number
  /** The time for a TLS handshake, and again for a whole request to arrive. */
  readonly arrivalSeconds: number
}

/** For a process of 256 MiB: an idle connection over TLS takes up to 100 KiB, 512 of them 50 MiB. */
export const usualLimits: ListenerLimits = { connections: 512, bodyBytes: 32 * 2 ** 20, arrivalSeconds: 10 }

/** Which limit was reached: connections, unanswered requests on one of them, bytes of bodies or of unfetched answers, or time to arrive. */
export type ListenerLimit = 'connections' | 'unansweredRequests' | 'bodyBytes' | 'unfetchedBytes' | 'arrivalSeconds'

/** Called each time a caller loses something because a limit was reached; for metrics. */
export type LimitReached = (limit: ListenerLimit) => void

type LimitedServerParts = {
  readonly limits: ListenerLimits
  readonly tls?: TlsOptions
  readonly limitReached?: LimitReached
}

/** Go keeps idle connections for 90 s, so an API server closes them first, and none of its reviews meets a connection that we close. */
const keepAliveTimeout = 100_000

/** So many bytes of a request are held while nobody reads it, for instance while its token is checked. */
const highWaterMark = 16_384

/** The caller answers `clientError` of the server itself. */
export const limitedServer = (handler: RequestListener, parts: LimitedServerParts): Server => {
  const { limits, tls, limitReached = () => {} } = parts
  const { connections: most, bodyBytes: unfetchedBytesMost } = limits
  const connections = openConnections({ most, unfetchedBytesMost, reached: limitReached })
  const taken: RequestListener = (request, response) => {
    if (connections.takes(request, response)) handler(request, response)
  }
  const options = { ...timesOf(limits), keepAliveTimeout, highWaterMark }
  const server = tls ? createTlsServer({ ...tls, ...options }, taken) : createServer(options, taken)
  const noteLate = ({ code = '' }: NodeJS.ErrnoException): void => {
    if (lateCodes.includes(code)) limitReached('arrivalSeconds')
  }
  return server.on('connection', connections.opened).on('clientError', noteLate).on('tlsClientError', noteLate)
}

const lateCodes: readonly string[] = ['ERR_HTTP_REQUEST_TIMEOUT', 'ERR_TLS_HANDSHAKE_TIMEOUT']

const timesOf = ({ arrivalSeconds }: ListenerLimits) => {
  const milliseconds = arrivalSeconds * 1_000
  return {
    handshakeTimeout: milliseconds,
    // The time for heads is the same, as long as headersTimeout is not set.
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.min(1_000, milliseconds / 4),
  }
}
