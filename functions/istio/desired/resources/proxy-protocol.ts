// The ingress gateway learns from the load balancer before it who the client is.
import { envoyFilterRef } from './envoy-filter.ts'
import { resourceMetadata } from './resource-metadata.ts'
import type { ResourceRow } from './resource-row.ts'

const ref = envoyFilterRef('proxy-protocol')

export const proxyProtocol: ResourceRow = {
  ref,
  when: ({ needsProxyProtocol }) => needsProxyProtocol,
  object: facts => ({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: resourceMetadata(ref, facts),
    spec: {
      workloadSelector: { labels: { istio: 'ingressgateway' } },
      configPatches: [{ applyTo: 'LISTENER_FILTER', patch: { operation: 'INSERT_FIRST', value: listenerFilter } }],
    },
  }),
}

const listenerFilter = {
  name: 'proxy_protocol',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol',
  },
}
