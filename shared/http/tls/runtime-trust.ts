// TLS of the listener for runtimes. Its certificate and the runtimes' CAs come from a Secret or from files, the proxies' CAs from a file.
// All of them are read again periodically. Without a certificate the listener still listens, and only handshakes fail, so that the rest of
// the host need not wait.
import type { Server as TlsServer } from 'node:https'
import { createSecureContext } from 'node:tls'
import { sha256Hex } from '../../core/digest.ts'
import type { Log } from '../../core/log.ts'
import { certificatesIn } from '../../core/tls/certificate.ts'
import type { RuntimeTrust } from '../callers/runtime-caller.ts'
import type { TlsOptions } from './tls.ts'

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
