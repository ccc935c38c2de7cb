// All that gateway-certificate knows when it decides. It includes private keys, because they are copied from one Secret to the other.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { TrustedAuthority } from '../../shared/core/tls/renewal.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'
import type { GatewayCertificateSettings } from './settings.ts'

export type World = {
  /** Whether there are Watchers or agents. Without both, no certificates are kept. */
  readonly isNeeded: boolean
  readonly provider: CertificateProvider
  readonly times: Pick<GatewayCertificateSettings, 'gatewayGrace' | 'gatewayExpiryWindow'>
  readonly root: Root
  readonly gateway: Gateway
  readonly names: readonly string[]
}

/** The Secret of the authority; without uid: it does not exist yet. */
type Root = {
  readonly secret: KubeObject
  /** The newest first. */
  readonly authorities: readonly TrustedAuthority[]
  /** Whether the Secret holds the key of the newest authority. */
  readonly canSign: boolean
  /** Absent: there is none, or its key does not fit. */
  readonly serving?: ListenerCertificate
}

/** The Secret of the listener; without uid: it does not exist yet. */
type Gateway = {
  readonly secret: KubeObject
  readonly authorities: readonly TrustedAuthority[]
  readonly serving?: ListenerCertificate
}

export type ListenerCertificate = Lifetime & {
  /** These two fields of the Secret, in base64. */
  readonly data: { readonly 'tls.crt': string; readonly 'tls.key': string }
  readonly lacks: readonly string[]
  /** The issuer as PEM; absent: no authority that is known here. */
  readonly issuer?: string
}
