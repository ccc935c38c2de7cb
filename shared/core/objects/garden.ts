// A Garden as the API server gives it, as several functions look at it.
import type { GardenFields } from '../../api/garden.ts'
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
