// All mesh resources, in order of application.
import { meshPolicies } from './network-policies.ts'
import { type ResourceRow, resourceRow } from './resource-row.ts'
import { verticalPodAutoscalers } from './vertical-pod-autoscalers.ts'

/** Pods of the mesh accept only mTLS, unless a user's PeerAuthentication permits plain text in a namespace. */
const peerAuthentication = resourceRow({
  kind: { apiVersion: 'security.istio.io/v1', kind: 'PeerAuthentication' },
  name: 'default',
  when: () => true,
  spec: () => ({ mtls: { mode: 'STRICT' } }),
})

export const envoyFilterKind = { apiVersion: 'networking.istio.io/v1alpha3', kind: 'EnvoyFilter' } as const

const proxyProtocolFilter = {
  name: 'proxy_protocol',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
  },
}

/** Lets the ingress gateway read the client's address from the load balancer. */
const proxyProtocol = resourceRow({
  kind: envoyFilterKind,
  name: 'proxy-protocol',
  when: ({ needsProxyProtocol }) => needsProxyProtocol,
  spec: () => ({
    workloadSelector: { labels: { istio: 'ingressgateway' } },
    configPatches: [{ applyTo: 'LISTENER_FILTER', patch: { operation: 'INSERT_FIRST', value: proxyProtocolFilter } }],
  }),
})

export const resourceRows: readonly ResourceRow[] = [
  peerAuthentication,
  proxyProtocol,
  ...meshPolicies,
  ...verticalPodAutoscalers,
]
