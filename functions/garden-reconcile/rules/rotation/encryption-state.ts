// The resources that are stored encrypted, in addition to the resources that are always encrypted.
// `status.credentials.encryptionAtRest.resources` (before Gardener 1.133 `status.encryptedResources`) names resources whose objects are all
// encrypted now. The files of the API servers may already name others. An annotation of the Garden records the content of the files, so
// that a change ends before the next begins. Otherwise encrypted objects of a resource that no file names could not be read.
//
//   credentials.gardener.cloud/encrypted-resources: '{"isReadable":true,"isRewritten":false,"resources":["configmaps"]}'
//
// Also the API servers that store objects encrypted, and markers on the Secret of a new key.
import { encryptedResource, isOfGardener } from '../../../../shared/api/garden/gardener-names.ts'
import { managedResourceKind } from '../../../../shared/api/garden/kinds.ts'
import type { Step } from '../../../../shared/core/decisions/plan.ts'
import { isText, mapOrEmpty, parsedJson } from '../../../../shared/core/json/json.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import type { ObjectRef } from '../../../../shared/core/objects/object.ts'
import { namespace, prefixes, virtualGarden } from '../../desired/parts/names.ts'
import type { World } from '../../world.ts'
import { currentSecret } from '../secrets/existing-secrets.ts'
import { annotated } from '../secrets/secret-metadata.ts'
import { type EncryptingServer, type EncryptionKey, encryptingServers, fileKeys } from './encryption-moves.ts'

const resourcesAnnotation = `${prefixes.credentials}/encrypted-resources`

const named = (resources: readonly string[] = []): readonly string[] => resources.map(encryptedResource)

const requested = ({ spec: { virtualCluster } }: Garden): readonly string[] => [
  ...named(virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.resources),
  ...named(virtualCluster.gardener.gardenerAPIServer?.encryptionConfig?.resources),
]

type Kept = { readonly resources?: readonly string[]; readonly isReadable: boolean; readonly isRewritten: boolean }

const keptIn = ({ metadata }: Garden): Kept => {
  const kept = mapOrEmpty(parsedJson(metadata.annotations?.[resourcesAnnotation] ?? ''))
  const { resources, isReadable, isRewritten } = kept
  return {
    ...(Array.isArray(resources) && { resources: resources.filter(isText) }),
    isReadable: isReadable === true,
    isRewritten: isRewritten === true,
  }
}

export const encryptedInFiles = (garden: Garden): readonly string[] => keptIn(garden).resources ?? requested(garden)

const encryptedNow = ({ status }: Garden): readonly string[] =>
  named(status?.credentials?.encryptionAtRest?.resources ?? status?.encryptedResources)

export const isServedBy = (server: EncryptingServer, resource: string): boolean =>
  isOfGardener(resource) === (server === 'gardener-apiserver')

const without = (some: readonly string[], others: readonly string[]): readonly string[] =>
  some.filter(one => !others.includes(one))

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  without(some, others).length + without(others, some).length === 0

const removedResources = (garden: Garden): readonly string[] =>
  without(encryptedNow(garden), encryptedInFiles(garden)).toSorted()

const addedResources = (garden: Garden): readonly string[] => without(encryptedInFiles(garden), encryptedNow(garden))

/** Every replica can decrypt the added resources, so replicas may begin to encrypt the added resources. */
export const isReadable = (garden: Garden): boolean => keptIn(garden).isReadable || addedResources(garden).length === 0

/** Resources that are only decrypted: removed resources, and added resources until all replicas can decrypt them. */
export const onlyReadResources = (garden: Garden): readonly string[] => [
  ...removedResources(garden),
  ...(isReadable(garden) ? [] : addedResources(garden)),
]

/** Added and removed resources, whose objects are rewritten. */
export const changedResources = (garden: Garden): readonly string[] => [
  ...addedResources(garden),
  ...removedResources(garden),
]

/** Resources that may have encrypted objects, which a new key must encrypt. Without the resources that are always encrypted. */
export const everEncrypted = (garden: Garden): readonly string[] => [
  ...encryptedInFiles(garden),
  ...removedResources(garden),
]

export const hasChangedResources = (garden: Garden): boolean => changedResources(garden).length > 0

/** All objects of the changed resources are stored as the files require. Only the label on the objects must still be removed. */
export const isRewritten = (garden: Garden): boolean => keptIn(garden).isRewritten

/** The annotation that begins a change. undefined: no change begins now. */
export const nextResources = (garden: Garden): Record<string, string> | undefined => {
  const { resources } = keptIn(garden)
  const isBusy = !['', 'Completed'].includes(phaseOf(garden, 'etcdEncryptionKey')) || hasChangedResources(garden)
  if (resources !== undefined && isBusy) return undefined
  const next = requested(garden)
  return isSame(next, resources ?? encryptedNow(garden))
    ? undefined
    : { [resourcesAnnotation]: JSON.stringify({ resources: next }) }
}

export const keptAnnotation = (garden: Garden, mark: 'isReadable' | 'isRewritten'): Record<string, string> => ({
  [resourcesAnnotation]: JSON.stringify({ ...keptIn(garden), resources: encryptedInFiles(garden), [mark]: true }),
})

export type EncryptionConfigName = `${EncryptingServer}-etcd-encryption-key`

export const keyConfigOf = (server: EncryptingServer): EncryptionConfigName => `${server}-etcd-encryption-key`

const markerKeys = {
  populated: `${prefixes.credentials}/new-encryption-key-populated`,
  snapshotted: `${prefixes.credentials}/etcd-snapshotted`,
} as const

/**
 * A marker says what was done with this key, and is removed when the rotation ends. A marker on a Deployment could be lost with the
 * Deployment: a new Deployment would then encrypt with the former key again, although objects were already rewritten. `populated`: all
 * replicas had the new key. `snapshotted`: a full snapshot followed the rewriting of all objects.
 */
type Marker = keyof typeof markerKeys

/** The keys that the API server's file must have now. The first key encrypts. */
export const keysInPhase = (world: World, config: EncryptionConfigName): readonly EncryptionKey[] =>
  fileKeys({ phase: phaseOf(world.garden, 'etcdEncryptionKey'), isPopulated: isMarked(world, config, 'populated') })

export const isMarked = (world: World, config: EncryptionConfigName, marker: Marker): boolean =>
  currentSecret(world, config)?.metadata.annotations?.[markerKeys[marker]] === 'true'

export const markSteps = (world: World, configs: readonly EncryptionConfigName[], marker: Marker): readonly Step[] =>
  configs.flatMap(config => markStep(world, config, { [markerKeys[marker]]: 'true' }))

export const unmarkSteps = (world: World): readonly Step[] =>
  encryptingServers.flatMap(server => markStep(world, keyConfigOf(server), noMarkers))

const markStep = (world: World, config: EncryptionConfigName, markers: Record<string, string | null>): Step[] => {
  const secret = currentSecret(world, config)
  return secret ? [annotated(secret, markers)] : []
}

const noMarkers = Object.fromEntries(Object.values(markerKeys).map(marker => [marker, null]))

type ApiServer = {
  /** The Deployment that runs the API server and mounts the file with the encryption keys. */
  readonly deployment: ObjectRef
  /** The object with which we roll out the API server. While this object exists, the API server may have stored objects. */
  readonly rolledOutBy: ObjectRef
}

const deploymentOf = (name: string): ObjectRef => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name })

const kubeApiserver = deploymentOf(virtualGarden('kube-apiserver'))

export const apiServers: Readonly<Record<EncryptingServer, ApiServer>> = {
  'kube-apiserver': { deployment: kubeApiserver, rolledOutBy: kubeApiserver },
  'gardener-apiserver': {
    deployment: deploymentOf('gardener-apiserver'),
    rolledOutBy: { ...managedResourceKind, namespace, name: 'gardener-apiserver-runtime' },
  },
}
