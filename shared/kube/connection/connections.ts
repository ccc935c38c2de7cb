// Connections to one API server. Calls and watches use different sockets, so watches never block calls. New certificates replace the
// pools; a new token only changes a header. Idle sockets close by themselves.
import { constants } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { withoutSlashesAtEnd } from '../../core/text/text.ts'
import type { ClusterAccess, Credentials } from '../clusters/access.ts'
import { connectorFor } from './connector.ts'
import { Streams } from './streams.ts'
import { Traffic } from './traffic.ts'

export type Connections = {
  /** For messages: `at HOST`, or the source of the kubeconfig. */
  readonly place: string
  readonly traffic: Traffic
  /** The pools and headers for the current credentials. Requests on replaced pools continue. */
  open(): Open | Promise<Open>
  /** Ends watches at once, and waits for running calls. */
  close(): Promise<void>
}

type Open = {
  readonly calls: Dispatcher
  readonly streams: Pick<Streams, 'request' | 'close' | 'destroy'>
  readonly headers: Readonly<Record<string, string>>
  readonly origin: string
  /** The path of the API server's address without a slash at the end. Request paths start with this prefix. */
  readonly prefix: string
}

type ConnectionSettings = {
  userAgent: string
  connections: number
  answerSeconds: number
  /** Maximum number of received bytes outside of answers. Default: unlimited. */
  emptyBytes?: number
}

const seconds = 1000
/** Shorter than the API server's 90 s, so requests are rarely sent on a socket that the server is closing. */
const idleSocketMilliseconds = 45 * seconds
/** Two attempts fit into the time limit for a read of a remote cluster. */
const connectMilliseconds = 4 * seconds

const pingMilliseconds = 30 * seconds

/** Connects on the first request. */
export const connections = (access: ClusterAccess, settings: ConnectionSettings): Connections => {
  let last: { credentials: Credentials; open: Open } | undefined
  let closed = false
  const traffic = new Traffic(settings.emptyBytes ?? Number.POSITIVE_INFINITY)
  const replaced = new Set<Open>()
  const drain = async (open: Open): Promise<void> => {
    replaced.add(open)
    await Promise.allSettled([open.calls.close(), open.streams.close()])
    replaced.delete(open)
  }
  const openFor = (credentials: Credentials): Open => {
    if (closed) throw new Error(`the client for the API server ${placeOf(access)} is closed`)
    const before = last
    if (before?.credentials === credentials) return before.open
    const open = opened(access, credentials, { settings, traffic, before })
    last = { credentials, open }
    if (before && before.open.calls !== open.calls) void drain(before.open)
    return open
  }
  return {
    place: placeOf(access),
    traffic,
    open: () => {
      const credentials = access.credentials()
      return credentials instanceof Promise ? credentials.then(openFor) : openFor(credentials)
    },
    close: async () => {
      closed = true
      const all = last ? [last.open, ...replaced] : []
      await Promise.allSettled(all.flatMap(open => [open.calls.close(), open.streams.destroy()]))
    },
  }
}

const placeOf = ({ called, server }: ClusterAccess): string =>
  called === undefined ? `at ${URL.parse(server)?.host ?? 'no address'}` : `with ${called}`

type Context = {
  settings: ConnectionSettings
  traffic: Traffic
  before: { credentials: Credentials; open: Open } | undefined
}

const opened = (access: ClusterAccess, credentials: Credentials, { settings, traffic, before }: Context): Open => {
  const headers = headersOf(credentials, settings)
  if (before && sameTls(before.credentials, credentials)) return { ...before.open, headers }
  const { origin, pathname } = new URL(access.server)
  const prefix = withoutSlashesAtEnd(pathname)
  const { dispatcher } = access
  if (dispatcher) return { calls: dispatcher, streams: dispatcher, headers, origin, prefix }
  const connector = connectorFor(tlsOptions(access, credentials), traffic)
  const answerMilliseconds = settings.answerSeconds * seconds
  return {
    // Unlike a Pool, an Agent without open sockets needs no memory. This saves 25 KB for each cluster that is only watched.
    calls: new Agent({
      allowH2: false,
      connect: connector({ allowH2: false }),
      keepAliveTimeout: idleSocketMilliseconds,
      connections: settings.connections,
      headersTimeout: answerMilliseconds,
      bodyTimeout: answerMilliseconds,
    }),
    streams: new Streams(origin, {
      connector,
      answerMilliseconds,
      signOfLifeMilliseconds: connectMilliseconds,
      pingMilliseconds,
      idleMilliseconds: idleSocketMilliseconds,
    }),
    headers,
    origin,
    prefix,
  }
}

const headersOf = (credentials: Credentials, { userAgent }: ConnectionSettings): Record<string, string> => ({
  'user-agent': userAgent,
  ...credentials.headers,
  ...(credentials.token ? { authorization: `Bearer ${credentials.token}` } : {}),
})

const tlsOptions = (access: ClusterAccess, credentials: Credentials) => ({
  timeout: connectMilliseconds,
  secureOptions,
  ...certificatesOf(credentials),
  ...(credentials.serverName && { servername: credentials.serverName }),
  ...(credentials.acceptsAnyCertificate && { rejectUnauthorized: false }),
  ...(access.lookup && { lookup: access.lookup }),
})

/** A TLS 1.2 server could request renegotiation endlessly, and each handshake costs both sides a millisecond. */
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION

/** The certificates, parsed once for all sockets. Otherwise each socket would parse its own copy and keep 20 KB. */
const certificatesOf = ({ ca, certificate: cert, key }: Credentials) =>
  (ca ?? cert) === undefined ? {} : { secureContext: createSecureContext({ ca, cert, key, secureOptions }) }

const tlsFields = ['ca', 'certificate', 'key', 'serverName', 'acceptsAnyCertificate'] as const

const sameTls = (a: Credentials, b: Credentials): boolean => tlsFields.every(field => a[field] === b[field])
