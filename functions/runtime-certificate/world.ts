// All that runtime-certificate knows when it decides. No private key is part of it.
import type { CertificateTimes, KymaInstallation } from '../../shared/api/installation.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'
import type { Kyma } from '../../shared/kyma/kinds.ts'

export type World = {
  readonly kyma: Kyma
  readonly provider: CertificateProvider
  readonly times: CertificateTimes
  readonly issuer: KymaInstallation['certificateIssuer']
  /** Names beside those of the runtime's own. */
  readonly furtherNames: readonly string[]
  /** What the listener trusts; undefined: it has no certificate yet. */
  readonly listener?: Listener
  /** The Secret of the runtime's certificate, without its key; without uid: it does not exist yet. */
  readonly secret: KubeObject
  /** The Certificate by which the operator is asked for it. Absent: there is none, or we make the certificate ourselves. */
  readonly asked?: KubeObject
  /** Absent: the Secret holds none, or its key does not fit. */
  readonly current?: RuntimeCertificate
}

export type Listener = {
  /** `ca.crt` of its Secret, in base64. */
  readonly authorities: string
  /** When the newest authority came. */
  readonly addedAt: Date
}

export type RuntimeCertificate = Lifetime & {
  readonly commonName: string
  /** Names that it shall have and lacks. */
  readonly lacks: readonly string[]
  /** Whether the newest authority of the listener has signed it. */
  readonly isOfNewest: boolean
}
