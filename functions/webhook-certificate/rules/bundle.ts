// The CAs that each webhook trusts: the CAs in the Secret, and during an overlap also the webhook's former CAs.
import { certificatesIn } from '../../../shared/core/tls/certificate.ts'
import {
  caBundle,
  isValidAt,
  secondsBetween,
  type TrustedAuthority,
  trustedAuthority,
} from '../../../shared/core/tls/renewal.ts'
import type { ConfiguredWebhook, WebhookConfiguration, World } from '../world.ts'

/** After a lost Secret was created again, hosts may use a certificate of a former CA for this time. */
const overlapSeconds = 300
const formerMost = 2
/** A certificate is valid from this time before its creation (shared/outside/certificates.ts). */
const backdateSeconds = 60

export const withBundle = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): object[] =>
  webhooks.map(webhook =>
    isOurs(webhook, world)
      ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle: bundleOf(webhook, world, now) } }
      : webhook,
  )

export const carries = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): boolean =>
  webhooks.every(webhook => !isOurs(webhook, world) || webhook.clientConfig.caBundle === bundleOf(webhook, world, now))

/** A webhook that calls another namespace belongs to another installation. */
const isOurs = ({ clientConfig: { service } }: ConfiguredWebhook, { secret }: World): boolean =>
  service === undefined || service.namespace === secret.metadata.namespace

const bundleOf = (webhook: ConfiguredWebhook, world: World, now: Date): string =>
  caBundle([...world.authorities, ...formerOf(webhook, world, now)])

/**
 * CAs that the webhook trusts and the Secret lacks, while the Secret is created again and shortly afterwards. This gives no new rights: a client
 * that may write the webhook can set its CAs anyway. These CAs are added to no other webhook and not to the Secret.
 */
const formerOf = ({ clientConfig }: ConfiguredWebhook, world: World, now: Date): TrustedAuthority[] =>
  overlapSecondsLeft(world, now) > 0
    ? certificatesIn(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString())
        .map(trustedAuthority)
        .filter(former => isValidAt(former, now) && !world.authorities.some(({ pem }) => pem === former.pem))
        .slice(0, formerMost)
    : []

export const hasFormer = (world: World, now: Date): boolean =>
  world.configurations.some(({ webhooks = [] }) =>
    webhooks.some(webhook => isOurs(webhook, world) && formerOf(webhook, world, now).length > 0),
  )

/** An overlap begins only if the CA has no predecessor in the Secret, because a rotation keeps the old CA in the Secret. */
export const overlapSecondsLeft = ({ authorities: [first, second] }: World, now: Date): number => {
  if (second !== undefined) return 0
  return first === undefined ? overlapSeconds : overlapSeconds - secondsBetween(authorityMadeAt(first), now)
}

export const authorityMadeAt = ({ from }: TrustedAuthority): Date => new Date(from.getTime() + backdateSeconds * 1_000)
