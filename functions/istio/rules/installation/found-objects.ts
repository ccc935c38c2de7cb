// Installed objects of Istio that are not in the inventory, because another program installed them or because the inventory was lost.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { managedTypesOf } from '../../../../shared/component/declared/managed-types.ts'
import { type Item, itemKey, itemsOf, objectKey } from '../../../../shared/component/inventory/item.ts'
import { groupOf, type KubeObject, type ObjectRef } from '../../../../shared/core/objects/object.ts'
import { componentLabel, revisionLabel } from '../../desired/installation/chart-object.ts'
import { deleteOrderOf } from '../../desired/installation/manifests.ts'
import type { Facts } from '../../world.ts'

const { mesh } = istioNames.namespaces

export const installedByUsLabel = `${istioNames.prefix}/owner-id`

/** The ManagedResource that an object belongs to, as `garden/istio`; undefined: it belongs to none, or we took it over. */
export const managedResourceOf = ({ metadata: { labels, annotations } }: KubeObject): string | undefined =>
  labels?.[installedByUsLabel] === undefined ? annotations?.['resources.gardener.cloud/origin'] : undefined

/**
 * Whether we take over an object that another program installed: it has the module's label and the revision that we install (`default`), is in
 * istio-system or cluster-scoped, and belongs to no ManagedResource. A gateway in another namespace belongs to somebody else, even if the
 * inventory names it: with the definition of the Kyma Istio module, whoever may edit an Istio may write its inventory.
 */
export const isInherited = (object: KubeObject): boolean => {
  const { labels = {}, namespace = mesh } = object.metadata
  const revision = labels[revisionLabel] ?? 'default'
  const isOfModule = labels[componentLabel] !== undefined && revision === 'default'
  return isOfModule && namespace === mesh && managedResourceOf(object) === undefined
}

/** All installed objects, as this pass read them; undefined: it did not read any. */
export const installedObjects = (facts: Facts): readonly KubeObject[] | undefined => {
  const seen = seenObjects(facts)
  return seen && [...seen.values()]
}

/** One installed object, as this pass read it; undefined: it is not part of the installation, or does not exist. */
export const installedObject = (facts: Facts, ref: ObjectRef): KubeObject | undefined =>
  seenObjects(facts)?.get(itemKey({ ...ref, group: groupOf(ref.apiVersion) }))

const seenObjects = ({ installation }: Facts): ReadonlyMap<string, KubeObject> | undefined =>
  installation?.is === 'possible' ? installation.dependents.observed.live : undefined

/** The items of the inventory, and one more for each object that was found and is not in it. */
export const itemsWith = (items: readonly Item[], found: readonly KubeObject[]): Item[] => {
  const known = new Set(items.map(itemKey))
  const others = found.filter(object => !known.has(objectKey(object)))
  return [...items, ...itemsOf(others.map(storedItem))]
}

const storedItem = (object: KubeObject) => {
  const { apiVersion, kind, metadata } = object
  return {
    group: groupOf(apiVersion),
    version: apiVersion.split('/').at(-1),
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    deleteOrder: deleteOrderOf(object),
    managedTypes: managedTypesOf(object),
    phase: 'ScheduledForApplication',
    status: 'InProgress',
  }
}

/** Whether to search the cluster: the inventory is empty, or has an item that was never applied and may lack our label. */
export const isSearchDue = (items: readonly Item[]): boolean =>
  items.length === 0 || items.some(({ digest }) => digest === '')
