// Derived values of a Garden that several functions need.
import type { GardenFields } from '../../api/garden.ts'
import { parseNetwork } from '../network/cidr.ts'
import type { KubeObject } from './object.ts'

export type Garden = KubeObject & GardenFields

/** The domains of the virtual garden. Code that needs one domain uses the first. */
export const virtualDomains = ({ spec }: GardenFields): readonly string[] => {
  const { domains, domain } = spec.virtualCluster.dns
  return domains?.map(({ name }) => name) ?? (domain === undefined ? [] : [domain])
}

export const apiHost = (garden: GardenFields): string => `api.${virtualDomains(garden)[0] ?? ''}`

/**
 * The signing issuer comes first. kube-apiserver refuses to start with a repeated issuer, such as the default among the accepted issuers.
 */
export const serviceAccountIssuers = (garden: GardenFields): readonly string[] => {
  const { serviceAccountConfig = {} } = garden.spec.virtualCluster.kubernetes.kubeAPIServer ?? {}
  const { issuer = `https://${apiHost(garden)}`, acceptedIssuers = [] } = serviceAccountConfig
  return [...new Set([issuer, ...acceptedIssuers])]
}

export const discoveryHost = ({ spec }: GardenFields): string => {
  const { ingress } = spec.runtimeCluster
  const given = spec.virtualCluster.gardener.gardenerDiscoveryServer?.domain?.name
  return given ?? `discovery.${ingress.domains?.[0]?.name ?? ingress.domain ?? ''}`
}

/** The issuer of workload identity tokens. gardener-discovery-server publishes the keys below this address. */
export const workloadIdentityIssuer = (garden: GardenFields): string =>
  `https://${discoveryHost(garden)}/garden/workload-identity/issuer`

/** Without IPv4 addresses of Pods, a runtime cluster has no log storage, because vali does not run there. */
export const keepsLogs = ({ spec }: Pick<Garden, 'spec'>): boolean =>
  !spec.runtimeCluster.networking.pods.some(pods => parseNetwork(pods)?.family === 'IPv6')
