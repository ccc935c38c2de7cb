// Reads which other Manifests list objects of this one, too. Two modules may bring one object, for example a Namespace or a definition: one
// Manifest keeps it, and it stays as long as one of them lists it.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { dependentOfItem } from '../../../shared/component/declared/declared-dependents.ts'
import { ownerKey, ownerOf } from '../../../shared/component/declared/owner.ts'
import { itemKey } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { SharedObjects, World } from '../../../shared/component/world.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import { isLabelValue } from '../../../shared/core/objects/label.ts'
import { isDeleting, type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { kymaNameOf } from '../../../shared/kyma/labels.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { isBeside } from '../../../shared/runtime/rivals.ts'
import { engineName } from '../desired/module-objects.ts'
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
  const listed = [...others.values()].filter(other => isSharing(other, manifest)).flatMap(other => listedBy(other, uid))
  return new Map([...Map.groupBy(listed, ({ key }) => key)].map(([key, all]) => [key, all.map(({ owner }) => owner)]))
}

const listedBy = (manifest: Manifest, uid: string) => {
  const owner = ownerOf(uid, keyOf(manifest))
  return itemsOf(manifest.status?.synced).map(item => ({ key: itemKey(item), owner }))
}

const foreignIn = (world: World): KubeObject[] =>
  [...world.observed.live.values()].filter(object => possessionOf(object, world) === 'foreign')

const isToRemove = (manifest: Manifest, world: World): boolean => {
  const dependentOf = dependentOfItem(world)
  return isDeleting(manifest) || world.items.some(item => dependentOf(item) === undefined)
}

/** Those of the same Kyma, and of another one that has the runtime. */
const neighboursOf = async ({ manifest, context: { reads }, rival }: Sharing): Promise<Manifest[]> => {
  const { namespace } = manifest.metadata
  const kymas = [kymaNameOf(manifest), rival?.name ?? ''].filter(isLabelValue).filter(Boolean)
  if (kymas.length === 0) return []
  const labelSelector = `${kymaNames.labels.kymaName} in (${kymas.join()})`
  return (await reads.list({ ...manifestKind, namespace, labelSelector })) as Manifest[]
}

/** Whoever owns the runtime may write any owner onto any number of objects. */
const keepersMost = 10

/** The Manifests that these objects name as their owners: those of the same Kyma, and of others in the same cluster. */
const keepersOf = async (objects: readonly KubeObject[], uid: string, sharing: Sharing): Promise<Manifest[]> => {
  const { manifest, context } = sharing
  const { namespace = '' } = manifest.metadata
  const names = objects.flatMap(({ metadata }) => {
    const [cluster, place, name = '', ...more] = metadata.annotations?.[ownerKey(engineName)]?.split('/') ?? []
    return cluster === uid && place === namespace && isSubdomain(name) && more.length === 0 ? [name] : []
  })
  const once = [...new Set(names)].slice(0, keepersMost)
  const found = await Promise.all(once.map(name => context.reads.get({ ...manifestKind, namespace, name })))
  const there = found.filter(one => one !== undefined) as Manifest[]
  const areHere = await Promise.all(there.map(one => isHere(one, sharing)))
  return there.filter((_, index) => areHere[index])
}

/** Objects that were copied from another cluster name Manifests that have nothing to do with this one. */
const isHere = async (other: Manifest, { manifest, kyma, rival, client, context }: Sharing): Promise<boolean> => {
  const [name, own] = [kymaNameOf(other), kymaNameOf(manifest)]
  if (name === own || name === rival?.name) return true
  const { namespace = '' } = manifest.metadata
  const theirs = kyma && ((await context.reads.get({ ...kymaKind, namespace, name })) as Kyma | undefined)
  return kyma !== undefined && theirs !== undefined && isBeside(kyma, theirs, { clusters: context.clusters, client })
}
