// The last step of the bring-up: the work of a rotation besides creating Secrets. First tokens are renewed, then the credentials in Seeds;
// encrypted objects are rewritten at the same time. At the end, the new keys are marked as replacements of the former keys. A rotation
// stays in its phase until this work is done.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { remembered } from '../../../../shared/core/memory/remembered.ts'
import { type PhasedCredential, phasedCredentials, phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { unixSeconds } from '../../../../shared/core/time/kube-time.ts'
import { virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { tokenSecrets } from '../token-secrets.ts'
import { encryptedQueries, encryptionRotation, needsEncryptedObjects } from './encryption-rotation.ts'
import { hasChangedResources } from './encryption-state.ts'
import { renewedOnSeeds, replacements, type SeedsSeen, seedRenewal, tokenRenewal } from './renewals.ts'
import { noWork, type RotationWork, seedKind, type VirtualQuery, virtualObjectsOf } from './virtual-objects.ts'

export const rotationChanges = (world: World): readonly Step[] => moves(world).flatMap(({ steps }) => steps)

export const rotationWaits = (world: World): readonly string[] => moves(world).flatMap(({ waits }) => waits)

/** Waits that may be long, because they depend on the agents of Seeds. */
export const rotationLongWaits = (world: World): readonly string[] =>
  moves(world).flatMap(({ longWaits = [] }) => longWaits)

export const neededVirtualKinds = (world: World): readonly VirtualQuery[] => {
  if (formerReplicas(world).length > 0) return []
  const encrypted = needsEncryptedObjects(world) ? encryptedQueries(world) : []
  return needsSeeds(world) ? [...encrypted, seedKind] : encrypted
}

/** A rotation or a change of encrypted resources is in progress, and must wait until Pods of old templates have ended. */
export const isRotating = ({ garden }: Pick<World, 'garden'>): boolean =>
  hasChangedResources(garden) ||
  phasedCredentials.some(credential => ['Preparing', 'Completing'].includes(phaseOf(garden, credential)))

const moves = remembered((world: World): readonly RotationWork[] => {
  const waits = formerReplicas(world).map(pod => `${refText(refOf(pod))}: has not ended yet`)
  if (waits.length > 0) return [{ steps: [], waits }]
  const renewals = [clientRenewal(world), encryptionRotation(world)]
  return renewals.every(isDone) ? [replacements(world)] : renewals
})

/**
 * A Deployment counts as rolled out while Pods of the old template are still terminating. On open connections these Pods may still write
 * and sign with the former key. Objects rewritten before these Pods are gone might still need the former key.
 */
const formerReplicas = ({ leavingPods = [] }: World): readonly KubeObject[] =>
  leavingPods.filter(({ metadata: { name } }) => servers.some(server => name.startsWith(`${server}-`)))

const servers = [virtualGarden('kube-apiserver'), 'gardener-apiserver']

const clientRenewal = (world: World): RotationWork => {
  const tokens = renewalOfTokens(world)
  if (!needsSeeds(world)) return tokens
  const seeds = virtualObjectsOf(world, seedKind)
  return 'failed' in seeds
    ? { steps: [], waits: [`seeds: ${seeds.failed}`] }
    : seedRenewal({ seeds: seeds.read, ...preparations(world) })
}

/** Seeds are asked after all tokens are renewed, because the agents of Seeds use these tokens, too. */
const needsSeeds = (world: World): boolean =>
  isDone(renewalOfTokens(world)) && Object.keys(preparations(world)).length > 0

const isDone = ({ steps, waits }: RotationWork): boolean => steps.length + waits.length === 0

const renewalOfTokens = (world: World): RotationWork => {
  const { serviceAccountKey } = preparations(world)
  return serviceAccountKey === undefined ? noWork : tokenRenewal(tokenSecrets(world, 'shoot'), serviceAccountKey)
}

/** Start times in unix seconds of the rotations that clients must follow before they are Prepared. */
const preparations = ({ garden }: World): Omit<SeedsSeen, 'seeds'> => {
  const startOf = (credential: PhasedCredential) => {
    const seconds = unixSeconds(garden.status?.credentials?.rotation?.[credential]?.lastInitiationTime)
    return phaseOf(garden, credential) === 'Preparing' && seconds !== undefined ? { [credential]: seconds } : {}
  }
  return Object.assign({}, ...renewedOnSeeds.map(startOf))
}
