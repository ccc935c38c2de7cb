// The resources that are stored encrypted, besides those that always are. `status.credentials.encryptionAtRest.resources` names those whose
// objects are all encrypted now; Gardener before 1.133 has `status.encryptedResources` instead. The files of the API servers may be ahead.
// An annotation of the Garden records what the files hold, so that a change ends before the next one begins. Otherwise objects might be
// encrypted that no file names, and nobody could read them.
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

/** Every replica can decrypt the added resources, so replicas may begin to encrypt them. */
export const isReadable = (garden: Garden): boolean => keptIn(garden).isReadable || addedResources(garden).length === 0

/** Resources that are decrypted but no longer, or not yet, encrypted: removed ones, and added ones until all replicas can decrypt them. */
export const onlyReadResources = (garden: Garden): readonly string[] => [
  ...removedResources(garden),
  ...(isReadable(garden) ? [] : addedResources(garden)),
]

/** Added and removed resources. Their objects are rewritten. */
export const changedResources = (garden: Garden): readonly string[] => [
  ...addedResources(garden),
  ...removedResources(garden),
]

/** Besides those that always are. A new key must encrypt all their objects. */
export const everEncrypted = (garden: Garden): readonly string[] => [
  ...encryptedInFiles(garden),
  ...removedResources(garden),
]

export const hasChangedResources = (garden: Garden): boolean => changedResources(garden).length > 0

/** All objects of the change are stored as the files say. Only the label on them is left to remove. */
export const isRewritten = (garden: Garden): boolean => keptIn(garden).isRewritten

/** The annotation that begins the first change or another one; undefined: none begins now. */
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
