// All that decide knows about the webhooks' certificates. No private key is part of it.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Lifetime } from '../../shared/core/tls/certificate.ts'
import type { TrustedAuthority } from '../../shared/core/tls/renewal.ts'

export type World = {
  /** The stored Secret; without uid: it does not exist yet. */
  readonly secret: KubeObject
  /** Authorities that are trusted, in the Secret's order: the first one signs. */
  readonly authorities: readonly TrustedAuthority[]
  /** Whether the Secret holds the key of the first authority. */
  readonly canSign: boolean
  /** Absent: there is no serving certificate, or its key does not fit. */
  readonly serving?: Serving
  /** The names and addresses by which the API server and the relay reach us. */
  readonly names: readonly string[]
  /** Webhook configurations that carry our label. */
  readonly configurations: readonly WebhookConfiguration[]
}

export type Serving = Lifetime & {
  /** The names of `World.names` that the certificate has. */
  readonly names: readonly string[]
  /** The index of its issuer among the authorities; -1: none of them. */
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
