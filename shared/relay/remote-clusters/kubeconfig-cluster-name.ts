// The name of a cluster that is reached by a kubeconfig: `kubeconfig/NAMESPACE/SECRET/KEY`.
import type { ClusterName } from '../../core/objects/object.ts'

export type KubeConfigSecret = {
  readonly namespace: string
  readonly name: string
  /** The Secret's entry that holds the kubeconfig; empty for the usual names. */
  readonly key: string
}

const beginning = 'kubeconfig/'

export const clusterBehind = ({ namespace, name, key }: KubeConfigSecret): ClusterName =>
  `${beginning}${namespace}/${name}/${key}`

/** undefined for a cluster that is reached in another way. */
export const secretOf = (cluster: ClusterName): KubeConfigSecret | undefined => {
  if (!cluster.startsWith(beginning)) return undefined
  const [namespace = '', name = '', key = ''] = cluster.slice(beginning.length).split('/')
  return { namespace, name, key }
}
