// Makes Envoy accept requests whose Referer header is no complete URL, which some browsers send. It is part of Envoy's bootstrap, so
// running proxies need a restart to use it.
import { envoyFilterRef } from './envoy-filter.ts'
import { resourceMetadata } from './resource-metadata.ts'
import type { ResourceRow } from './resource-row.ts'

const ref = envoyFilterRef('kyma-referer')

export const kymaReferer: ResourceRow = {
  ref,
  when: () => true,
  object: facts => ({
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: resourceMetadata(ref, facts),
    spec: { configPatches: [{ applyTo: 'BOOTSTRAP', patch: { operation: 'MERGE', value: bootstrap } }] },
  }),
  predicates: ['ingressGateway', 'sidecars'],
}

const bootstrap = {
  layered_runtime: {
    layers: [
      {
        name: 'kyma_referer',
        static_layer: { 'envoy.reloadable_features.http_allow_partial_urls_in_referer': false },
      },
    ],
  },
}
