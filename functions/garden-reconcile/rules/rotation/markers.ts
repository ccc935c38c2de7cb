// What the cluster says about a rotation of encryption keys: markers on the object that an API server is rolled out by. They go when
// the rotation ends, so that the next one begins without them; an object that is made anew has lost them, and only loses time by it.
import type { KubeObject, ObjectRef } from '../../../../shared/core/object.ts'
import type { Step } from '../../../../shared/core/plan.ts'
import { namespace, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { findObject } from '../objects.ts'
import { type EncryptingServer, type EncryptionKey, encryptingServers, fileKeys } from './encryption.ts'
import { phaseOf } from './tokens.ts'

export type EncryptionConfigName = `${EncryptingServer}-etcd-encryption-key`

export const keyConfigOf = (server: EncryptingServer): EncryptionConfigName => `${server}-etcd-encryption-key`

const prefix = 'credentials.gardener.cloud'

const annotations = {
  populated: `${prefix}/new-encryption-key-populated`,
  snapshotted: `${prefix}/etcd-snapshotted`,
} as const

/** All replicas read the new key; a full snapshot was taken since all objects are written with it. */
type Marker = keyof typeof annotations

const markedObjects: Readonly<Record<EncryptionConfigName, ObjectRef>> = {
  'kube-apiserver-etcd-encryption-key': {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: virtualGarden('kube-apiserver') },
  },
  'gardener-apiserver-etcd-encryption-key': {
    ...{ apiVersion: 'resources.gardener.cloud/v1alpha1', kind: 'ManagedResource', namespace },
    name: 'gardener-apiserver-runtime',
  },
}

/** Which keys the file of the API server is to hold now, the one that writes first. */
export const keysInPhase = (world: World, config: EncryptionConfigName): readonly EncryptionKey[] =>
  fileKeys({ phase: phaseOf(world.garden, 'etcdEncryptionKey'), isPopulated: isMarked(world, config, 'populated') })

export const isMarked = (world: World, config: EncryptionConfigName, marker: Marker): boolean =>
  markedObject(world, config)?.metadata.annotations?.[annotations[marker]] === 'true'

export const markSteps = (world: World, configs: readonly EncryptionConfigName[], marker: Marker): readonly Step[] =>
  configs.flatMap(config => markStep(markedObject(world, config), { [annotations[marker]]: 'true' }))

/** Takes all markers away. */
export const unmarkSteps = (world: World): readonly Step[] =>
  encryptingServers
    .map(server => markedObject(world, keyConfigOf(server)))
    .filter(object => Object.values(annotations).some(marker => object?.metadata.annotations?.[marker] !== undefined))
    .flatMap(object => markStep(object, Object.fromEntries(Object.values(annotations).map(marker => [marker, null]))))

const markStep = (target: KubeObject | undefined, markers: Readonly<Record<string, string | null>>): readonly Step[] =>
  target ? [{ do: 'patch', target, merge: { metadata: { annotations: markers } }, isConflictPassing: true }] : []

/** By which the API server is rolled out. */
export const markedObject = ({ runtime }: World, config: EncryptionConfigName): KubeObject | undefined =>
  findObject(runtime, markedObjects[config])
