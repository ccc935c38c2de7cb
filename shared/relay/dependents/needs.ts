// Reads from an object which kinds and names must be watched, and in which cluster. A cluster of a kubeconfig Secret has the name
// `kubeconfig/NAMESPACE/SECRET/KEY`. Pure.
import type { InventorySettings } from '../../api/serverless.ts'
import { valueAt } from '../../core/json/fields.ts'
import { isMap } from '../../core/json/json.ts'
import { apiVersionOf, type ClusterName, type Key, type KubeObject, keyOf } from '../../core/objects/object.ts'

export type Need = {
  cluster: ClusterName
  apiVersion: string
  kind: string
  item: Key
}

/** The kinds and names that the object needs. Ignores malformed items. */
export const needsOf = (object: KubeObject, settings: InventorySettings): Need[] => {
  const cluster = clusterOf(object, settings)
  if (cluster === undefined) return []
  const usualNamespace = settings.ownerLabel === undefined ? keyOf(object).namespace : ''
  return itemsAt(object, settings.path).flatMap(listed => {
    const { kind = settings.kind } = listed
    const apiVersion = apiVersionIn(listed)
    const item = nameIn(listed, usualNamespace)
    return typeof kind === 'string' && typeof apiVersion === 'string' && item
      ? [{ cluster, apiVersion, kind, item }]
      : []
  })
}

/** An item refers to an object, or is the object itself, as in `spec.resource` of a Manifest. */
const nameIn = (item: Record<string, unknown>, usualNamespace: string): Key | undefined => {
  const { name, namespace = usualNamespace } = isMap(item.metadata) ? item.metadata : item
  return typeof name === 'string' && typeof namespace === 'string' ? { namespace, name } : undefined
}

/** The cluster of the items: local, by label, or by kubeconfig; undefined when the label is missing. */
export const clusterOf = (object: KubeObject, settings: InventorySettings): ClusterName | undefined => {
  const { cluster, clusterLabel, remotePath, kubeConfigPath } = settings
  if (kubeConfigPath !== undefined) return kubeConfigCluster(object, kubeConfigPath)
  if (cluster === undefined || clusterLabel === undefined) return 'local'
  if (remotePath !== undefined && valueAt(object, ...remotePath.split('.')) === false) return 'local'
  const name = object.metadata.labels?.[clusterLabel]
  return name === undefined ? undefined : `${cluster}/${name}`
}

/** `local` without a kubeconfig. */
const kubeConfigCluster = (object: KubeObject, path: string): ClusterName => {
  const [reference] = itemsAt(object, path)
  const { name, key = '' } = reference ?? {}
  if (typeof name !== 'string' || typeof key !== 'string') return 'local'
  return clusterBehind({ namespace: keyOf(object).namespace, name, key })
}

const itemsAt = (object: KubeObject, path: string): Record<string, unknown>[] => {
  const found = valueAt(object, ...path.split('.'))
  return (Array.isArray(found) ? found : [found]).filter(isMap)
}

/**
 * Items contain `apiVersion`, or `group` and `version`. References to ConfigMaps and Secrets often contain neither, so the default is
 * `v1`.
 */
const apiVersionIn = (item: Record<string, unknown>): unknown => {
  const { apiVersion, group = '', version = 'v1' } = item
  if (apiVersion != null) return apiVersion
  return typeof group === 'string' && typeof version === 'string' ? apiVersionOf({ group, version }) : undefined
}

export type KubeConfigSecret = {
  readonly namespace: string
  readonly name: string
  /** The key in the Secret; '' for the default keys. */
  readonly key: string
}

const beginning = 'kubeconfig/'

const clusterBehind = ({ namespace, name, key }: KubeConfigSecret): ClusterName =>
  `${beginning}${namespace}/${name}/${key}`

/** undefined for other clusters. */
export const secretOf = (cluster: ClusterName): KubeConfigSecret | undefined => {
  if (!cluster.startsWith(beginning)) return undefined
  const [namespace = '', name = '', key = ''] = cluster.slice(beginning.length).split('/')
  return { namespace, name, key }
}
