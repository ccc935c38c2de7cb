// Objects of an installation of Istio that the inventory does not know: another program installed them, or the inventory was lost.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { managedTypesOf } from '../../../../shared/component/declared/managed-types.ts'
import { type Item, itemKey, objectKey } from '../../../../shared/component/inventory/item.ts'
import { itemsOf } from '../../../../shared/component/inventory/stored-inventory.ts'
import { groupOf, type KubeObject, type ObjectRef } from '../../../../shared/core/object.ts'
import { componentLabel, revisionLabel } from '../../desired/installation/chart-object.ts'
import { deleteOrderOf } from '../../desired/installation/delete-order.ts'
import type { Facts } from '../../world.ts'

export const installedByUsLabel = `${istioNames.prefix}/owner-id`

/** The ManagedResource by which a Gardener keeps an object; undefined: none does, or we took it over. */
export const managedResourceOf = ({ metadata: { labels, annotations } }: KubeObject): string | undefined =>
  labels?.[installedByUsLabel] === undefined ? annotations?.['resources.gardener.cloud/origin'] : undefined

/** It is of the revision that we install, and no Garden keeps it. */
export const isInherited = (object: KubeObject): boolean => {
  const { labels = {} } = object.metadata
  const revision = labels[revisionLabel] ?? 'default'
  return labels[componentLabel] !== undefined && revision === 'default' && managedResourceOf(object) === undefined
}

/** As this pass saw them; undefined: it did not look. */
export const installedObjects = (facts: Facts): readonly KubeObject[] | undefined => {
  const seen = seenObjects(facts)
  return seen && [...seen.values()]
}

/** As this pass saw it. undefined: it is no part of what is installed, or not there. */
export const installedObject = (facts: Facts, ref: ObjectRef): KubeObject | undefined =>
  seenObjects(facts)?.get(itemKey({ ...ref, group: groupOf(ref.apiVersion) }))

const seenObjects = ({ installation }: Facts): ReadonlyMap<string, KubeObject> | undefined =>
  installation?.is === 'possible' ? installation.dependents.observed.live : undefined

/** The inventory, and with it what was found besides. */
export const itemsWith = (items: readonly Item[], found: readonly KubeObject[]): Item[] => {
  const known = new Set(items.map(itemKey))
  const others = found.filter(object => !known.has(objectKey(object)))
  return [...items, ...itemsOf(others.map(storedItem))]
}

const storedItem = (object: KubeObject) => {
  const { apiVersion, kind, metadata } = object
  return {
    ...{ group: groupOf(apiVersion), version: apiVersion.split('/').at(-1), kind },
    ...{ namespace: metadata.namespace ?? '', name: metadata.name },
    ...{ deleteOrder: deleteOrderOf(object), managedTypes: managedTypesOf(object) },
    ...{ phase: 'ScheduledForApplication', status: 'InProgress' },
  }
}

/** It is not known whose the objects of the installation are, or some are to go that need not carry our label. */
export const isSearchDue = (items: readonly Item[]): boolean =>
  items.length === 0 || items.some(({ digest }) => digest === '')
