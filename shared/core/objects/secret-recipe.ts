// Describes the content of a Secret that is generated once and kept. The plan contains names and certificate times. Random keys are
// generated when the step is performed.
import type { ObjectRef } from './object.ts'

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
