// All that runtime-certificate knows when it decides. No private key is part of it.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'
import type { RuntimeCertificateSettings } from './settings.ts'

export type World = {
  readonly kyma: Kyma
  readonly provider: CertificateProvider
  /** In seconds: its life, its renewal before the end, and when a metric says that it was not renewed. */
  readonly times: Readonly<Record<'duration' | 'renewBefore' | 'renewBuffer', number>>
  readonly issuer: RuntimeCertificateSettings['certificateIssuer']
  /** More names for every certificate, from the settings. */
  readonly furtherNames: readonly string[]
  /** What the listener trusts; undefined: it has no certificate yet. */
  readonly listener?: Listener
  /** The Secret of the runtime's certificate, without its key; without uid: it does not exist yet. */
  readonly secret: KubeObject
  /** The stored Certificate object. Absent: it does not exist, or Espalier makes the certificate itself. */
  readonly asked?: KubeObject
  /** Absent: the Secret holds none, or its key does not fit. */
  readonly current?: RuntimeCertificate
}

export type Listener = {
  /** `ca.crt` of its Secret, in base64. */
  readonly authorities: string
  /** When the newest authority was added to the bundle. */
  readonly addedAt: Date
}

export type RuntimeCertificate = Lifetime & {
  readonly commonName: string
  /** Names that the certificate should have and lacks. */
  readonly lacks: readonly string[]
  /** Whether the newest authority of the listener has signed it. */
  readonly isOfNewest: boolean
}
