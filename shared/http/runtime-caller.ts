// Identifies the calling Kyma runtime by its client certificate, from the connection or forwarded by a trusted proxy; and the certificates of
// the listener for runtimes, which are read again periodically. A proxy is trusted if its own certificate has a configured URI.
import type { X509Certificate } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { createSecureContext, TLSSocket } from 'node:tls'
import { sha256Hex } from '../core/digest.ts'
import type { Log } from '../core/log.ts'
import { BoundedCache } from '../core/memory/bounded-cache.ts'
import { certificatesIn } from '../core/tls/certificate.ts'
import { clientCertificateFault, commonNameOf, forwardedPem, hasUri } from './client-certificate.ts'
import { Refused } from './errors.ts'
import type { TlsOptions } from './tls.ts'

export type RuntimeTrust = {
  /** The CAs of runtime certificates. If there is none, no runtime is accepted. */
  authorities(): readonly X509Certificate[]
  proxyAuthorities(): readonly X509Certificate[]
  readonly proxies: readonly string[]
  /** Reads the CAs again, but at most once per second. */
  lookAgain(): Promise<void>
}

const headerMost = 32_768

/**
 * The common name of the runtime's certificate. Throws Refused: 401, or 400 for a certificate without a name. Before a refusal, the CAs are
 * read again, because a runtime may use a new CA that this process does not know yet.
 */
export const runtimeCallerOf = async (request: IncomingMessage, trust: RuntimeTrust, now: Date): Promise<string> => {
  try {
    return provedName(request, trust, now)
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'unauthenticated') throw error
    await trust.lookAgain()
    return provedName(request, trust, now)
  }
}

/** Like `runtimeCallerOf`, but without reading CAs again. undefined if no name is proved. */
export const believedCaller = (request: IncomingMessage, trust: RuntimeTrust, now: Date): string | undefined => {
  try {
    return provedName(request, trust, now)
  } catch {
    return undefined
  }
}

const provedName = (request: IncomingMessage, trust: RuntimeTrust, now: Date): string => {
  const certificate = callersCertificate(request, trust, now)
  const fault = clientCertificateFault(certificate, { authorities: trust.authorities(), now })
  if (fault !== undefined) throw unproved(fault)
  const name = commonNameOf(certificate)
  if (name === undefined) throw unproved('the client certificate has several common names')
  if (name === '') throw new Refused('nameless')
  return name
}

const callersCertificate = ({ socket, headers }: IncomingMessage, trust: RuntimeTrust, now: Date): X509Certificate => {
  const peer = socket instanceof TLSSocket ? certificateOf(socket) : undefined
  if (peer === undefined) throw unproved('the request needs a client certificate')
  const header = headers['x-forwarded-client-cert']
  if (header === undefined) return peer
  if (!isNamedProxy(peer, trust, now)) throw unproved('only configured proxies may forward certificates')
  return forwarded(String(header))
}

const isNamedProxy = (peer: X509Certificate, { proxies, proxyAuthorities }: RuntimeTrust, now: Date): boolean =>
  hasUri(peer, proxies) && clientCertificateFault(peer, { authorities: proxyAuthorities(), now }) === undefined

/**
 * Certificates are cached, because parsing and verifying a certificate is the most expensive part of a request. Certificates of open
 * connections are cached by connection, forwarded certificates in a bounded cache. Everything that may change is checked for each request.
 */
const ofConnections = new WeakMap<TLSSocket, X509Certificate>()
const ofHeaders = new BoundedCache<string, X509Certificate>(2_000)
const keptHeaderMost = 4_096

const certificateOf = (socket: TLSSocket): X509Certificate | undefined => {
  const certificate = ofConnections.get(socket) ?? socket.getPeerX509Certificate()
  if (certificate) ofConnections.set(socket, certificate)
  return certificate
}

const forwarded = (header: string): X509Certificate => {
  if (header.length > headerMost) throw unproved('the forwarded certificate is too long')
  const certificate = ofHeaders.get(header) ?? certificatesIn(forwardedPem(header) ?? '')[0]
  if (certificate === undefined) throw unproved('the forwarded certificate cannot be read')
  if (header.length <= keptHeaderMost) ofHeaders.set(header, certificate)
  return certificate
}

const unproved = (detail: string): Refused => new Refused('unauthenticated', { detail })

/** The files as PEM. */
export type ListenerFiles = {
  readonly certificate: string
  readonly key: string
  readonly authorities: string
  readonly proxyAuthorities: string
}

/** undefined if there are no files yet. */
export type ListenerSource = () => Promise<ListenerFiles | undefined>

type KeptTrust = RuntimeTrust & {
  /** Options for a server that does not listen yet. */
  readonly options: TlsOptions & { maxHeaderSize: number }
  /** Reads everything again, and updates the server. */
  look(server: TlsServer): Promise<void>
  /** Reads periodically. Without a certificate, the first pause is one second, and each further pause doubles. */
  keepLooking(server: TlsServer, everySeconds: number): () => void
}

/** Minimum time between two reads, because each unknown certificate causes a read. */
const lookAgainMilliseconds = 1_000

const firstSeconds = 1

/** Large enough for a forwarded certificate, which may have 32 KiB. */
const headersMost = 40_960

export const runtimeTrust = (
  source: ListenerSource,
  { proxies, log }: { proxies: readonly string[]; log: Log },
): KeptTrust => {
  let [authorities, proxyAuthorities, current] = [certificatesIn(''), certificatesIn(''), '']
  let served: TlsServer | undefined
  let again = { at: Number.NEGATIVE_INFINITY, done: Promise.resolve() }
  const look = async (server: TlsServer): Promise<void> => {
    served = server
    const files = await source()
    if (files === undefined || fingerprint(files) === current) return
    const context = { cert: files.certificate, key: files.key, ...fixed }
    createSecureContext(context)
    server.setSecureContext(context)
    authorities = certificatesIn(files.authorities)
    proxyAuthorities = certificatesIn(files.proxyAuthorities)
    current = fingerprint(files)
    log.info(
      { authorities: authorities.map(({ subject }) => subject) },
      'the listener for runtimes uses new certificates',
    )
  }
  const tried = (server: TlsServer): Promise<void> =>
    look(server).catch(error => log.error({ err: error }, 'certificates of the listener for runtimes cannot be read'))
  const lookAgain = (): Promise<void> => {
    const at = performance.now()
    if (served && at - again.at > lookAgainMilliseconds) again = { at, done: tried(served) }
    return again.done
  }
  return {
    proxies,
    authorities: () => authorities,
    proxyAuthorities: () => proxyAuthorities,
    look,
    lookAgain,
    options: { ...fixed, requestCert: true, rejectUnauthorized: false, maxHeaderSize: headersMost },
    keepLooking: (server, everySeconds) => {
      let timer: NodeJS.Timeout | undefined
      const lookIn = (seconds: number): void => {
        const looks = async (): Promise<void> => {
          await tried(server)
          if (timer) lookIn(current === '' ? Math.min(2 * seconds, everySeconds) : everySeconds)
        }
        timer = setTimeout(looks, seconds * 1_000).unref()
      }
      lookIn(Math.min(firstSeconds, everySeconds))
      return () => {
        clearTimeout(timer)
        timer = undefined
      }
    },
  }
}

/** The list of CAs is empty, so the handshake only proves that the caller has the key. All other checks are made for each request. */
const fixed = { minVersion: 'TLSv1.2' as const, ca: [] }

const fingerprint = (files: ListenerFiles): string => sha256Hex(JSON.stringify(files))
