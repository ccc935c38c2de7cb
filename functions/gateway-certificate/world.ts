// The facts on which gateway-certificate decides. They include private keys, because keys are copied from one Secret to the other.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { TrustedAuthority } from '../../shared/core/tls/renewal.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'
import type { GatewayCertificateSettings } from './settings.ts'

export type World = {
  /** Whether Watchers or agents exist. Otherwise no certificates are maintained. */
  readonly isNeeded: boolean
  readonly provider: CertificateProvider
  readonly times: Pick<GatewayCertificateSettings, 'gatewayGrace' | 'gatewayExpiryWindow'>
  readonly root: Root
  readonly gateway: Gateway
  readonly names: readonly string[]
}

/** The Secret of the CA. Without uid, the Secret does not exist yet. */
type Root = {
  readonly secret: KubeObject
  /** The CAs, newest first. */
  readonly authorities: readonly TrustedAuthority[]
  /** Whether the Secret contains the key of the newest CA. */
  readonly canSign: boolean
  /** Absent: there is no certificate, or its key does not fit. */
  readonly serving?: ListenerCertificate
}

/** The Secret of the listener. Without uid, the Secret does not exist yet. */
type Gateway = {
  readonly secret: KubeObject
  readonly authorities: readonly TrustedAuthority[]
  readonly serving?: ListenerCertificate
}

export type ListenerCertificate = Lifetime & {
  /** The two fields of the Secret, in base64. */
  readonly data: { readonly 'tls.crt': string; readonly 'tls.key': string }
  readonly lacks: readonly string[]
  /** The CA that issued the certificate, as PEM. Absent: no known CA issued it. */
  readonly issuer?: string
}
