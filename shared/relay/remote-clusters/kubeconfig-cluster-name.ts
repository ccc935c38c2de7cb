// Names of clusters with a kubeconfig Secret: `kubeconfig/NAMESPACE/SECRET/KEY`.
import type { ClusterName } from '../../core/objects/object.ts'

export type KubeConfigSecret = {
  readonly namespace: string
  readonly name: string
  /** The key in the Secret; '' for the default keys. */
  readonly key: string
}

const beginning = 'kubeconfig/'

export const clusterBehind = ({ namespace, name, key }: KubeConfigSecret): ClusterName =>
  `${beginning}${namespace}/${name}/${key}`

/** undefined for other clusters. */
export const secretOf = (cluster: ClusterName): KubeConfigSecret | undefined => {
  if (!cluster.startsWith(beginning)) return undefined
  const [namespace = '', name = '', key = ''] = cluster.slice(beginning.length).split('/')
  return { namespace, name, key }
}
