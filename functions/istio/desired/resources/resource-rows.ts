// All mesh resources, in order of application.
import { istioNames } from '../../../../shared/api/istio/names.ts'
import { meshPolicies } from './network-policies.ts'
import { resourceMetadata } from './resource-metadata.ts'
import type { ResourceRow } from './resource-row.ts'
import { verticalPodAutoscalers } from './vertical-pod-autoscalers.ts'

const namespace = istioNames.namespaces.mesh

type Described = Pick<ResourceRow, 'when'> & {
  readonly kind: { readonly apiVersion: string; readonly kind: string }
  readonly name: string
  readonly spec: object
}

const meshRow = ({ kind, name, when, spec }: Described): ResourceRow => {
  const ref = { ...kind, namespace, name }
  return { ref, when, object: facts => ({ ...kind, metadata: resourceMetadata(ref, facts), spec }) }
}

/** Pods of the mesh accept only mTLS, unless a user's PeerAuthentication differs for a namespace. */
const peerAuthentication = meshRow({
  kind: { apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' },
  name: 'default',
  when: () => true,
  spec: { mtls: { mode: 'STRICT' } },
})

export const envoyFilterKind = { apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' } as const

const proxyProtocolFilter = {
  name: 'proxy_protocol',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
  },
}

/** Lets the ingress gateway read the client's address from the load balancer. */
const proxyProtocol = meshRow({
  kind: envoyFilterKind,
  name: 'proxy-protocol',
  when: ({ needsProxyProtocol }) => needsProxyProtocol,
  spec: {
    workloadSelector: { labels: { istio: 'ingressgateway' } },
    configPatches: [{ applyTo: 'LISTENER_FILTER', patch: { operation: 'INSERT_FIRST', value: proxyProtocolFilter } }],
  },
})

export const resourceRows: readonly ResourceRow[] = [
  peerAuthentication,
  proxyProtocol,
  ...meshPolicies,
  ...verticalPodAutoscalers,
]
