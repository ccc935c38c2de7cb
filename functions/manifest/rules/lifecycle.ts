// Derives the progress of a Manifest from its own fields, and decides by an object's key how the object is removed. Annotations of the live
// object do not count, because other programs or users may have changed them.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { type Item, type ItemKey, itemKey, itemsOf } from '../../../shared/component/item.ts'
import type { World } from '../../../shared/component/world.ts'
import { shownText } from '../../../shared/core/json/json.ts'
import { isPathSegment } from '../../../shared/core/objects/dns-name.ts'
import { groupOf, isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import { type Manifest, manifestFinalizers, moduleFinalizers } from '../../../shared/kyma/kinds.ts'
import { isCreated } from '../../../shared/kyma/manifests.ts'
import { defaultObject, isDeletedLast } from '../desired/module-objects.ts'

/** The finalizers that keep the Manifest until its module is gone. */
export const wantedFinalizers = (manifest: Manifest): readonly string[] =>
  defaultObject(manifest) ? manifestFinalizers : moduleFinalizers

/** The last status is Ready, and the Manifest is not being deleted. */
export const isReady = (manifest: Manifest): boolean =>
  manifest.status?.state === 'Ready' && !isDeleting(manifest) && !isHandedOver(manifest)

export const layerDigest = ({ spec }: Manifest): string => shownText(spec.install.source.ref ?? '')

/** Whether an annotation says that the layer of the spec is installed. */
export const hasNotedLayer = (manifest: Manifest): boolean =>
  manifest.metadata.annotations?.[kymaNames.annotations.syncOciRef] === layerDigest(manifest)

/** A user has taken over the module's objects, so the objects stay when the Manifest is deleted. */
export const isHandedOver = ({ metadata }: Manifest): boolean =>
  metadata.annotations?.[kymaNames.annotations.isUnmanaged]?.toLowerCase() === 'true'

/** Whether objects of the module may be in the cluster. Their keys are saved before the first object is written. */
export const hasBegun = (manifest: Manifest): boolean =>
  isCreated(manifest) || (manifest.status?.synced ?? []).length > 0

/** The default object as an item of the inventory. The spec has its key; the status says whether it was applied. */
export const defaultItems = (manifest: Manifest, namespaceOf: (resource: KubeObject) => string): Item[] => {
  const resource = defaultObject(manifest)
  if (!resource || !isNamed(resource)) return []
  const { apiVersion, kind, metadata } = resource
  const key = {
    group: groupOf(apiVersion),
    version: apiVersion.split('/').at(-1),
    kind,
    name: metadata.name,
    namespace: namespaceOf(resource),
  }
  const applied = {
    reconcilePolicy: 'Once',
    digest: '__once__',
    phase: 'Ready',
    status: 'Current',
    applyOrder: 1,
    deleteOrder: -1,
    lastAppliedAt: manifest.metadata.creationTimestamp,
  }
  return itemsOf([isCreated(manifest) ? { ...key, ...applied } : key])
}

/** An object with an invalid name was never created. */
const isNamed = ({ metadata: { name, namespace } }: KubeObject): boolean =>
  [name, namespace].every(text => !text || isPathSegment(text))

type Removing = {
  /** The namespace of copy and catalogue in the runtime. */
  readonly syncNamespace: string
  readonly defaultKey: ItemKey | undefined
  /** Namespaces in which other Manifests have objects. */
  readonly inhabited: ReadonlySet<ItemKey>
}

/** Sets whether the object is deleted, and in which order, when the module drops it or is deleted. */
export const asRemoved = (item: Item, { syncNamespace, defaultKey, inhabited }: Removing): Item => ({
  ...item,
  ...((isNamespaceOfOthers(item, syncNamespace) || inhabited.has(itemKey(item))) && {
    deletePolicy: 'Orphan',
  }),
  ...(isDeletedLast(item) && { deleteOrder: 1 }),
  ...(itemKey(item) === defaultKey && { deleteOrder: -1 }),
})

type Kept = { readonly observed: Pick<World['observed'], 'live'>; readonly shared?: World['shared'] }

/**
 * Whether sharers keep all objects that custom objects need, such as definitions and operators. If so, the removal need not wait for custom
 * objects.
 */
export const isGroundKept = (items: readonly Item[], { observed, shared }: Kept): boolean => {
  const ground = groundOf(items, { observed })
  return ground.length > 0 && ground.every(item => shared?.has(itemKey(item)))
}

/** Objects of the module that are needed for the deletion of custom objects, such as the module's operator. */
export const groundOf = (items: readonly Item[], { observed }: Pick<Kept, 'observed'>): Item[] =>
  items.filter(item => isDeletedLast(item) && item.deletePolicy !== 'Orphan' && observed.live.has(itemKey(item)))

const { controlPlane, runtime } = kymaNames.namespaces

/** A Namespace whose deletion would delete other modules, objects of the control plane, or the cluster itself. */
const isNamespaceOfOthers = (item: Item, syncNamespace: string): boolean =>
  isNamespace(item) &&
  (['default', controlPlane, runtime, syncNamespace].includes(item.name) || item.name.startsWith('kube-'))

export const isNamespace = ({ group, kind }: Pick<Item, 'group' | 'kind'>): boolean =>
  group === '' && kind === 'Namespace'
