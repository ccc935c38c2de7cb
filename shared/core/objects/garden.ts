// A Garden as the API server gives it, as several functions look at it.
import type { GardenFields } from '../../api/garden.ts'
import { parseNetwork } from '../network/cidr.ts'
import type { KubeObject } from './object.ts'

export type Garden = KubeObject & GardenFields

/** Of the virtual garden; the first one counts where only one can. */
export const virtualDomains = ({ spec }: GardenFields): readonly string[] => {
  const { domains, domain } = spec.virtualCluster.dns
  return domains?.map(({ name }) => name) ?? (domain === undefined ? [] : [domain])
}

/** `api.<first domain>` */
export const apiHost = (garden: GardenFields): string => `api.${virtualDomains(garden)[0] ?? ''}`

/** The one that signs first. The server refuses to start with one that comes twice, such as the default among those accepted. */
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

/** Of the tokens of workload identities: gardener-discovery-server publishes their keys below this address. */
export const workloadIdentityIssuer = (garden: GardenFields): string =>
  `https://${discoveryHost(garden)}/garden/workload-identity/issuer`

/** vali cannot run where Pods have IPv6 addresses, so nothing keeps the logs of such a runtime cluster. */
export const keepsLogs = ({ spec }: Pick<Garden, 'spec'>): boolean =>
  !spec.runtimeCluster.networking.pods.some(pods => parseNetwork(pods)?.family === 'IPv6')
