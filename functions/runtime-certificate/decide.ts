// The certificate of a runtime. Espalier creates it, or orders it from a certificate operator. In both cases a new CA of the listener leads to a new
// certificate.
import { checks } from '../../shared/core/decisions/checks.ts'
import { type Next, type Plan, type Step, settled } from '../../shared/core/decisions/plan.ts'
import { mapOrEmpty } from '../../shared/core/json/json.ts'
import { isDeleting } from '../../shared/core/objects/object.ts'
import { isValidAt, secondsBetween, settledUntil } from '../../shared/core/tls/renewal.ts'
import { certificateNamespace, certificateTaken, rootSecretName } from '../../shared/kyma/certificates.ts'
import { isOfAnother } from '../../shared/kyma/kinds.ts'
import { domainMissing, domainOf, isRemote, nameFault } from '../../shared/kyma/kyma-runtime.ts'
import { certificate, namesOf, purposeLabels, runtimeNameIn } from './desired/certificate.ts'
import type { World } from './world.ts'

/** The wait for another program's Secret or Certificate to disappear. No event reports this, because only our own Secrets are watched. */
const takenSeconds = 60

export const decide = (world: World, now: Date): Plan => {
  const { kyma, listener, provider, secret } = world
  if (isDeleting(kyma) || isOfAnother(kyma) || !isRemote(kyma)) return planOf([], settled)
  const unfit = nameFault(kyma)
  if (unfit !== undefined) return planOf([], { is: 'stalled', reason: unfit })
  // Without a certificate of the listener, a runtime cannot connect. The function is called again when the listener has a certificate.
  if (listener === undefined) return planOf([], { is: 'settled' })
  const taken = certificateTaken(secret) ?? certificateTaken(world.asked)
  if (taken !== undefined) return planOf([], { is: 'waiting', seconds: takenSeconds, for: taken })
  if (provider === 'builtin') return planOf(ownSteps(world, now), rest(world, now))
  if (domainOf(kyma) === undefined) return planOf([], { is: 'stalled', reason: domainMissing })
  return planOf(askedSteps(world, provider), rest(world, now))
}

const planOf = (steps: readonly Step[], next: Next): Plan => ({ steps, status: {}, events: [], next })

/** The reasons to create a new certificate, if Espalier creates it. */
const isDue = checks<[World, Date], true>(
  ({ current }, now) => !isValidAt(current, now),
  (world, now) => secondsUntilRenewal(world, now) <= 0,
  isOfOlderAuthority,
  ({ current, kyma }) => current?.commonName !== runtimeNameIn(kyma),
  ({ current }) => (current?.lacks ?? []).length > 0,
)

/**
 * Whether the listener has a CA that is newer than the certificate and did not sign it. Both conditions are needed: the CA may sign before the
 * listener knows it, and the CA's time may be in the future after the clock was changed.
 */
function isOfOlderAuthority({ current, listener }: World): boolean {
  return current !== undefined && listener !== undefined && !current.isOfNewest && current.from < listener.addedAt
}

const ownSteps = (world: World, now: Date): readonly Step[] => {
  const { kyma, secret, listener } = world
  if (!isDue(world, now)) {
    if (mapOrEmpty(secret.data)['ca.crt'] === listener?.authorities) return []
    return [{ do: 'patch', target: secret, merge: { data: { 'ca.crt': listener?.authorities } } }]
  }
  const { data: _, ...bare } = secret
  const labels = { ...secret.metadata.labels, ...purposeLabels(kyma) }
  return [
    {
      do: 'issueCertificates',
      into: { ...bare, metadata: { ...secret.metadata, labels }, type: 'kubernetes.io/tls' },
      for: {
        renew: ['serving'],
        commonName: runtimeNameIn(kyma),
        names: namesOf(kyma, world.furtherNames),
        authorityDays: 0,
        servingDays: world.times.duration / 86_400,
        isForClientsToo: true,
        signer: { apiVersion: 'v1', kind: 'Secret', namespace: certificateNamespace, name: rootSecretName },
      },
    },
  ]
}

/** Deletes the Secret, so that the operator issues a new certificate. */
const askedSteps = (world: World, operator: 'cert-manager' | 'gardener'): readonly Step[] => {
  const { kyma, secret } = world
  return [
    { do: 'apply', object: certificate(kyma, { operator, ...world }), force: true },
    ...(isOfOlderAuthority(world) ? [{ do: 'delete' as const, target: secret }] : []),
  ]
}

const rest = (world: World, now: Date): Next => {
  const due = secondsUntilRenewal(world, now)
  return settledUntil(due > 0 ? [due] : [])
}

/** Negative if the renewal is overdue. */
export const secondsUntilRenewal = ({ current, times }: Pick<World, 'current' | 'times'>, now: Date): number =>
  current === undefined ? 0 : secondsBetween(now, current.to) - times.renewBefore
