// Reads which other Manifests list objects of this one, too. Two modules may bring one object, for example a Namespace or a definition: one
// Manifest keeps it, and it stays as long as one of them lists it.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { dependentOfItem } from '../../../shared/component/declared/declared-dependents.ts'
import { ownerKey, ownerOf } from '../../../shared/component/declared/owner.ts'
import { type ItemKey, itemKey } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { SharedObjects, World } from '../../../shared/component/world.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import { isLabelValue } from '../../../shared/core/objects/label.ts'
import { isDeleting, type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { isRemote } from '../../../shared/kyma/kyma-runtime.ts'
import { kymaNameOf } from '../../../shared/kyma/labels.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { isBeside } from '../../../shared/runtime/rivals.ts'
import { engineName, isDefaultObject } from '../desired/module-objects.ts'
import { isSharing } from '../rules/sharing.ts'

type Sharing = {
  readonly manifest: Manifest
  readonly kyma: Kyma | undefined
  /** Of the cluster of the module. */
  readonly client: Client
  readonly context: Pick<GatherContext, 'reads' | 'clusters' | 'memory'>
  /** Another Kyma that has the runtime. */
  readonly rival: Key | undefined
}

/** Nothing is read where all objects are ours and none of them is to go. */
export const sharedObjects = async (world: World, sharing: Sharing): Promise<SharedObjects> => {
  const { manifest, context } = sharing
  const uid = await context.memory.clusterUid(await context.clusters.of('local'))
  const [keepers, neighbours] = await Promise.all([
    keepersOf(foreignIn(world), uid, sharing),
    isToRemove(manifest, world) ? neighboursOf(sharing) : [],
  ])
  const others = new Map([...keepers, ...neighbours].map(one => [one.metadata.name, one]))
  const sharers = [...others.values()]
    .filter(other => isSharing(other, manifest))
    .map(other => ({ other, keys: sharedKeys(world, other) }))
    .filter(({ keys }) => keys.length > 0)
  const kymas = await kymasHere(new Set(sharers.map(({ other }) => kymaNameOf(other))), sharing)
  const listed = sharers
    .filter(({ other }) => kymas.has(kymaNameOf(other)))
    .flatMap(({ other, keys }) => keys.map(key => ({ key, owner: ownerOf(uid, keyOf(other)) })))
  return new Map([...Map.groupBy(listed, ({ key }) => key)].map(([key, all]) => [key, all.map(({ owner }) => owner)]))
}

/** Of the objects that the other lists, or has as its default object. */
const sharedKeys = ({ items }: World, other: Manifest): ItemKey[] => {
  const theirs = new Set(itemsOf(other.status?.synced).map(itemKey))
  return items.filter(item => theirs.has(itemKey(item)) || isDefaultObject(item, other)).map(itemKey)
}

const foreignIn = (world: World): KubeObject[] =>
  [...world.observed.live.values()].filter(object => possessionOf(object, world) === 'foreign')

const isToRemove = (manifest: Manifest, world: World): boolean => {
  const dependentOf = dependentOfItem(world)
  return isDeleting(manifest) || world.items.some(item => dependentOf(item) === undefined)
}

/** Those of the same Kyma, of another one that has the runtime, and of those whose copies are in the cluster. */
const neighboursOf = async (sharing: Sharing): Promise<Manifest[]> => {
  const { manifest, context, rival } = sharing
  const { namespace } = manifest.metadata
  const kymas = [kymaNameOf(manifest), rival?.name ?? '', ...(await kymasNamed(sharing))].filter(isLabelValue)
  const names = [...new Set(kymas.filter(Boolean))]
  if (names.length === 0) return []
  const labelSelector = `${kymaNames.labels.kymaName} in (${names.join()})`
  return (await context.reads.list({ ...manifestKind, namespace, labelSelector })) as Manifest[]
}

/** Whoever owns the runtime may write any names onto any number of objects. One heir is enough, so further ones may be missed. */
const [namedMost, askedMost] = [50, 10]

/** Kymas that may have their modules in the same cluster. */
const kymasNamed = async ({ manifest, kyma, client, context }: Sharing): Promise<string[]> => {
  const { namespace = '' } = manifest.metadata
  if (kyma && !isRemote(kyma)) {
    const local = (one: KubeObject) => (isRemote(one as Kyma) ? undefined : one)
    const found = await context.reads.list({ ...kymaKind, namespace, keep: local })
    return found.slice(0, namedMost).map(({ metadata }) => metadata.name)
  }
  const copies = (await listIfServed(client, { ...kymaKind, metadataOnly: true })) ?? []
  return copies
    .slice(0, namedMost)
    .map(({ metadata }) => metadata.annotations?.[kymaNames.annotations.ownedBy]?.split('/') ?? [])
    .flatMap(([place, name]) => (place === namespace && name !== undefined ? [name] : []))
}

/** The Manifests that these objects name as their owners. */
const keepersOf = async (objects: readonly KubeObject[], uid: string, { manifest, context }: Sharing) => {
  const { namespace = '' } = manifest.metadata
  const names = objects.flatMap(({ metadata }) => {
    const [cluster, place, name = '', ...more] = metadata.annotations?.[ownerKey(engineName)]?.split('/') ?? []
    return cluster === uid && place === namespace && isSubdomain(name) && more.length === 0 ? [name] : []
  })
  const once = [...new Set(names)].slice(0, askedMost)
  const found = await Promise.all(once.map(name => context.reads.get({ ...manifestKind, namespace, name })))
  return found.filter(one => one !== undefined) as Manifest[]
}

/**
 * Which of these Kymas have their modules in the same cluster: objects that were copied from another one name Manifests that have nothing
 * to do with this one.
 */
const kymasHere = async (names: ReadonlySet<string>, sharing: Sharing): Promise<ReadonlySet<string>> => {
  const { manifest, kyma, rival, client, context } = sharing
  const { namespace = '' } = manifest.metadata
  const known = [kymaNameOf(manifest), rival?.name].filter(name => name !== undefined)
  const asked = [...names].filter(name => name !== '' && !known.includes(name)).slice(0, askedMost)
  const answers = asked.map(async name => {
    const other = (await context.reads.get({ ...kymaKind, namespace, name })) as Kyma | undefined
    return other && (await isBeside(kyma, other, { clusters: context.clusters, client })) ? [name] : []
  })
  return new Set([...known, ...(await Promise.all(answers)).flat()])
}
