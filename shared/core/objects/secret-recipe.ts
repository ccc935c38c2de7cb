// What to make for a Secret whose content is made once and kept. Keys are random, so they are made when the step is performed; all that
// can be decided before is decided: names, and the times of certificates.
import type { ObjectRef } from './object.ts'

export type SecretRecipe =
  | ({ readonly make: 'authority'; readonly commonName: string } & CertificateTimes)
  | ({ readonly make: 'certificate' } & CertificateRecipe & CertificateTimes)
  /** `id_rsa` and `id_rsa.pub`. */
  | { readonly make: 'rsaKey'; readonly bits: number }
  /** For encryption at rest: 32 bytes and the name by which stored data tells which key it needs. */
  | { readonly make: 'encryptionKey'; readonly keyName: string; readonly provider: string }
  | { readonly make: 'staticToken'; readonly user: string }
  | { readonly make: 'basicAuth'; readonly user: string }
  /** Byte for byte what another Secret holds. */
  | { readonly make: 'copy'; readonly source: ObjectRef }
  /** Texts that are no secret of their own. */
  | { readonly make: 'given'; readonly texts: Readonly<Record<string, string>> }

type CertificateTimes = { readonly notBefore: Date; readonly notAfter: Date }

type CertificateRecipe = {
  /** The Secret with `ca.crt` and `ca.key`; its key stays there. */
  readonly signer: ObjectRef
  readonly commonName: string
  /** The group that a client is of. */
  readonly organization?: string
  readonly uses: readonly ('server' | 'client')[]
  readonly names: readonly string[]
  /** The authority's certificate follows in `tls.crt`. */
  readonly hasAuthority?: true
}
