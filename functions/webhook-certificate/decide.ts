// Which certificates to create, and when. All API servers trust a new CA before it signs. First the CA is added to the Secret, then to every
// webhook configuration. After a pause, in which API servers read the change, the CA signs the serving certificate. If the Secret is lost,
// each webhook keeps the CAs that it trusted until every host uses a new certificate.
import { checks } from '../../shared/core/decisions/checks.ts'
import type { CertificateRequest, EventNote, Next, Plan, Step } from '../../shared/core/decisions/plan.ts'
import { certificatesIn } from '../../shared/core/tls/certificate.ts'
import {
  caBundle,
  dueAt,
  isDueAt,
  isValidAt,
  secondsBetween,
  settledUntil,
  type TrustedAuthority,
  trustedAuthority,
} from '../../shared/core/tls/renewal.ts'
import { type Reason, reasons } from './reasons.ts'
import type { ConfiguredWebhook, WebhookConfiguration, World } from './world.ts'

const authorityDays = 730
const servingDays = 90

/** The time for API servers to read a changed configuration, and for mounts and hosts to read a changed Secret. */
const noticeSeconds = 120
/** Expired CAs stay in the bundle for this time, because our clock may be wrong. They do no harm in the bundle. */
const keepExpiredSeconds = 86_400
/** A shorter time for API servers to read a changed configuration, because starting hosts wait for their certificate. */
const briefNoticeSeconds = 5

/** `pauseSeconds`: for this time after the last change of trusted CAs, no serving certificate is created. */
type Renewal = {
  reason: Reason
  renew: CertificateRequest['renew']
  pauseSeconds?: number
  /** Also waits until every configuration trusts the CA. */
  isPatient?: true
}

const patient = { pauseSeconds: noticeSeconds, isPatient: true } as const

/** The annotation of a configuration with the time of the last change of its trusted CAs. */
const trustsSince = 'espalier.dev/trusts-since'

/** Faults of the certificates, and which certificates to create. */
const renewalFor = checks<[World, Date], Renewal>(
  (w, now) =>
    !canSign(w, now) &&
    (isServing(w, now) || hasFormer(w, now)) && { reason: 'authorityUnusable', renew: ['authority'] },
  (w, now) => !canSign(w, now) && { reason: 'authorityUnusable', renew: ['authority', 'serving'] },
  ({ authorities: [first] }, now) => isDueAt(first, now) && { reason: 'authorityDue', renew: ['authority'] },
  (w, now) =>
    !isServing(w, now) && {
      reason: 'servingUnusable',
      renew: ['serving'],
      pauseSeconds: hasFormer(w, now) ? briefNoticeSeconds : 0,
    },
  ({ serving }, now) => isDueAt(serving, now) && { reason: 'servingDue', renew: ['serving'], ...patient },
  w => lacksName(w) && { reason: 'namesChanged', renew: ['serving'], ...patient },
  w => w.serving?.issuer !== 0 && { reason: 'authorityReplaced', renew: ['serving'], ...patient },
)

export const decide = (world: World, now: Date): Plan => {
  const renewal = renewalFor(world, now)
  const waitSeconds = renewal?.pauseSeconds ? secondsUntilNoticed(world, now, renewal.pauseSeconds) : 0
  const isTime =
    renewal !== undefined && waitSeconds === 0 && (!renewal.isPatient || isInEveryConfiguration(world, now))
  const isTrustChanging = isTime && renewal.renew.includes('authority')
  return {
    steps: [
      ...(isTime ? [issue(world, renewal.renew)] : pruning(world, now)),
      ...(isTrustChanging ? [] : announcements(world, now)),
    ],
    status: {},
    events: isTime ? [event(renewal)] : [],
    next: waitSeconds > 0 ? { is: 'waiting', seconds: waitSeconds, for: reasons.authorityUnknown } : rest(world, now),
  }
}

const issue = (world: World, renew: CertificateRequest['renew']): Step => ({
  do: 'issueCertificates',
  into: world.secret,
  for: { renew, commonName: world.secret.metadata.name, names: world.names, authorityDays, servingDays },
})

const event = ({ renew, reason }: Renewal): EventNote => ({
  type: 'Normal',
  reason: 'CertificateRenewed',
  message: `new ${renew.join(' and ')} certificate: ${reasons[reason]}`,
})

/** Removes CAs that expired long ago. */
const pruning = ({ secret, authorities }: World, now: Date): Step[] => {
  const kept = authorities.filter(({ to }) => secondsBetween(to, now) < keepExpiredSeconds)
  if (kept.length === authorities.length) return []
  return [{ do: 'patch', target: secret, merge: { data: { 'ca.crt': caBundle(kept) } } }]
}

/** Each of our webhooks gets the CAs of the Secret, and during an overlap also keeps its former CAs. */
const announcements = (world: World, now: Date): Step[] =>
  world.configurations
    .filter(configuration => !carries(configuration, world, now))
    .map(configuration => ({
      do: 'patch',
      target: configuration,
      merge: {
        metadata: { annotations: { [trustsSince]: now.toISOString() } },
        webhooks: withBundle(configuration, world, now),
      },
    }))

const isInEveryConfiguration = (world: World, now: Date): boolean =>
  world.configurations.every(configuration => carries(configuration, world, now))

const canSign = ({ canSign, authorities: [first] }: World, now: Date): boolean => canSign && isValidAt(first, now)

/** Whether the serving certificate and its CA are valid now. */
const isServing = ({ serving, authorities }: World, now: Date): boolean =>
  isValidAt(serving, now) && isValidAt(authorities[serving?.issuer ?? -1], now)

const lacksName = ({ serving, names }: World): boolean => names.some(name => !serving?.names.includes(name))

/** Seconds until API servers and mounts have had time to read the CA. */
const secondsUntilNoticed = (
  { authorities: [first], configurations, serving }: World,
  now: Date,
  pause: number,
): number => {
  if (first === undefined || serving?.issuer === 0) return 0
  const announced = configurations.map(({ metadata: { annotations } }) => new Date(annotations?.[trustsSince] ?? 0))
  return Math.max(0, ...[authorityMadeAt(first), ...announced].map(moment => pauseLeft(moment, now, pause)))
}

/** A time that cannot be parsed, or is in the future after the clock was changed, counts as the full pause. */
const pauseLeft = (since: Date, now: Date, pause: number): number =>
  Math.min(pause, pause - (secondsBetween(since, now) || 0))

const rest = (world: World, now: Date): Next => {
  const { authorities, serving } = world
  const lives = [authorities[0], serving].flatMap(life => (life ? [secondsBetween(now, dueAt(life))] : []))
  return settledUntil(hasFormer(world, now) ? [...lives, overlapSecondsLeft(world, now)] : lives)
}

/** After a lost Secret was created again, hosts may use a certificate of a former CA for this time. */
const overlapSeconds = 300
const formerMost = 2
/** A certificate is valid from this time before its creation (shared/outside/certificates.ts). */
const backdateSeconds = 60

const withBundle = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): object[] =>
  webhooks.map(webhook =>
    isOurs(webhook, world)
      ? { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle: bundleOf(webhook, world, now) } }
      : webhook,
  )

const carries = ({ webhooks = [] }: WebhookConfiguration, world: World, now: Date): boolean =>
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

const hasFormer = (world: World, now: Date): boolean =>
  world.configurations.some(({ webhooks = [] }) =>
    webhooks.some(webhook => isOurs(webhook, world) && formerOf(webhook, world, now).length > 0),
  )

/** An overlap begins only if the CA has no predecessor in the Secret, because a rotation keeps the old CA in the Secret. */
const overlapSecondsLeft = ({ authorities: [first, second] }: World, now: Date): number => {
  if (second !== undefined) return 0
  return first === undefined ? overlapSeconds : overlapSeconds - secondsBetween(authorityMadeAt(first), now)
}

const authorityMadeAt = ({ from }: TrustedAuthority): Date => new Date(from.getTime() + backdateSeconds * 1_000)
