// The last step of the bring-up: what a rotation that was begun has to do beyond making new Secrets. Tokens come first, then what Seeds
// hold; objects that are stored encrypted are rewritten beside them; in the end the new keys say that they replace the former ones. A
// rotation stays in its phase until nothing of this is left.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { remembered } from '../../../../shared/core/memory/remembered.ts'
import { type KubeObject, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { unixSeconds } from '../../../../shared/core/time/kube-time.ts'
import { virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { tokenSecrets } from '../token-secrets.ts'
import { hasChangedResources } from './encrypted-resources.ts'
import { encryptedQueries, encryptionRotation, needsEncryptedObjects } from './encryption-rotation.ts'
import { replacements } from './replacements.ts'
import { noWork, type RotationWork } from './rotation-work.ts'
import { renewedOnSeeds, type SeedsSeen, seedRenewal } from './seeds.ts'
import { tokenRenewal } from './token-renewal.ts'
import { type PhasedCredential, phasedCredentials, phaseOf } from './tokens.ts'
import { seedKind, type VirtualQuery, virtualObjectsOf } from './virtual-kinds.ts'

export const rotationChanges = (world: World): readonly Step[] => moves(world).flatMap(({ steps }) => steps)

export const rotationWaits = (world: World): readonly string[] => moves(world).flatMap(({ waits }) => waits)

/** Agents of Seeds take their time. */
export const rotationLongWaits = (world: World): readonly string[] =>
  moves(world).flatMap(({ longWaits = [] }) => longWaits)

/** The lists in the virtual garden that the next moves depend on. */
export const neededVirtualKinds = (world: World): readonly VirtualQuery[] => {
  if (formerReplicas(world).length > 0) return []
  const encrypted = needsEncryptedObjects(world) ? encryptedQueries(world) : []
  return needsSeeds(world) ? [...encrypted, seedKind] : encrypted
}

/** Something waits for the replicas of former templates to end. */
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
 * A Deployment is rolled out while Pods of its former template still end. As long as they answer on connections that are open they write
 * with the former key and sign with it, so what is rewritten or renewed before they are gone may need that key for ever.
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

/** Seeds are asked after all tokens are renewed, since their agents use such tokens, too. */
const needsSeeds = (world: World): boolean =>
  isDone(renewalOfTokens(world)) && Object.keys(preparations(world)).length > 0

const isDone = ({ steps, waits }: RotationWork): boolean => steps.length + waits.length === 0

const renewalOfTokens = (world: World): RotationWork => {
  const { serviceAccountKey } = preparations(world)
  return serviceAccountKey === undefined ? noWork : tokenRenewal(tokenSecrets(world, 'shoot'), serviceAccountKey)
}

/** When each rotation was started that clients must follow before it is Prepared, in unix seconds. */
const preparations = ({ garden }: World): Omit<SeedsSeen, 'seeds'> => {
  const startOf = (credential: PhasedCredential) => {
    const seconds = unixSeconds(garden.status?.credentials?.rotation?.[credential]?.lastInitiationTime)
    return phaseOf(garden, credential) === 'Preparing' && seconds !== undefined ? { [credential]: seconds } : {}
  }
  return Object.assign({}, ...renewedOnSeeds.map(startOf))
}
