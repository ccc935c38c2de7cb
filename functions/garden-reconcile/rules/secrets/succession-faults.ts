// Why keys must stay as they are, whatever the status says. A status that was edited by hand, or came back empty from a backup, tells of
// keys that are not there, or lets go of keys that are in use; and a key that somebody deleted comes back with no rotation. What is there,
// and what Secrets say of each other (secret-marks.ts), is held against the phase: the first of these checks that has a fault tells it.
//
//   successionFaults(world, 'kube-apiserver-etcd-encryption-key')
//   // ['Secret garden/kube-apiserver-etcd-encryption-key-1: may be in use, but status.credentials.rotation.etcdEncryptionKey …']
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { checks } from '../../../../shared/core/checks.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../../shared/core/object.ts'
import { namespace } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject } from '../objects.ts'
import { apiServers } from '../rotation/api-servers.ts'
import { encryptingServers } from '../rotation/encryption-moves.ts'
import { keyConfigOf } from '../rotation/markers.ts'
import { type PhasedCredential, phaseOf } from '../rotation/tokens.ts'
import { adoptionSources } from './adoption.ts'
import { currentSecret, secretKind, siblings, unreplaced, wantedSecret } from './existing-secrets.ts'
import { phasedRotation, secretConfig } from './secret-configs.ts'
import { markedName } from './secret-marks.ts'
import type { SecretConfigName } from './secret-names.ts'

/** Each names a Secret. */
export const successionFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const credential = phasedRotation(world, name)
  if (!secretConfig(world, name).isOldKept || !credential) return []
  const [wanted, current] = [wantedSecret(world, name)?.name ?? name, currentSecret(world, name)]
  const seen: Seen = { world, name, credential, wanted, phase: phaseOf(world.garden, credential) }
  const about = { ...seen, before: siblings(world, name) }
  return (current ? keptFault({ ...about, current }) : madeFault(about)) ?? []
}

type Seen = {
  readonly world: World
  readonly name: SecretConfigName
  readonly credential: PhasedCredential
  readonly phase: RotationPhase
  /** What the Secret is called that counts now. */
  readonly wanted: string
}

type SeenMissing = Seen & { readonly before: readonly KubeObject[] }
type SeenThere = SeenMissing & { readonly current: KubeObject }

/** A key that nobody has seen yet is made. */
const currentGone = ({ wanted, before }: SeenMissing) => {
  const followed = before.find(secret => markedName(secret, 'followed-by') === wanted)
  return followed && [`${textOfName(wanted)}: is gone, and may be in use beside ${textOf(followed)}`]
}

/** A key follows another one only while a rotation is prepared. */
const makesOneTooMany = ({ phase, before, credential }: SeenMissing) =>
  before.length > (phase === 'Preparing' ? 1 : 0) && [unknownKeys(before, credential)]

/** What an API server has stored cannot be read with a new key. */
const encryptionKeyGone = ({ world, name, wanted, before }: SeenMissing) => {
  const server = before.length === 0 ? encryptingWith(name) : undefined
  const isNeeded = server && findObject(world.runtime, server) && adoptionSources(world, name).length === 0
  return isNeeded && [`${textOfName(wanted)}: is gone, and ${refText(server)} needs it for what is stored`]
}

/** Only a completion may let go of it. */
const formerGone = ({ world, phase, credential, current }: SeenThere) => {
  const follows = markedName(current, 'follows')
  const isDropped = markedName(current, 'replaces') === follows && !['Preparing', 'Prepared'].includes(phase)
  if (follows === undefined || isDropped || findObject(world.runtime, secretRef(follows))) return undefined
  return [`${textOfName(follows)}: is gone, and status.credentials.rotation.${credential} has not let go of it yet`]
}

const notReplaced = ({ world, name, phase, credential, current }: SeenThere) => {
  const inUse = ['Prepared', 'Completing'].includes(phase) ? unreplaced(world, name) : []
  const field = `status.credentials.rotation.${credential}.phase`
  return (
    inUse.length > 0 && [
      `${textsOf(inUse)}: may be in use, as ${textOf(current)} does not say that it replaces it, but ${field} is ${phase}`,
    ]
  )
}

/** An API server reads with two keys at most. */
const isOneTooMany = ({ world, name, phase, before, credential }: SeenThere) =>
  secretConfig(world, name).make === 'encryptionKey' &&
  before.length > (['', 'Completed'].includes(phase) ? 0 : 1) && [unknownKeys(before, credential)]

const madeFault = checks<[SeenMissing], readonly string[]>(currentGone, makesOneTooMany, encryptionKeyGone)
const keptFault = checks<[SeenThere], readonly string[]>(formerGone, notReplaced, isOneTooMany)

/** By what the API server is rolled out that has stored something with the key. */
const encryptingWith = (name: SecretConfigName): ObjectRef | undefined => {
  const server = encryptingServers.find(one => keyConfigOf(one) === name)
  return server && apiServers[server].rolledOutBy
}

const unknownKeys = (secrets: readonly KubeObject[], credential: PhasedCredential): string =>
  `${textsOf(secrets)}: may be in use, but status.credentials.rotation.${credential} tells of another key`

const secretRef = (name: string): ObjectRef => ({ ...secretKind, namespace, name })
const textOfName = (name: string): string => refText(secretRef(name))
const textOf = (secret: KubeObject): string => refText(refOf(secret))
const textsOf = (secrets: readonly KubeObject[]): string => secrets.map(textOf).sort().join(', ')
