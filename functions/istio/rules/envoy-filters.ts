// Which EnvoyFilters of istio-system may break the ingress gateway: users' EnvoyFilters that select it.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'

export const isUsersForIngress = (filter: KubeObject): boolean => selectsIngress(filter) && isUsers(filter)

const selectsIngress = ({ spec }: KubeObject): boolean => {
  const labels = mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).workloadSelector).labels)
  return labels.istio === 'ingressgateway' || labels.app === 'istio-ingressgateway'
}

/** EnvoyFilters of Kyma modules (recognized by label) and of RateLimits (recognized by owner) do not belong to users. */
const isUsers = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): boolean =>
  !Object.hasOwn(labels, istioNames.labels.module) && !ownerReferences.some(({ kind }) => kind === 'RateLimit')
