// TLS of the listener for runtimes: its certificate and the authorities of runtimes come together, from a Secret or from files, and
// those of proxies from a file. All are read again from time to time. A listener whose certificate is not there yet listens all
// the same: handshakes fail until it comes, and nothing else of the host waits for it.
import type { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { sha256Hex } from '../../core/digest.ts'
import type { Log } from '../../core/log.ts'
import { certificatesIn } from '../../core/tls/certificate.ts'
import type { RuntimeTrust } from '../callers/runtime-caller.ts'
import type { TlsOptions } from './tls.ts'

/** In PEM. */
export type ListenerFiles = {
  readonly certificate: string
  readonly key: string
  readonly authorities: string
  readonly proxyAuthorities: string
}

/** undefined: there is none yet. */
export type ListenerSource = () => Promise<ListenerFiles | undefined>

type KeptTrust = RuntimeTrust & {
  /** For the server, before it listens. */
  readonly options: TlsOptions & { maxHeaderSize: number }
  /** Reads everything again, and has the server use it. */
  look(server: TlsServer): Promise<void>
  /** Looks from time to time; while there is no certificate, after a second, then after ever longer pauses. */
  keepLooking(server: TlsServer, everySeconds: number): () => void
}

/** Any unknown certificate leads to another look, so there is at most one in this time. */
const lookAgainMilliseconds = 1_000

/** The first pause while there is no certificate. */
const firstSeconds = 1

/** A forwarded certificate may be as long as 32 KiB. */
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

/** Without authorities, so that a handshake proves only that the caller has the key of its certificate; all else is checked at each request. */
const fixed = { minVersion: 'TLSv1.2' as const, ca: [] }

const fingerprint = (files: ListenerFiles): string => sha256Hex(JSON.stringify(files))
