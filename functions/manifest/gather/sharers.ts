// Reads the sharers of a Manifest: other Manifests that list the same objects. Example: two modules contain the same definition. The
// Manifest in the definition's label is the owner; the other Manifest, the sharer, becomes the owner when the first owner drops the
// definition.
import { manifestKind } from '../../../shared/api/kyma.ts'
import { dependentOfItem } from '../../../shared/component/declared/declared-dependents.ts'
import { type ItemKey, itemKey, itemsOf, objectKey } from '../../../shared/component/item.ts'
import { ownerBeside, ownerHashOf, ownerKey, possessionOf } from '../../../shared/component/ownership.ts'
import type { Owner, World } from '../../../shared/component/world.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import { isDeleting, type KubeObject, keyOf } from '../../../shared/core/objects/object.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { kymaNameOf, type Manifest, withSpec } from '../../../shared/kyma/kinds.ts'
import { engineName, isDefaultObject } from '../desired/module-objects.ts'
import { isNamespace } from '../rules/lifecycle.ts'
import {
  isChanging,
  isLeaving,
  isLiving,
  isSameModule,
  isWrittenFor,
  type SharedObjects,
  type Sharer,
} from '../rules/sharers.ts'
import { kymasHere, type Looking, neighboursOf, noNeighbours } from './neighbours.ts'

/** Reads no other Manifest if all objects are ours and no object must be deleted. */
export const sharedObjects = async (world: World, looking: Looking): Promise<SharedObjects> => {
  const foreign = [...world.observed.live.values()].filter(object => possessionOf(object, world) === 'foreign')
  const [owners, neighbours] = await Promise.all([
    ownersOf([...foreign, ...(await customObjectsOfOwners(world, looking))], world, looking),
    isAnyToGo(world, looking) ? neighboursOf(looking) : noNeighbours,
  ])
  const { living, leaving } = await sharersAmong([...owners.manifests, ...neighbours.manifests], world, looking)
  const listed = living.flatMap(({ other, lists }) =>
    lists.map(key => ({ key, owner: ownerBeside(world.owner, keyOf(other)) })),
  )
  const shared = Map.groupBy([...listed, ...owners.unasked], ({ key }) => key)
  return {
    shared: new Map([...shared].map(([key, all]) => [key, all.map(({ owner }) => owner)])),
    ...leftAmong(owners.left, living),
    successors: living.filter(({ other }) => isSameModule(other, looking.manifest)),
    leaving,
    inhabited: new Set([...living.flatMap(({ inhabits }) => inhabits), ...namespacesAmong(neighbours.places, world)]),
  }
}

/**
 * Objects that this Manifest left to a sharer (the heir) and that the heir has not written yet. An object is still ours if the heir is gone
 * or no longer lists it. It is also ours if the heir has a new layer to install (`unsettled`), which may lack the object. The heir may not
 * know that it owns the object, so only this Manifest would delete it.
 */
const leftAmong = (
  left: readonly Left[],
  living: readonly Sharer[],
): Pick<SharedObjects, 'stillOurs' | 'unsettled'> => {
  const heirs = left.map(({ key, to }) => ({
    key,
    heir: living.find(({ other, lists }) => other.metadata.name === to && lists.includes(key)),
  }))
  const unsettled = heirs.flatMap(({ key, heir }) =>
    heir?.ofLayer.includes(key) && isChanging(heir.other) ? [[key, heir] as const] : [],
  )
  const lost = heirs.filter(({ heir }) => heir === undefined).map(({ key }) => key)
  return { unsettled: new Map(unsettled), stillOurs: new Set([...lost, ...unsettled.map(([key]) => key)]) }
}

const isAnyToGo = (world: World, { manifest }: Looking): boolean => {
  const dependentOf = dependentOfItem(world)
  return isDeleting(manifest) || world.items.some(item => dependentOf(item) === undefined)
}

/** `living`: sharers that are not being deleted, in a Kyma that is not being deleted. Sharers that are changing come last. */
const sharersAmong = async (found: readonly Manifest[], world: World, looking: Looking) => {
  const others = new Map(found.map(one => [one.metadata.name, one]))
  const sharers = [...others.values()]
    .filter(other => isLiving(other, looking.manifest) || isLeaving(other, looking.manifest))
    .map(other => sharerIn(world, other))
    .filter(({ lists, inhabits }) => lists.length + inhabits.length > 0)
  const kymas = await kymasHere(new Set(sharers.map(({ other }) => kymaNameOf(other))), looking)
  const here = kymas.flatMap(({ name, isGoing }) =>
    sharers.filter(({ other }) => kymaNameOf(other) === name).map(sharer => ({ ...sharer, isGoing })),
  )
  return {
    living: here
      .filter(({ other, isGoing }) => !isGoing && !isDeleting(other))
      .sort((a, b) => Number(isChanging(a.other)) - Number(isChanging(b.other))),
    leaving: here.filter(({ other }) => isDeleting(other)),
  }
}

const sharerIn = (world: World, other: Manifest): Sharer => {
  const theirs = itemsOf(other.status?.synced)
  const keys = new Set(theirs.map(itemKey))
  return {
    other,
    lists: world.items.filter(item => keys.has(itemKey(item)) || isDefaultObject(item, other)).map(itemKey),
    ofLayer: world.items.map(itemKey).filter(key => keys.has(key)),
    inhabits: namespacesAmong(new Set(theirs.map(({ namespace }) => namespace)), world),
  }
}

const namespacesAmong = (places: ReadonlySet<string>, { items }: World): ItemKey[] =>
  items.filter(item => isNamespace(item) && places.has(item.name)).map(itemKey)

// Reads the Manifests that live objects name as owners, in annotation `owner-id`: `<cluster uid>/<namespace>/<manifest>`. Example: a
// ConfigMap of this Manifest names Manifest `other`. Does `other` exist, and does it list the ConfigMap?
type Owners = {
  readonly manifests: readonly Manifest[]
  /** Objects whose owners were not read, because there are too many owners. These objects do not change. */
  readonly unasked: readonly { readonly key: ItemKey; readonly owner: Owner }[]
  /** Objects that the Manifest left to another Manifest, which has not written them since and may not know them. */
  readonly left: readonly Left[]
}

type Left = {
  readonly key: ItemKey
  /** The name of the Manifest to which the object was left. */
  readonly to: string
}

/** A limit for reads, because the runtime's owner may write any owner onto any number of objects. */
const askedMost = 10

const ownersOf = async (objects: readonly KubeObject[], { owner }: World, looking: Looking): Promise<Owners> => {
  const { manifest, context } = looking
  const { namespace = '' } = manifest.metadata
  const named = objects.flatMap(object => {
    const name = ownerNamed(object, owner)
    if (name === undefined) return []
    return [{ object, name, key: objectKey(object), owner: ownerBeside(owner, { namespace, name }) }]
  })
  const reads = [...new Set(named.map(({ name }) => name))].slice(0, askedMost).map(async name => {
    const found = await context.reads.get({ ...manifestKind, namespace, name })
    return [name, found && withSpec<Manifest>(found)] as const
  })
  const asked = new Map(await Promise.all(reads))
  const left = named.filter(
    ({ object, name, owner: { hash } }) =>
      asked.has(name) && isWrittenFor(object, manifest) && ownerHashOf(object, engineName) === hash,
  )
  return {
    manifests: [...asked.values()].filter(found => found !== undefined),
    unasked: named.filter(({ name }) => !asked.has(name)),
    left: left.map(({ key, name }) => ({ key, to: name })),
  }
}

/** One blocking custom object per owner. The custom object may be the default object of another Manifest that is being deleted. */
const customObjectsOfOwners = async (world: World, { manifest, client }: Looking): Promise<readonly KubeObject[]> => {
  const { resource } = manifest.spec
  const isHeldUp = isDeleting(manifest) && [...world.observed.instances.values()].some(({ count }) => count > 0)
  if (!resource || !isHeldUp) return []
  const { apiVersion, kind } = resource as KubeObject
  const byOwner = new Map<string, KubeObject>()
  const keep = (object: KubeObject): undefined => {
    const name = ownerNamed(object, world.owner)
    if (name !== undefined && name !== manifest.metadata.name && byOwner.size < askedMost) byOwner.set(name, object)
  }
  await listIfServed(client, { apiVersion, kind, metadataOnly: true, keep })
  return [...byOwner.values()]
}

/** The name of the Manifest that owns the object. undefined: the object names no Manifest of this control plane. */
const ownerNamed = ({ metadata }: KubeObject, { id: own }: Owner): string | undefined => {
  const place = own.slice(0, own.lastIndexOf('/') + 1)
  const id = metadata.annotations?.[ownerKey(engineName)] ?? ''
  const name = id.slice(place.length)
  return id.startsWith(place) && isSubdomain(name) ? name : undefined
}
