// The parts of a Garden that rules are about, by the paths to them.

export const networking = 'spec.runtimeCluster.networking'
export const settings = 'spec.runtimeCluster.settings'
export const ingress = 'spec.runtimeCluster.ingress'
export const virtualCluster = 'spec.virtualCluster'
export const dns = `${virtualCluster}.dns`
export const virtualServices = `${virtualCluster}.networking.services`
export const etcd = `${virtualCluster}.etcd`
export const kubernetes = `${virtualCluster}.kubernetes`
export const kubeAPIServer = `${kubernetes}.kubeAPIServer`
export const kubeControllerManager = `${kubernetes}.kubeControllerManager`
export const gardener = `${virtualCluster}.gardener`
export const gardenerAPIServer = `${gardener}.gardenerAPIServer`

/** For what can be set for both API servers alike. */
export const ofBothAPIServers = (field: string): string[] => [
  `${kubeAPIServer}.${field}`,
  `${gardenerAPIServer}.${field}`,
]
