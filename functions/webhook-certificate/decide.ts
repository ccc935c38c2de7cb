// Which certificates to make, and when. A new authority is trusted everywhere before it signs: first it is put into the
// Secret, then into every webhook configuration, and after a pause in which API servers notice the last change, it signs the
// serving certificate. When the Secret is lost, each webhook keeps the authorities that it trusted until every host shows a new certificate.
import { checks } from '../../shared/core/decisions/checks.ts'
import type { CertificateRequest, EventNote, Next, Plan, Step } from '../../shared/core/decisions/plan.ts'
import { caBundle, dueAt, isDueAt, isValidAt, secondsBetween, settledUntil } from '../../shared/core/tls/renewal.ts'
import { type Reason, reasons } from './reasons.ts'
import { authorityMadeAt, carries, hasFormer, overlapSecondsLeft, withBundle } from './rules/bundle.ts'
import type { World } from './world.ts'

const authorityDays = 730
const servingDays = 90

/** The time for API servers to notice a changed configuration, and for mounts and hosts to notice a changed Secret. */
const noticeSeconds = 120
/** Expired authorities stay in the bundle for so long, since our clock may be wrong; they do no harm there. */
const keepExpiredSeconds = 86_400
/** A short time for watching API servers to notice a changed configuration, because starting hosts wait for their certificate meanwhile. */
const briefNoticeSeconds = 5

/** No serving certificate is made within `pauseSeconds` after the last change of trust. */
type Renewal = {
  reason: Reason
  renew: CertificateRequest['renew']
  pauseSeconds?: number
  /** Waits also until the authority is trusted in every configuration. */
  isPatient?: true
}

const patient = { pauseSeconds: noticeSeconds, isPatient: true } as const

/** Annotation of a configuration: when the authorities that it trusts were last changed. */
const trustsSince = 'espalier.dev/trusts-since'

/** Faults of the certificates, and which certificates to make. */
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

/** Removes authorities that expired long ago. */
const pruning = ({ secret, authorities }: World, now: Date): Step[] => {
  const kept = authorities.filter(({ to }) => secondsBetween(to, now) < keepExpiredSeconds)
  if (kept.length === authorities.length) return []
  return [{ do: 'patch', target: secret, merge: { data: { 'ca.crt': caBundle(kept) } } }]
}

/** Each of our webhooks gets the authorities of the Secret, and in an overlap keeps its former ones. */
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

/** The serving certificate and its authority are valid now. */
const isServing = ({ serving, authorities }: World, now: Date): boolean =>
  isValidAt(serving, now) && isValidAt(authorities[serving?.issuer ?? -1], now)

const lacksName = ({ serving, names }: World): boolean => names.some(name => !serving?.names.includes(name))

/** Seconds until API servers and mounts have had time to notice the authority. */
const secondsUntilNoticed = (
  { authorities: [first], configurations, serving }: World,
  now: Date,
  pause: number,
): number => {
  if (first === undefined || serving?.issuer === 0) return 0
  const announced = configurations.map(({ metadata: { annotations } }) => new Date(annotations?.[trustsSince] ?? 0))
  return Math.max(0, ...[authorityMadeAt(first), ...announced].map(moment => pauseLeft(moment, now, pause)))
}

/** A time that cannot be parsed, or is in the future after a clock jumped, counts as the whole pause. */
const pauseLeft = (since: Date, now: Date, pause: number): number =>
  Math.min(pause, pause - (secondsBetween(since, now) || 0))

const rest = (world: World, now: Date): Next => {
  const { authorities, serving } = world
  const lives = [authorities[0], serving].flatMap(life => (life ? [secondsBetween(now, dueAt(life))] : []))
  return settledUntil(hasFormer(world, now) ? [...lives, overlapSecondsLeft(world, now)] : lives)
}
