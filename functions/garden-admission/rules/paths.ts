// Paths to parts of a Garden, for rules.
export const networking = 'spec.runtimeCluster.networking'
export const settings = 'spec.runtimeCluster.settings'
export const ingress = 'spec.runtimeCluster.ingress'
export const virtualClusterPath = 'spec.virtualCluster'
export const dns = `${virtualClusterPath}.dns`
export const virtualServices = `${virtualClusterPath}.networking.services`
export const etcd = `${virtualClusterPath}.etcd`
export const kubernetes = `${virtualClusterPath}.kubernetes`
export const kubeAPIServerPath = `${kubernetes}.kubeAPIServer`
export const kubeControllerManager = `${kubernetes}.kubeControllerManager`
export const gardenerPath = `${virtualClusterPath}.gardener`
export const gardenerAPIServer = `${gardenerPath}.gardenerAPIServer`

/** The paths of a field that both API servers have. */
export const ofBothAPIServers = (field: string): string[] => [
  `${kubeAPIServerPath}.${field}`,
  `${gardenerAPIServer}.${field}`,
]
