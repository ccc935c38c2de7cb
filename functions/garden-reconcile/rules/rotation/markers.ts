// Markers of a rotation of encryption keys, on the Secret of the new key. A marker says what was done with this key, and is removed when
// the rotation ends. A marker on a Deployment could be lost with the Deployment: a new Deployment would then encrypt with the former key
// again, although objects were already rewritten.
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { currentSecret } from '../secrets/existing-secrets.ts'
import { annotated } from '../secrets/secret-marks.ts'
import { type EncryptingServer, type EncryptionKey, encryptingServers, fileKeys } from './encryption-moves.ts'

export type EncryptionConfigName = `${EncryptingServer}-etcd-encryption-key`

export const keyConfigOf = (server: EncryptingServer): EncryptionConfigName => `${server}-etcd-encryption-key`

const annotations = {
  populated: `${prefixes.credentials}/new-encryption-key-populated`,
  snapshotted: `${prefixes.credentials}/etcd-snapshotted`,
} as const

/** `populated`: all replicas had the new key. `snapshotted`: a full snapshot followed the rewriting of all objects. */
type Marker = keyof typeof annotations

/** The keys that the API server's file must have now. The first key encrypts. */
export const keysInPhase = (world: World, config: EncryptionConfigName): readonly EncryptionKey[] =>
  fileKeys({ phase: phaseOf(world.garden, 'etcdEncryptionKey'), isPopulated: isMarked(world, config, 'populated') })

export const isMarked = (world: World, config: EncryptionConfigName, marker: Marker): boolean =>
  currentSecret(world, config)?.metadata.annotations?.[annotations[marker]] === 'true'

export const markSteps = (world: World, configs: readonly EncryptionConfigName[], marker: Marker): readonly Step[] =>
  configs.flatMap(config => markStep(world, config, { [annotations[marker]]: 'true' }))

export const unmarkSteps = (world: World): readonly Step[] =>
  encryptingServers.flatMap(server => markStep(world, keyConfigOf(server), noMarkers))

const markStep = (world: World, config: EncryptionConfigName, markers: Record<string, string | null>): Step[] => {
  const secret = currentSecret(world, config)
  return secret ? [annotated(secret, markers)] : []
}

const noMarkers = Object.fromEntries(Object.values(annotations).map(marker => [marker, null]))
