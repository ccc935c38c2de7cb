// Why no key may be made, though the one that counts is not there: a key follows another one only while a rotation is prepared. A status
// that was edited by hand, or came back empty from a backup, prepares none, and what is stored with the key before would be lost.
//
//   successionFaults(world, 'kube-apiserver-etcd-encryption-key')
//   // ['Secret garden/kube-apiserver-etcd-encryption-key-1: may be in use, but status.credentials.rotation.etcdEncryptionKey …']
import { type KubeObject, refOf, refText } from '../../../../shared/core/object.ts'
import { namespace } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { encryptingServers } from '../rotation/encryption.ts'
import { keyConfigOf, markedObject } from '../rotation/markers.ts'
import { type PhasedCredential, phasedCredentials, phaseOf } from '../rotation/tokens.ts'
import { adoptionSources } from './adoption.ts'
import { currentSecret, secretKind, siblings, wantedSecret } from './existing-secrets.ts'
import { secretConfig } from './secret-configs.ts'
import type { SecretConfigName } from './secret-names.ts'

/** Each names a Secret. */
export const successionFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const { rotation, isOldKept, make } = secretConfig(world, name)
  const credential = phasedCredentials.find(one => one === rotation)
  if (!isOldKept || !credential) return []
  const isThere = currentSecret(world, name) !== undefined
  if (isThere && make !== 'encryptionKey') return []
  const before = siblings(world, name)
  if (before.length === 0) return isThere ? [] : lostKeyFaults(world, name)
  return before.length > mostBefore(world, credential, isThere) ? [unknownKeys(before, credential)] : []
}

/** How many keys of before may be there. */
const mostBefore = ({ garden }: World, credential: PhasedCredential, isThere: boolean): number => {
  const phase = phaseOf(garden, credential)
  if (phase === 'Preparing' || (isThere && phase === 'Prepared')) return 1
  return isThere && phase === 'Completing' ? Number.POSITIVE_INFINITY : 0
}

const unknownKeys = (secrets: readonly KubeObject[], credential: PhasedCredential): string => {
  const names = secrets.map(secret => refText(refOf(secret))).sort()
  return `${names.join(', ')}: may be in use, but status.credentials.rotation.${credential} tells of another key`
}

/** What an API server has stored cannot be read with a new key. */
const lostKeyFaults = (world: World, name: SecretConfigName): readonly string[] => {
  const config = encryptingServers.map(keyConfigOf).find(one => one === name)
  const server = config && markedObject(world, config)
  if (!server || adoptionSources(world, name).length > 0) return []
  const lost = refText({ ...secretKind, namespace, name: wantedSecret(world, name)?.name ?? name })
  return [`${lost}: is gone, and ${refText(refOf(server))} needs it for what is stored`]
}
