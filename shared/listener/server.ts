// An HTTP server for callers that nobody knows. It bounds connections, memory for bodies and time; whoever listens decides who may call
// and what is answered.
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type ServerOptions as TlsOptions } from 'node:https'
import { openConnections } from './connections.ts'

export type ListenerLimits = {
  /** Open at once. */
  readonly connections: number
  /** Of all bodies together that arrive or are being answered. */
  readonly bodyBytes: number
  /** In which a handshake ends, and in which a whole request arrives. */
  readonly arrivalSeconds: number
}

/** For a process of 256 MiB: an idle connection over TLS takes up to 100 KiB. */
export const usualLimits: ListenerLimits = { connections: 512, bodyBytes: 32 * 2 ** 20, arrivalSeconds: 10 }

/** What callers can reach: too many connections, requests on one of them, bytes of bodies, or seconds. */
export type ListenerLimit = 'connections' | 'unansweredRequests' | 'bodyBytes' | 'arrivalSeconds'

/** Told each time a caller loses something because a limit was reached; for metrics. */
export type LimitReached = (limit: ListenerLimit) => void

type LimitedServerParts = {
  readonly limits: ListenerLimits
  readonly tls?: TlsOptions
  readonly limitReached?: LimitReached
}

/** Longer than proxies and clients keep connections they do not use, so that they end them and no request is lost. */
const keepAliveTimeout = 72_000

/** Of a request that nobody reads yet, for instance because its caller is being asked about. */
const highWaterMark = 16_384

/** Who listens answers its clientErrors. */
export const limitedServer = (handler: RequestListener, parts: LimitedServerParts): Server => {
  const { limits, tls, limitReached = () => {} } = parts
  const connections = openConnections({ most: limits.connections, reached: limitReached })
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
    headersTimeout: milliseconds,
    requestTimeout: milliseconds,
    connectionsCheckingInterval: Math.min(1_000, milliseconds / 4),
  }
}
