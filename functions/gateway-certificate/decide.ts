// Decides which certificate the listener for runtimes uses, and which CAs it trusts. A new CA is trusted immediately. The listener uses a
// certificate of the new CA only after a grace period, in which runtimes get the new CA.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { checks } from '../../shared/core/decisions/checks.ts'
import { type CertificateRequest, type Next, type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import {
  caBundle,
  dueAt,
  isDueAt,
  isValidAt,
  secondsBetween,
  settledUntil,
  type TrustedAuthority,
} from '../../shared/core/tls/renewal.ts'
import { type RenewalReason, renewed } from './reasons.ts'
import type { World } from './world.ts'

const authorityDays = 730
const servingDays = 90
const addedAt = kymaNames.annotations.caAddedToBundleAt

type Renewal = { readonly renew: CertificateRequest['renew']; readonly reason: RenewalReason }

const renewalFor = checks<[World, Date], Renewal>(
  ({ root }, now) => !(root.canSign && isValidAt(root.authorities[0], now)) && both('authorityUnusable'),
  ({ root }, now) => isDueAt(root.authorities[0], now) && both('authorityDue'),
  ({ root }, now) => !isValidAt(root.serving, now) && serving('servingUnusable'),
  ({ root }, now) => isDueAt(root.serving, now) && serving('servingDue'),
  ({ root }) => (root.serving?.lacks ?? []).length > 0 && serving('namesChanged'),
  ({ root }) => root.serving?.issuer !== root.authorities[0]?.pem && serving('authorityReplaced'),
)

const both = (reason: RenewalReason): Renewal => ({ renew: ['authority', 'serving'], reason })
const serving = (reason: RenewalReason): Renewal => ({ renew: ['serving'], reason })

export const decide = (world: World, now: Date): Plan => {
  if (!world.isNeeded) return { steps: [], status: {}, events: [], next: settled }
  const renewal = world.provider === 'builtin' ? renewalFor(world, now) : undefined
  if (renewal)
    return { steps: [issue(world, renewal.renew)], status: {}, events: [renewed(renewal)], next: { is: 'again' } }
  return { steps: gatewaySteps(world, now), status: {}, events: [], next: rest(world, now) }
}

const issue = ({ root, names }: World, renew: CertificateRequest['renew']): Step => ({
  do: 'issueCertificates',
  into: { ...root.secret, type: 'kubernetes.io/tls' },
  for: { renew, commonName: root.secret.metadata.name, names, authorityDays, servingDays },
})

/** Writes nothing until there is a CA and a certificate for the listener. */
const gatewaySteps = (world: World, now: Date): readonly Step[] => {
  const { secret } = world.gateway
  const bundle = bundleOf(world, now)
  const shown = shownBy(world, now)
  if (bundle.length === 0 || shown === undefined) return []
  const data = { 'ca.crt': caBundle(bundle), ...shown.data }
  const annotations = { ...(isNew(world) && { [addedAt]: now.toISOString() }) }
  if (secret.metadata.uid === undefined) {
    const metadata = { ...secret.metadata, annotations }
    return [{ do: 'create', object: { ...secret, metadata, type: 'kubernetes.io/tls', data }, isConfidential: true }]
  }
  return [{ do: 'patch', target: secret, merge: { metadata: { annotations }, data }, isConfidential: true }]
}

/** The trusted CAs, newest first, without duplicates and expired CAs. */
const bundleOf = ({ root, gateway }: World, now: Date): readonly TrustedAuthority[] => {
  const all = new Map([...root.authorities, ...gateway.authorities].map(authority => [authority.pem, authority]))
  return [...all.values()].filter(({ to }) => now < to)
}

const isNew = ({ root, gateway }: World): boolean =>
  !gateway.authorities.some(({ pem }) => pem === root.authorities[0]?.pem)

/** The certificate that the listener uses: the former certificate, until runtimes have had time to trust a new CA. */
const shownBy = (world: World, now: Date) => {
  const { root, gateway } = world
  const isKnown = isValidAt(gateway.serving, now) && gateway.serving?.issuer !== undefined
  const isOfAnother = root.serving?.issuer !== gateway.serving?.issuer
  return isKnown && isOfAnother && secondsOfLearning(world, now) > 0
    ? gateway.serving
    : (root.serving ?? gateway.serving)
}

/** Remaining seconds of the grace period. A time in the future, after the clock was changed, counts as the full period. */
const secondsOfLearning = (world: World, now: Date): number => {
  const since = isNew(world) ? now : new Date(world.gateway.secret.metadata.annotations?.[addedAt] ?? 0)
  const { gatewayGrace } = world.times
  return Math.max(0, Math.min(gatewayGrace, gatewayGrace - secondsBetween(since, now) || 0))
}

const rest = (world: World, now: Date): Next => {
  const { root, gateway, provider } = world
  if (bundleOf(world, now).length === 0)
    return { is: 'waiting', seconds: 60, for: 'the certificate authority of Kyma runtimes' }
  const lives = provider === 'builtin' ? [root.authorities[0], root.serving] : []
  const dues = [
    ...lives.flatMap(life => (life ? [secondsBetween(now, dueAt(life))] : [])),
    ...[secondsOfLearning(world, now)].filter(seconds => seconds > 0),
    ...gateway.authorities.map(({ to }) => secondsBetween(now, to)),
  ]
  return settledUntil(dues)
}
