// Reads the serving certificate from files, or from the Secret of webhook-certificate. tls.ts reads it again periodically.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretText } from '../../core/objects/secret-text.ts'
import type { Client } from '../../kube/client-types.ts'

export type ServingCertificate = { readonly certificate: string; readonly key: string }

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
export const notAfter = ({ certificate }: ServingCertificate): Date =>
  new Date(new X509Certificate(certificate).validTo)
