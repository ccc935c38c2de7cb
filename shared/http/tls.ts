// TLS options of the listeners, from files or from the Secret of webhook-certificate, and renewal of certificates at run time. Open connections
// keep their certificate.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server as TlsServer } from 'node:https'
import { join } from 'node:path'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Log } from '../core/log.ts'
import { secretText } from '../core/objects/secret-text.ts'
import type { Client } from '../kube/client-types.ts'

export type TlsSettings = {
  source: CertificateSource
  /** The CAs of client certificates. Absent: no client certificate is requested. */
  clientAuthoritiesFile?: string
}

export type TlsOptions = SecureContextOptions & { requestCert?: boolean; rejectUnauthorized?: boolean }

/**
 * An invalid client certificate does not end the handshake, because routes/webhooks.ts refuses it. Without CAs no certificate is requested,
 * and an empty list avoids loading the CAs of the system.
 */
export const tlsOptions = async ({ source, clientAuthoritiesFile }: TlsSettings): Promise<TlsOptions> => {
  const [serving, authorities] = await Promise.all([source(), clientAuthoritiesFile && readFile(clientAuthoritiesFile)])
  const context = { cert: serving.certificate, key: serving.key, minVersion: 'TLSv1.2' as const, ca: [] }
  return authorities ? { ...context, ca: authorities, requestCert: true, rejectUnauthorized: false } : context
}

export type Reloading = {
  /** Checks now. True if the listeners use a new certificate. */
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

/** Checks periodically for a new certificate. A certificate that does not fit its key is logged and not used. */
export const reloading = (parts: ReloadParts, first: TlsOptions): Reloading => {
  let current = fingerprint(first)
  const look = async (): Promise<boolean> => {
    const options = await tlsOptions(parts.tls)
    if (fingerprint(options) === current) return false
    createSecureContext(options)
    for (const server of parts.servers) server.setSecureContext(options)
    current = fingerprint(options)
    parts.log.info({ notAfter: used(parts, options) }, 'the serving certificate was replaced')
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

type ServingCertificate = { readonly certificate: string; readonly key: string }

/** Rejects if there is no certificate. */
export type CertificateSource = () => Promise<ServingCertificate>

export const certificateFiles =
  (directory: string): CertificateSource =>
  async () => {
    const [certificate, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map(file => readFile(join(directory, file), 'utf8')),
    )
    if (certificate && key) return { certificate, key }
    throw new Error(`${directory} has no serving certificate`)
  }

/** Reads a Secret of type kubernetes.io/tls. */
export const certificateSecret =
  (client: Pick<Client, 'get'>, { namespace, name }: { namespace: string; name: string }): CertificateSource =>
  async () => {
    const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
    const found = { certificate: secretText(secret, 'tls.crt'), key: secretText(secret, 'tls.key') }
    if (found.certificate && found.key) return found
    throw new Error(`Secret ${namespace}/${name} has no serving certificate`)
  }

/** Throws for an invalid certificate. */
const notAfter = ({ certificate }: ServingCertificate): Date => new Date(new X509Certificate(certificate).validTo)
