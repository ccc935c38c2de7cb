// An HTTP server for unknown callers: limits connections, memory for bodies, and time. Its handler decides who may call.
import type { RequestListener, Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https'
import { openConnections } from './connections.ts'

/** An import of node:http would load all its exports, including fetch and WebSocket: a sixth of the start time, and 13 MB. */
const { createServer } = process.getBuiltinModule('node:http')

export type ListenerLimits = {
  readonly connections: number
  /** Memory for all bodies that are received or processed. Also the limit for unread answers. */
  readonly bodyBytes: number
  /** Limit for a TLS handshake, and the same limit for a complete request. */
  readonly arrivalSeconds: number
}

/** For a process with 256 MiB: an idle TLS connection needs up to 100 KiB, so 512 need 50 MiB. */
export const usualLimits: ListenerLimits = { connections: 512, bodyBytes: 32 * 2 ** 20, arrivalSeconds: 10 }

export type ListenerLimit = 'connections' | 'unansweredRequests' | 'bodyBytes' | 'unfetchedBytes' | 'arrivalSeconds'

/** Called each time something is dropped because of a limit, for metrics. */
export type LimitReached = (limit: ListenerLimit) => void

type LimitedServerParts = {
  readonly limits: ListenerLimits
  readonly tls?: TlsOptions
  readonly limitReached?: LimitReached
}

/** Go closes idle connections after 90 s. With a longer timeout here, an API server never sends a review on a connection that we close. */
const keepAliveTimeout = 100_000

/** Limit of bytes of a request that are buffered before our code reads them, for example while its token is checked. */
const highWaterMark = 16_384

/** The caller must handle `clientError` of the server. */
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
    // Also limits the time for headers, because headersTimeout is not set.
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.min(1_000, milliseconds / 4),
  }
}
