// The facts on which runtime-certificate decides. They include no private key.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'
import type { RuntimeCertificateSettings } from './settings.ts'

export type World = {
  readonly kyma: Kyma
  readonly provider: CertificateProvider
  /** In seconds: the lifetime of the certificate, its renewal before the end, and when a metric reports a missing renewal. */
  readonly times: Readonly<Record<'duration' | 'renewBefore' | 'renewBuffer', number>>
  readonly issuer: RuntimeCertificateSettings['certificateIssuer']
  /** Additional names for every certificate, from the settings. */
  readonly furtherNames: readonly string[]
  /** The CAs that the listener trusts. undefined: the listener has no certificate yet. */
  readonly listener?: Listener
  /** The Secret of the runtime's certificate, without its key. Without uid, the Secret does not exist yet. */
  readonly secret: KubeObject
  /** The stored Certificate object. Absent: it does not exist, or Espalier creates the certificate itself. */
  readonly asked?: KubeObject
  /** Absent: the Secret contains no certificate, or its key does not fit. */
  readonly current?: RuntimeCertificate
}

export type Listener = {
  /** `ca.crt` of the certificate's Secret, in base64. */
  readonly authorities: string
  /** When the newest CA was added to the bundle. */
  readonly addedAt: Date
}

export type RuntimeCertificate = Lifetime & {
  readonly commonName: string
  /** Names that the certificate should have but lacks. */
  readonly lacks: readonly string[]
  /** Whether the newest CA of the listener has signed the certificate. */
  readonly isOfNewest: boolean
}
