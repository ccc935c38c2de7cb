// Reads the Manifests that live objects name as their owners. The annotation `owner-id` of an object says `<cluster uid>/<namespace>/<manifest>`.
// Example: a ConfigMap that this Manifest lists, too, names Manifest `other`, so `other` is read: does it live, and list the ConfigMap?
import { manifestKind } from '../../../shared/api/kyma.ts'
import { type Owner, ownerBeside, ownerHashOf, ownerKey } from '../../../shared/component/declared/owner.ts'
import { type ItemKey, objectKey } from '../../../shared/component/inventory/item.ts'
import type { World } from '../../../shared/component/world.ts'
import { isSubdomain } from '../../../shared/core/objects/dns-name.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { listIfServed } from '../../../shared/kube/reading.ts'
import { type Manifest, withSpec } from '../../../shared/kyma/kinds.ts'
import { engineName } from '../desired/module-objects.ts'
import { isWrittenFor } from '../rules/sharers.ts'
import type { Looking } from './neighbours.ts'

type Owners = {
  readonly manifests: readonly Manifest[]
  /** Too many owners are named, so that these were not asked: their objects are left as they are. */
  readonly unasked: readonly { readonly key: ItemKey; readonly owner: Owner }[]
  /** The Manifest left these to another one, which has not written them since, and may have looked last before it had them. */
  readonly left: readonly Left[]
}

export type Left = {
  readonly key: ItemKey
  /** Of the Manifest that it was left to. */
  readonly to: string
}

/** Whoever owns the runtime may write any names onto any number of objects. */
const askedMost = 10

/** Of objects that bear the label of somebody else. */
export const ownersOf = async (objects: readonly KubeObject[], { owner }: World, looking: Looking): Promise<Owners> => {
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

/**
 * Of the custom objects that hold the Manifest up, one for each owner that any of them names: default objects of others, which may go at the
 * same moment. Once the copies of their Kymas are gone, nothing else in a runtime tells of them.
 */
export const customObjectsOfOwners = async (
  world: World,
  { manifest, client }: Looking,
): Promise<readonly KubeObject[]> => {
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

/** The name of the Manifest; undefined: the object names none of this control plane. */
const ownerNamed = ({ metadata }: KubeObject, { id: own }: Owner): string | undefined => {
  const place = own.slice(0, own.lastIndexOf('/') + 1)
  const id = metadata.annotations?.[ownerKey(engineName)] ?? ''
  const name = id.slice(place.length)
  return id.startsWith(place) && isSubdomain(name) ? name : undefined
}
