// Which authorities each webhook trusts: those of the Secret, and in an overlap its former ones.
import { certificatesIn } from '../../../shared/core/tls/certificate.ts'
import {
  caBundle,
  isValidAt,
  secondsBetween,
  type TrustedAuthority,
  trustedAuthority,
} from '../../../shared/core/tls/renewal.ts'
import type { ConfiguredWebhook, WebhookConfiguration, World } from '../world.ts'

/** How long hosts may show a certificate of a former authority after a lost Secret was made anew. */
const overlapSeconds = 300
const formerMost = 2
/** How long before its creation a certificate begins (shared/outside/certificates.ts). */
const backdateSeconds = 60

export const withBundle = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): object[] =>
  webhooks.map(webhook =>
    isOurs(webhook, world)
      ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle: bundleOf(webhook, world, now) } }
      : webhook,
  )

export const carries = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): boolean =>
  webhooks.every(webhook => !isOurs(webhook, world) || webhook.clientConfig.caBundle === bundleOf(webhook, world, now))

/** Webhooks that lead to another namespace belong to another installation. */
const isOurs = ({ clientConfig: { service } }: ConfiguredWebhook, { secret }: World): boolean =>
  service === undefined || service.namespace === secret.metadata.namespace

const bundleOf = (webhook: ConfiguredWebhook, world: World, now: Date): string =>
  caBundle([...world.authorities, ...formerOf(webhook, world, now)])

/**
 * Authorities that the webhook trusts and the Secret lacks, while the Secret is being made anew and shortly after. Nobody gains by this: whoever may
 * write the webhook may choose its authorities anyway. They go into no other webhook and not into the Secret.
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

/** Only an authority without a predecessor in the Secret begins an overlap: a rotation keeps the old authority in the Secret. */
export const overlapSecondsLeft = ({ authorities: [first, second] }: World, now: Date): number => {
  if (second !== undefined) return 0
  return first === undefined ? overlapSeconds : overlapSeconds - secondsBetween(authorityMadeAt(first), now)
}

export const authorityMadeAt = ({ from }: TrustedAuthority): Date => new Date(from.getTime() + backdateSeconds * 1_000)
