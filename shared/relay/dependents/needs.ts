// Reads from one object which kinds and names its function needs watched, and in which cluster. Pure.
import type { InventorySettings } from '../../api/serverless.ts'
import { valueAt } from '../../core/json/fields.ts'
import { isMap } from '../../core/json/json.ts'
import { type ClusterName, type KubeObject, keyOf } from '../../core/objects/object.ts'
import { clusterBehind } from '../remote-clusters/kubeconfig-cluster-name.ts'

export type Need = {
  cluster: ClusterName
  apiVersion: string
  kind: string
  /** Given when the dependent is watched by name: it carries no label that names its owner. */
  item?: { namespace: string; name: string }
}

/** The kinds in the object's list, or its items where they are watched by name. Malformed items are left out. */
export const needsOf = (object: KubeObject, settings: InventorySettings): Need[] => {
  const cluster = clusterOf(object, settings)
  if (cluster === undefined) return []
  return itemsAt(object, settings.path).flatMap(item => {
    const { kind = settings.kind, name, namespace = keyOf(object).namespace } = item
    const apiVersion = apiVersionOf(item)
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') return []
    if (settings.ownerLabel !== undefined) return [{ cluster, apiVersion, kind }]
    return typeof name === 'string' && typeof namespace === 'string'
      ? [{ cluster, apiVersion, kind, item: { namespace, name } }]
      : []
  })
}

/** The cluster of its items: named by a label unless they are here, or reached by its kubeconfig; undefined while the label is missing. */
export const clusterOf = (object: KubeObject, settings: InventorySettings): ClusterName | undefined => {
  const { cluster, clusterLabel, remotePath, kubeConfigPath } = settings
  if (kubeConfigPath !== undefined) return kubeConfigCluster(object, kubeConfigPath)
  if (cluster === undefined || clusterLabel === undefined) return 'local'
  if (remotePath !== undefined && valueAt(object, ...remotePath.split('.')) === false) return 'local'
  const name = object.metadata.labels?.[clusterLabel]
  return name === undefined ? undefined : `${cluster}/${name}`
}

/** `local` when the object names no kubeconfig. */
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

/** Items hold `apiVersion`, or `group` and `version`; references to ConfigMaps and Secrets often hold neither: `v1`. */
const apiVersionOf = ({ apiVersion, group = '', version = 'v1' }: Record<string, unknown>): unknown =>
  apiVersion ?? (group ? `${group}/${version}` : version)
