// What clients do before a rotation is Prepared: they get new tokens, and Seeds renew their access. Then the new keys get their marks.
//
// The agents of all Seeds are asked to renew their access to the virtual garden: tokens after a new key of service accounts, then tokens of
// workload identities after a new key of workload identities, then kubeconfigs after new CAs. An agent removes the operation from its Seed
// when the renewal is done. A marker on the Seed names the rotation, so no agent is asked twice.
//
//   seedRenewal({ seeds, serviceAccountKey: 1767225600 }) // an annotation for each Seed that was not asked yet, and what is waited for
import { operationAnnotation } from '../../../../shared/api/garden/operations.ts'
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { currentSecret, followedSecret } from '../secrets/existing-secrets.ts'
import { type SecretConfigName, secretConfigNames } from '../secrets/secret-configs.ts'
import { annotated, markedName, successionMark } from '../secrets/secret-metadata.ts'
import { noWork, type RotationWork, virtualGardenCluster } from './virtual-objects.ts'

const operations = [
  { rotation: 'serviceAccountKey', operation: 'renew-garden-access-secrets', marker: 'access-secrets' },
  { rotation: 'workloadIdentityKey', operation: 'renew-workload-identity-tokens', marker: 'workload-identity-tokens' },
  { rotation: 'certificateAuthorities', operation: 'renew-kubeconfig', marker: 'kubeconfig' },
] as const

/** The rotations that Seeds must follow, in this order, because a Seed holds only one operation. */
export const renewedOnSeeds = operations.map(({ rotation }) => rotation)

/** Start times of the rotations in unix seconds. Absent: the rotation is not in phase Preparing. */
type Starts = { readonly [Rotation in (typeof operations)[number]['rotation']]?: number }

export type SeedsSeen = Starts & { readonly seeds: readonly KubeObject[] }

/** The first renewal that is not done on all Seeds. The next renewal begins when this renewal is done. */
export const seedRenewal = (seen: SeedsSeen): RotationWork => {
  for (const row of operations) {
    const started = seen[row.rotation]
    if (started === undefined) continue
    const renewals = seen.seeds.map(seed => renewalOf(seed, row, started))
    const [steps, waits] = [renewals.flatMap(({ steps }) => steps), renewals.flatMap(({ waits }) => waits)]
    const longWaits = renewals.flatMap(({ longWaits = [] }) => longWaits)
    if (steps.length + waits.length > 0) return { steps, waits, longWaits }
  }
  return noWork
}

const renewalOf = (
  seed: KubeObject,
  { operation, marker }: (typeof operations)[number],
  started: number,
): RotationWork => {
  const { name, annotations = {} } = seed.metadata
  const markerKey = `${prefixes.credentials}/${marker}-renewed-for`
  const held = annotations[operationAnnotation]
  const pending = [`renewing secrets for seed "${name}" is not yet completed`]
  if (annotations[markerKey] === String(started))
    return held === operation ? { steps: [], waits: pending, longWaits: pending } : noWork
  if (held !== undefined && held !== '' && held !== operation) {
    return { steps: [], waits: [`seed ${name}: already annotated with "${operationAnnotation}: ${held}"`] }
  }
  const merge = { metadata: { annotations: { [operationAnnotation]: operation, [markerKey]: String(started) } } }
  const step: Step = { do: 'patch', target: seed, merge, on: virtualGardenCluster, isConflictPassing: true }
  return { steps: [step], waits: pending, longWaits: pending }
}

const renewTime = `${prefixes.serviceAccount}/token-renew-timestamp`
const marker = `${prefixes.credentials}/token-renewed-for`

/**
 * An annotation of a Secret has the time of the token's next renewal. Without this annotation, a resource manager renews the token immediately. So
 * Espalier removes the annotation once per rotation, which a marker records. When the annotation is back, the Secret has its new token.
 * `started`: start of the rotation in unix seconds. `secrets`: all Secrets that request a token of the virtual garden.
 */
export const tokenRenewal = (secrets: readonly KubeObject[], started: number): RotationWork => {
  const isAsked = ({ metadata }: KubeObject): boolean => metadata.annotations?.[marker] === String(started)
  const isRenewed = (secret: KubeObject): boolean =>
    isAsked(secret) && Boolean(secret.metadata.annotations?.[renewTime])
  const merge = { metadata: { annotations: { [renewTime]: null, [marker]: String(started) } } }
  return {
    steps: secrets
      .filter(secret => !isAsked(secret))
      .map(target => ({ do: 'patch', target, merge, isConflictPassing: true, isConfidential: true })),
    waits: secrets
      .filter(secret => !isRenewed(secret))
      .map(secret => `${refText(refOf(secret))}: has no token signed with the new key yet`),
  }
}

/**
 * The last move, when the rotation has no other work left: each new key gets the mark that it replaces the former key. At this time all clients use
 * the new key and all stored objects are rewritten. Without the mark, no completion drops a key, whatever the status says.
 */
export const replacements = (world: World): RotationWork => {
  const found = secretConfigNames.flatMap(name => replacement(world, name))
  return { steps: found.map(({ step }) => step), waits: found.map(({ wait }) => wait) }
}

const replacement = (world: World, name: SecretConfigName) => {
  const [current, former] = [currentSecret(world, name), followedSecret(world, name)]
  if (!current || !former || markedName(current, 'replaces') === former.metadata.name) return []
  return [
    {
      step: annotated(current, successionMark('replaces', former.metadata.name)),
      wait: `${refText(refOf(current))}: is not annotated yet as the replacement of ${former.metadata.name}`,
    },
  ]
}
