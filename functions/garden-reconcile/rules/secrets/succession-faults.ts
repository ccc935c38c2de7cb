// Why a key must not be created or dropped, whatever the status says. A status that was edited by hand, or restored empty from a backup,
// may name keys that do not exist, or no longer protect keys in use. A deleted key cannot be created again. So these checks compare the
// phase with the existing Secrets and with their marks (secret-marks.ts). The first fault is reported.
//
//   successionFaults(world, 'kube-apiserver-etcd-encryption-key')
//   // ['Secret garden/kube-apiserver-etcd-encryption-key-1: may still be in use, but status.credentials.rotation.etcdEncryptionKey …']
import type { RotationPhase } from '../../../../shared/api/garden/status.ts'
import { checks } from '../../../../shared/core/decisions/checks.ts'
import { type PhasedCredential, phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../../shared/core/objects/object.ts'
import { namespace } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject } from '../objects.ts'
import { apiServers } from '../rotation/api-servers.ts'
import { encryptingServers } from '../rotation/encryption-moves.ts'
import { keyConfigOf } from '../rotation/markers.ts'
import { adoptionSources } from './adoption.ts'
import { currentSecret, secretKind, siblings, unreplaced, wantedSecret } from './existing-secrets.ts'
import { phasedRotation, secretConfig } from './secret-configs.ts'
import { markedName } from './secret-marks.ts'
import type { SecretConfigName } from './secret-names.ts'

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
  /** The name of the current Secret, which may not exist. */
  readonly wanted: string
}

type SeenMissing = Seen & { readonly before: readonly KubeObject[] }
type SeenThere = SeenMissing & { readonly current: KubeObject }

/** A mark of a former key says that the current key existed, but it is gone. Without the mark, the current key is created now. */
const currentGone = ({ wanted, before }: SeenMissing) => {
  const followed = before.find(secret => markedName(secret, 'followed-by') === wanted)
  return followed && [`${textOfName(wanted)}: was deleted, but may still be in use together with ${textOf(followed)}`]
}

/** In phase Preparing, one other key may exist, which the new key follows. In other phases no other key may exist. */
const makesOneTooMany = ({ phase, before, credential }: SeenMissing) =>
  before.length > (phase === 'Preparing' ? 1 : 0) && [unknownKeys(before, credential)]

/** The encryption key is gone, but an API server has stored objects with this key. A new key cannot decrypt these objects. */
const encryptionKeyGone = ({ world, name, wanted, before }: SeenMissing) => {
  const server = before.length === 0 ? encryptingWith(name) : undefined
  const isNeeded = server && findObject(world.runtime, server) && adoptionSources(world, name).length === 0
  return isNeeded && [`${textOfName(wanted)}: was deleted, but ${refText(server)} needs it to decrypt stored objects`]
}

const formerGone = ({ world, phase, credential, current }: SeenThere) => {
  const follows = markedName(current, 'follows')
  const isDropped = markedName(current, 'replaces') === follows && !['Preparing', 'Prepared'].includes(phase)
  if (follows === undefined || isDropped || findObject(world.runtime, secretRef(follows))) return undefined
  return [
    `${textOfName(follows)}: was deleted, but status.credentials.rotation.${credential} shows that it is still in use`,
  ]
}

const notReplaced = ({ world, name, phase, credential, current }: SeenThere) => {
  const inUse = ['Prepared', 'Completing'].includes(phase) ? unreplaced(world, name) : []
  const field = `status.credentials.rotation.${credential}.phase`
  return (
    inUse.length > 0 && [
      `${textsOf(inUse)}: may still be in use, because ${textOf(current)} is not annotated as its replacement, although ${field} is ${phase}`,
    ]
  )
}

/** More encryption keys exist than an API server's file may have: two keys in a rotation, otherwise one key. */
const isOneTooMany = ({ world, name, phase, before, credential }: SeenThere) =>
  secretConfig(world, name).make === 'encryptionKey' &&
  before.length > (['', 'Completed'].includes(phase) ? 0 : 1) && [unknownKeys(before, credential)]

const madeFault = checks<[SeenMissing], readonly string[]>(currentGone, makesOneTooMany, encryptionKeyGone)
const keptFault = checks<[SeenThere], readonly string[]>(formerGone, notReplaced, isOneTooMany)

/** The object that rolls out the API server with this key. undefined: the config is not an encryption key. */
const encryptingWith = (name: SecretConfigName): ObjectRef | undefined => {
  const server = encryptingServers.find(one => keyConfigOf(one) === name)
  return server && apiServers[server].rolledOutBy
}

const unknownKeys = (secrets: readonly KubeObject[], credential: PhasedCredential): string =>
  `${textsOf(secrets)}: may still be in use, but status.credentials.rotation.${credential} names another key`

const secretRef = (name: string): ObjectRef => ({ ...secretKind, namespace, name })
const textOfName = (name: string): string => refText(secretRef(name))
const textOf = (secret: KubeObject): string => refText(refOf(secret))
const textsOf = (secrets: readonly KubeObject[]): string => secrets.map(textOf).sort().join(', ')
