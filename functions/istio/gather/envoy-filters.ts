// Reads users' EnvoyFilters that select the ingress gateway.
import { istioNames } from '../../../shared/api/istio/names.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { reading } from '../../../shared/kube/reading.ts'
import { envoyFilterKind } from '../desired/resources/resource-rows.ts'
import type { EnvoyFiltersFacts } from '../world.ts'
import type { ReaderInput } from './reader-input.ts'

export const readEnvoyFilters = async ({ context: { reads } }: ReaderInput): Promise<EnvoyFiltersFacts> => {
  const keep = (filter: KubeObject) => (isUsersForIngress(filter) ? named(filter) : undefined)
  const query = { ...envoyFilterKind, namespace: istioNames.namespaces.mesh, keep }
  return { forIngress: await reading(reads.list(query)) }
}

/** Keeps only the name, because there may be thousands and messages show one name. */
const named = ({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace },
})

export const isUsersForIngress = (filter: KubeObject): boolean => selectsIngress(filter) && isUsers(filter)

const selectsIngress = ({ spec }: KubeObject): boolean => {
  const labels = mapOrEmpty(mapOrEmpty(mapOrEmpty(spec).workloadSelector).labels)
  return labels.istio === 'ingressgateway' || labels.app === 'istio-ingressgateway'
}

/** EnvoyFilters of Kyma modules (by label) and of RateLimits (by owner) are not users'. */
const isUsers = ({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): boolean =>
  !Object.hasOwn(labels, istioNames.labels.module) && !ownerReferences.some(({ kind }) => kind === 'RateLimit')
