// All that gateway-certificate knows when it decides. Private keys are part of it: they are copied from one Secret to the other.
import type { CertificateTimes } from '../../shared/api/installation.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { TrustedAuthority } from '../../shared/core/tls/renewal.ts'
import type { CertificateProvider } from '../../shared/kyma/certificates.ts'

export type World = {
  /** Whether anybody listens to runtimes, or agents are to run there; without Watchers and agents nothing is kept. */
  readonly isNeeded: boolean
  readonly provider: CertificateProvider
  readonly times: CertificateTimes
  readonly root: Root
  readonly gateway: Gateway
  readonly names: readonly string[]
}

/** The Secret of the authority; without uid: it does not exist yet. */
type Root = {
  readonly secret: KubeObject
  /** The newest first. */
  readonly authorities: readonly TrustedAuthority[]
  /** Whether the Secret holds the key of the newest. */
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
  /** What the Secret holds, in base64. */
  readonly data: { readonly 'tls.crt': string; readonly 'tls.key': string }
  readonly lacks: readonly string[]
  /** Its issuer, as PEM; absent: none that is known here. */
  readonly issuer?: string
}
