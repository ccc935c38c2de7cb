// TLS of the listeners: the options at start, and new certificates while they run. Open connections keep their certificate; new
// connections get the new one.
import { readFile } from 'node:fs/promises'
import type { Server as TlsServer } from 'node:https'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Log } from '../../core/log.ts'
import { type CertificateSource, notAfter, type ServingCertificate } from './serving-certificate.ts'

export type TlsSettings = {
  source: CertificateSource
  /** The file with the authorities of client certificates. When absent, callers are not asked for certificates. */
  clientAuthoritiesFile?: string
}

export type TlsOptions = SecureContextOptions & { requestCert?: boolean; rejectUnauthorized?: boolean }

/**
 * The options of a server. A bad client certificate does not end the handshake: routes/webhooks.ts refuses it. Without
 * authorities nobody is asked for a certificate, and an empty list saves loading those of the system.
 */
export const tlsOptions = async ({ source, clientAuthoritiesFile }: TlsSettings): Promise<TlsOptions> => {
  const [serving, authorities] = await Promise.all([source(), clientAuthoritiesFile && readFile(clientAuthoritiesFile)])
  const context = { cert: serving.certificate, key: serving.key, minVersion: 'TLSv1.2' as const, ca: [] }
  return authorities ? { ...context, ca: authorities, requestCert: true, rejectUnauthorized: false } : context
}

export type Reloading = {
  /** Looks now: true when the listeners serve another certificate from here on. */
  look(): Promise<boolean>
  stop(): void
}

type ReloadParts = {
  tls: TlsSettings
  servers: readonly TlsServer[]
  everySeconds: number
  log: Log
  onUse?: (notAfter: Date) => void
}

/** Looks for a new certificate from time to time. One that does not fit its key is logged and not used. */
export const reloading = (parts: ReloadParts, first: TlsOptions): Reloading => {
  let current = fingerprint(first)
  const look = async (): Promise<boolean> => {
    const options = await tlsOptions(parts.tls)
    if (fingerprint(options) === current) return false
    createSecureContext(options)
    for (const server of parts.servers) server.setSecureContext(options)
    current = fingerprint(options)
    parts.log.info({ notAfter: used(parts, options) }, 'another serving certificate is in use')
    return true
  }
  used(parts, first)
  const timer = setInterval(() => {
    look().catch(error => parts.log.error({ err: error }, 'the serving certificate could not be read again'))
  }, parts.everySeconds * 1000)
  timer.unref()
  return { look, stop: () => clearInterval(timer) }
}

const used = ({ onUse }: ReloadParts, { cert, key }: TlsOptions): Date => {
  const end = notAfter({ certificate: String(cert), key: String(key) } satisfies ServingCertificate)
  onUse?.(end)
  return end
}

const fingerprint = ({ cert, key, ca }: TlsOptions): string => JSON.stringify([cert, key, String(ca)])
