// Reads which other Manifests list objects of this one, too. Two modules may bring one object, for example a Namespace or a definition: one
// Manifest keeps it, and it stays as long as one of them lists it.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { dependentOfItem } from '../../../shared/component/declared/declared-dependents.ts'
import { type Owner, ownerHashOf, ownerKey, ownerOf } from '../../../shared/component/declared/owner.ts'
import { type ItemKey, itemKey, objectKey } from '../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../shared/component/inventory/stored-inventory.ts'
import { possessionOf } from '../../../shared/component/observed/adoption.ts'
import type { World } from '../../../shared/component/world.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import { isLabelValue } from '../../../shared/core/objects/label.ts'
import { isDeleting, type Key, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import type { Kyma, Manifest } from '../../../shared/kyma/kinds.ts'
import { isRemote, syncNamespace } from '../../../shared/kyma/kyma-runtime.ts'
import { kymaNameOf } from '../../../shared/kyma/labels.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { isBeside } from '../../../shared/runtime/rivals.ts'
import { engineName, isDefaultObject } from '../desired/module-objects.ts'
import { isNamespace } from '../rules/removal.ts'
import { isLeaving, isSharing, isWrittenFor } from '../rules/sharing.ts'

type Sharing = {
  readonly manifest: Manifest
  readonly kyma: Kyma | undefined
  /** Of the cluster of the module. */
  readonly client: Client
  readonly context: Pick<GatherContext, 'reads' | 'clusters' | 'memory'>
  /** Another Kyma that has the runtime. */
  readonly rival: Key | undefined
}

type Shared = Pick<World, 'shared' | 'stillOurs'> & {
  readonly leaving: readonly Sharer[]
  /** Namespaces of this Manifest in which others have objects and stay, or in which Kymas have their copies and default objects. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** Another Manifest. */
export type Sharer = {
  readonly other: Manifest
  /** What of the objects of this one it lists, or has as its default object. */
  readonly keys: readonly ItemKey[]
  /** Namespaces of this one in which it has objects. */
  readonly inhabits: readonly ItemKey[]
}

/** Nothing is read where all objects are ours and none of them is to go. */
export const sharedObjects = async (world: World, sharing: Sharing): Promise<Shared> => {
  const { manifest, context } = sharing
  const { namespace = '' } = manifest.metadata
  const uid = await context.memory.clusterUid(await context.clusters.of('local'))
  const place = { uid, namespace }
  const foreign = foreignIn(world)
  const [keepers, { neighbours, places }] = await Promise.all([
    keepersOf(foreign, uid, sharing),
    isToRemove(manifest, world) ? around(sharing) : nobody,
  ])
  const known = [...keepers.values()].filter(one => one !== undefined)
  const { living, leaving } = await sharersAmong([...known, ...neighbours], world, sharing)
  const listed = living.flatMap(({ other, keys }) => keys.map(key => ({ key, owner: ownerOf(uid, keyOf(other)) })))
  const shared = Map.groupBy([...listed, ...keptUnasked(foreign, keepers, place)], ({ key }) => key)
  return {
    shared: new Map([...shared].map(([key, all]) => [key, all.map(({ owner }) => owner)])),
    stillOurs: new Set(foreign.filter(object => isStillOurs(object, keepers, { ...place, manifest })).map(objectKey)),
    leaving,
    inhabited: new Set([...living.flatMap(({ inhabits }) => inhabits), ...namespacesAmong(places, world)]),
  }
}

/** Of the objects that the other lists, or has as its default object. */
const sharedKeys = ({ items }: World, other: Manifest): ItemKey[] => {
  const theirs = new Set(itemsOf(other.status?.synced).map(itemKey))
  return items.filter(item => theirs.has(itemKey(item)) || isDefaultObject(item, other)).map(itemKey)
}

const inhabitedBy = ({ status }: Manifest, world: World): ItemKey[] =>
  namespacesAmong(new Set(itemsOf(status?.synced).map(({ namespace }) => namespace)), world)

const namespacesAmong = (places: ReadonlySet<string>, { items }: World): ItemKey[] =>
  items.filter(item => isNamespace(item) && places.has(item.name)).map(itemKey)

const foreignIn = (world: World): KubeObject[] =>
  [...world.observed.live.values()].filter(object => possessionOf(object, world) === 'foreign')

const isToRemove = (manifest: Manifest, world: World): boolean => {
  const dependentOf = dependentOfItem(world)
  return isDeleting(manifest) || world.items.some(item => dependentOf(item) === undefined)
}

type Listed = { readonly key: ItemKey; readonly owner: Owner }

/** Those of them that list objects of this one in the same cluster; `living`: they and their Kymas stay. */
const sharersAmong = async (found: readonly Manifest[], world: World, sharing: Sharing) => {
  const { manifest } = sharing
  const others = new Map(found.map(one => [one.metadata.name, one]))
  const sharers = [...others.values()]
    .filter(other => isSharing(other, manifest) || isLeaving(other, manifest))
    .map((other): Sharer => ({ other, keys: sharedKeys(world, other), inhabits: inhabitedBy(other, world) }))
    .filter(({ keys, inhabits }) => keys.length + inhabits.length > 0)
  const kymas = await kymasHere(new Set(sharers.map(({ other }) => kymaNameOf(other))), sharing)
  const here = kymas.flatMap(({ name, isGoing }) =>
    sharers.filter(({ other }) => kymaNameOf(other) === name).map(sharer => ({ ...sharer, isGoing })),
  )
  return {
    living: here.filter(({ other, isGoing }) => !isGoing && !isDeleting(other)),
    leaving: here.filter(({ other }) => isDeleting(other)),
  }
}

type Around = {
  /** Manifests of the same Kyma, of another one that has the runtime, and of those that may be in the cluster. */
  readonly neighbours: readonly Manifest[]
  /** The namespaces of Kymas in the cluster. */
  readonly places: ReadonlySet<string>
}

const nobody: Around = { neighbours: [], places: new Set() }

const around = async (sharing: Sharing): Promise<Around> => {
  const { manifest, context, rival } = sharing
  const { namespace } = manifest.metadata
  const { names, places } = await kymasAround(sharing)
  const kymas = [kymaNameOf(manifest), rival?.name ?? '', ...names].filter(isLabelValue)
  const lists = chunks([...new Set(kymas.filter(Boolean))], namesInList).map(some => {
    const labelSelector = `${kymaNames.labels.kymaName} in (${some.join()})`
    return context.reads.list({ ...manifestKind, namespace, labelSelector }) as Promise<Manifest[]>
  })
  return { neighbours: (await Promise.all(lists)).flat(), places: new Set(places) }
}

/** A selector is part of an address, which must not be too long. */
const namesInList = 50

const chunks = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))

type KymasAround = { readonly names: readonly string[]; readonly places: readonly string[] }

/** Kymas that may have their modules in the same cluster. Whoever owns the runtime may write any number of names into it. */
const kymasAround = async ({ manifest, kyma, client, context }: Sharing): Promise<KymasAround> => {
  const { namespace = '' } = manifest.metadata
  if (kyma && !isRemote(kyma)) {
    const local = (one: KubeObject) => (isRemote(one as Kyma) ? undefined : one)
    const found = (await context.reads.list({ ...kymaKind, namespace, keep: local })) as Kyma[]
    return { names: found.map(({ metadata }) => metadata.name), places: found.map(syncNamespace) }
  }
  const copies = (await listIfServed(client, { ...kymaKind, metadataOnly: true })) ?? []
  const places = copies.map(({ metadata }) => metadata.namespace ?? '')
  const names = copies
    .map(({ metadata }) => metadata.annotations?.[kymaNames.annotations.ownedBy]?.split('/') ?? [])
    .flatMap(([place, name]) => (place === namespace && name !== undefined ? [name] : []))
  if (names.length <= namesInList) return { names, places }
  const kymas = await context.reads.list({ ...kymaKind, namespace, metadataOnly: true })
  const known = new Set(kymas.map(({ metadata }) => metadata.name))
  return { names: names.filter(name => known.has(name)), places }
}

/** Whoever owns the runtime may write any names onto any number of objects. */
const askedMost = 10

/** By name the Manifests that were asked for because objects name them as their owners; undefined: it is not there. */
type Keepers = ReadonlyMap<string, Manifest | undefined>

const keepersOf = async (
  objects: readonly KubeObject[],
  uid: string,
  { manifest, context }: Sharing,
): Promise<Keepers> => {
  const { namespace = '' } = manifest.metadata
  const names = new Set(objects.flatMap(object => keeperNamed(object, { uid, namespace }) ?? []))
  const asked = [...names].slice(0, askedMost).map(async name => {
    const found = await context.reads.get({ ...manifestKind, namespace, name })
    return [name, found as Manifest | undefined] as const
  })
  return new Map(await Promise.all(asked))
}

type Place = { readonly uid: string; readonly namespace: string }

/** The Manifest of this control plane that an object names as its owner. */
const keeperNamed = ({ metadata }: KubeObject, { uid, namespace }: Place): string | undefined => {
  const [cluster, place, name = '', ...more] = metadata.annotations?.[ownerKey(engineName)]?.split('/') ?? []
  return cluster === uid && place === namespace && isSubdomain(name) && more.length === 0 ? name : undefined
}

/** Nobody knows of these whether their owners live: they are left as they are. */
const keptUnasked = (objects: readonly KubeObject[], keepers: Keepers, place: Place): Listed[] =>
  objects.flatMap(object => {
    const name = keeperNamed(object, place)
    if (name === undefined || keepers.has(name)) return []
    return [{ key: objectKey(object), owner: ownerOf(place.uid, { namespace: place.namespace, name }) }]
  })

/** The Manifest has left it to another, which is gone or goes. It may have looked last when the object was not its own yet. */
const isStillOurs = (object: KubeObject, keepers: Keepers, { manifest, ...place }: Place & { manifest: Manifest }) => {
  const name = keeperNamed(object, place)
  if (name === undefined || !keepers.has(name) || !isWrittenFor(object, manifest)) return false
  const keeper = keepers.get(name)
  const { hash } = ownerOf(place.uid, { namespace: place.namespace, name })
  return ownerHashOf(object, engineName) === hash && (keeper === undefined || isDeleting(keeper))
}

type KymaHere = { readonly name: string; readonly isGoing: boolean }

/**
 * Which of these Kymas have their modules in the same cluster: objects that were copied from another one name Manifests that have nothing
 * to do with this one. Those that were not asked come last, and may have: what they keep must not be deleted.
 */
const kymasHere = async (names: ReadonlySet<string>, sharing: Sharing): Promise<readonly KymaHere[]> => {
  const { manifest, kyma, rival, client, context } = sharing
  const { namespace = '' } = manifest.metadata
  const known = [kymaNameOf(manifest), rival?.name].filter(name => name !== undefined)
  const others = [...names].filter(name => name !== '' && !known.includes(name))
  const answers = others.slice(0, askedMost).map(async name => {
    const other = (await context.reads.get({ ...kymaKind, namespace, name })) as Kyma | undefined
    const isHere = other && (await isBeside(kyma, other, { clusters: context.clusters, client }))
    return isHere ? [{ name, isGoing: isDeleting(other) }] : []
  })
  const unasked = [...known, ...others.slice(askedMost)].map(name => ({ name, isGoing: false }))
  return [...unasked.slice(0, known.length), ...(await Promise.all(answers)).flat(), ...unasked.slice(known.length)]
}
