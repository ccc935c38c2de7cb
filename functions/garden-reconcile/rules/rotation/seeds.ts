// Asks the agents of all Seeds to renew their access to the virtual garden: tokens after a new key of service accounts, then tokens of
// workload identities after a new key of workload identities, then kubeconfigs after new CAs. An agent removes the operation from its Seed
// when the renewal is done. A marker on the Seed names the rotation, so no agent is asked twice.
//
//   seedRenewal({ seeds, serviceAccountKey: 1767225600 }) // an annotation for each Seed that was not asked yet, and what is waited for
import { operationAnnotation } from '../../../../shared/api/garden/operations.ts'
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../../../shared/core/objects/object.ts'
import { prefixes } from '../../desired/parts/names.ts'
import { noWork, type RotationWork } from './rotation-work.ts'
import { virtualGardenCluster } from './virtual-kinds.ts'

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
