// Reads and writes the base64 texts of Secrets, and describes the content of Secrets that are generated. Code that must distinguish a
// missing key from an empty key reads `data` itself.
//
//   { apiVersion: 'v1', kind: 'Secret', metadata, data: encodedTexts({ username: 'admin', password }) }
import { valueAt } from '../json/fields.ts'
import type { KubeObject, ObjectRef } from './object.ts'

/**
 * The text of one key; '' when the Secret or the key is missing.
 *
 *   secretText(secret, 'password') // 'open sesame'
 */
export const secretText = (secret: KubeObject | undefined, key: string): string =>
  Buffer.from(String(valueAt(secret?.data, key) ?? ''), 'base64').toString()

export const encodedText = (text: string): string => Buffer.from(text).toString('base64')

export const encodedTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, encodedText(text)]))

/** The content of a Secret that is generated once and kept. Random keys are generated when the step is performed. */
export type SecretRecipe =
  | ({ readonly make: 'authority'; readonly commonName: string } & CertificateTimes)
  | ({ readonly make: 'certificate' } & CertificateRecipe & CertificateTimes)
  /** `id_rsa` and `id_rsa.pub`. */
  | { readonly make: 'rsaKey'; readonly bits: number }
  /** For encryption at rest: 32 bytes. Encrypted data refers to the key by `keyName`. */
  | { readonly make: 'encryptionKey'; readonly keyName: string; readonly provider: string }
  | { readonly make: 'staticToken'; readonly user: string }
  | { readonly make: 'basicAuth'; readonly user: string }
  /** A copy of the data of another Secret. */
  | { readonly make: 'copy'; readonly source: ObjectRef }
  /** Fixed texts that are not confidential. */
  | { readonly make: 'given'; readonly texts: Readonly<Record<string, string>> }

type CertificateTimes = { readonly notBefore: Date; readonly notAfter: Date }

type CertificateRecipe = {
  /** The Secret with `ca.crt` and `ca.key`. The private key is not copied. */
  readonly signer: ObjectRef
  readonly commonName: string
  readonly organization?: string
  readonly uses: readonly ('server' | 'client')[]
  readonly names: readonly string[]
  /** `tls.crt` also contains the certificate of the authority. */
  readonly hasAuthority?: true
}
