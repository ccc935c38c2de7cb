// The resources that are stored encrypted, in addition to the resources that are always encrypted.
// `status.credentials.encryptionAtRest.resources` (before Gardener 1.133 `status.encryptedResources`) names resources whose objects are all
// encrypted now. The files of the API servers may already name others. An annotation of the Garden records the content of the files, so
// that a change ends before the next begins. Otherwise encrypted objects of a resource that no file names could not be read.
//
//   credentials.gardener.cloud/encrypted-resources: '{"isReadable":true,"isRewritten":false,"resources":["configmaps"]}'
import { encryptedResource, isOfGardener } from '../../../../shared/api/garden/gardener-names.ts'
import { isText, mapOrEmpty, parsedJson } from '../../../../shared/core/json/json.ts'
import type { Garden } from '../../../../shared/core/objects/garden.ts'
import { phaseOf } from '../../../../shared/core/objects/garden-rotation.ts'
import { prefixes } from '../../desired/parts/names.ts'
import type { EncryptingServer } from './encryption-moves.ts'

const annotation = `${prefixes.credentials}/encrypted-resources`

const named = (resources: readonly string[] = []): readonly string[] => resources.map(encryptedResource)

const requested = ({ spec: { virtualCluster } }: Garden): readonly string[] => [
  ...named(virtualCluster.kubernetes.kubeAPIServer?.encryptionConfig?.resources),
  ...named(virtualCluster.gardener.gardenerAPIServer?.encryptionConfig?.resources),
]

type Kept = { readonly resources?: readonly string[]; readonly isReadable: boolean; readonly isRewritten: boolean }

const keptIn = ({ metadata }: Garden): Kept => {
  const kept = mapOrEmpty(parsedJson(metadata.annotations?.[annotation] ?? ''))
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
    : { [annotation]: JSON.stringify({ resources: next }) }
}

export const keptAnnotation = (garden: Garden, mark: 'isReadable' | 'isRewritten'): Record<string, string> => ({
  [annotation]: JSON.stringify({ ...keptIn(garden), resources: encryptedInFiles(garden), [mark]: true }),
})
