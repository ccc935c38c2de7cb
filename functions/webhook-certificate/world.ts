// The facts about the webhooks' certificates on which decide works. They include no private key.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { TrustedAuthority } from '../../shared/core/tls/renewal.ts'

export type World = {
  /** The stored Secret. Without uid, the Secret does not exist yet. */
  readonly secret: KubeObject
  /** The trusted CAs, in the order of the Secret. The first CA signs. */
  readonly authorities: readonly TrustedAuthority[]
  /** Whether the Secret contains the key of the first CA. */
  readonly canSign: boolean
  /** Absent: there is no serving certificate, or its key does not fit. */
  readonly serving?: Serving
  /** The names and addresses with which API server and relay call this installation. */
  readonly names: readonly string[]
  /** Webhook configurations with our label. */
  readonly configurations: readonly WebhookConfiguration[]
}

export type Serving = Lifetime & {
  /** The names of `World.names` that the certificate has. */
  readonly names: readonly string[]
  /** The index of the issuer among the CAs. -1: no known CA issued the certificate. */
  readonly issuer: number
}

export type WebhookConfiguration = KubeObject & { readonly webhooks?: readonly ConfiguredWebhook[] }

export type ConfiguredWebhook = {
  readonly name: string
  readonly clientConfig: {
    readonly caBundle?: string
    readonly url?: string
    readonly service?: { readonly name: string; readonly namespace: string }
  }
}
