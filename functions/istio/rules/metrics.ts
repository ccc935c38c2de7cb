// The metrics of Istios: the state of each Istio, and the features that the oldest Istio uses.
import type { IstioSpec, IstioState } from '../../../shared/api/istio.ts'
import { type Measurement, type Metric, stateMeasurements } from '../../../shared/core/decisions/measurement.ts'

import type { Istio } from '../world.ts'

type Row = { readonly name: string; readonly help: string; readonly measure: (spec: IstioSpec) => number }

const authorizers = ({ config }: IstioSpec) => config?.authorizers ?? []
const oneIf = (is: boolean | undefined): number => (is ? 1 : 0)

const rows: readonly Row[] = [
  { name: 'istio_ext_auth_providers_total', help: 'Number of authorizers', measure: spec => authorizers(spec).length },
  {
    name: 'istio_ext_auth_timeout_configured_number_total',
    help: 'Number of authorizers with a timeout',
    measure: spec => authorizers(spec).filter(({ timeout }) => timeout !== undefined).length,
  },
  {
    name: 'istio_ext_auth_path_prefix_configured_number_total',
    help: 'Number of authorizers with a path prefix',
    measure: spec => authorizers(spec).filter(({ pathPrefix }) => pathPrefix !== undefined).length,
  },
  {
    name: 'istio_num_trusted_proxies_configured',
    help: 'Whether trusted proxies in front of the ingress gateway are configured',
    measure: ({ config }) => oneIf((config?.numTrustedProxies ?? 0) !== 0),
  },
  {
    name: 'istio_prometheus_merge_enabled',
    help: 'Whether sidecars also serve the metrics of their workload',
    measure: ({ config }) => oneIf(config?.telemetry?.metrics?.prometheusMerge),
  },
  {
    name: 'istio_compatibility_mode_enabled',
    help: 'Whether the compatibility mode is on',
    measure: ({ compatibilityMode }) => oneIf(compatibilityMode),
  },
  {
    name: 'istio_network_policies_enabled',
    help: 'Whether network policies of the mesh are enabled',
    measure: ({ networkPoliciesEnabled }) => oneIf(networkPoliciesEnabled),
  },
  {
    name: 'istio_trust_domain_configured',
    help: 'Whether the trust domain differs from cluster.local',
    measure: ({ config }) => oneIf((config?.trustDomain ?? 'cluster.local') !== 'cluster.local'),
  },
  {
    name: 'istio_egress_gateway_used',
    help: 'Whether the egress gateway is enabled',
    measure: ({ components }) => oneIf(components?.egressGateway?.enabled),
  },
  {
    name: 'istio_dnsproxy_used',
    help: 'Whether sidecars answer DNS queries',
    measure: ({ config }) => oneIf(config?.enableDNSProxying),
  },
]

const xfcc: Metric = {
  name: 'istio_forward_client_cert_details_setting',
  type: 'gauge',
  labels: ['xfcc_setting'],
  help: 'How the ingress gateway handles forwarded client certificates',
}

export const istioFeatureMetrics: readonly Metric[] = [
  ...rows.map(({ name, help }) => ({ name, help, type: 'gauge', labels: [] }) as const),
  xfcc,
  {
    name: 'espalier_istio_state',
    type: 'gauge',
    labels: ['namespace', 'name', 'state'],
    help: 'Whether an Istio is in this state',
  },
]

const states: readonly IstioState[] = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']

export const istioStateSeen = ({ metadata: { namespace = '', name }, status }: Istio): Measurement[] =>
  stateMeasurements('espalier_istio_state', { states, now: status?.state, labels: { namespace, name } })

export const istioFeatures = (spec: IstioSpec): Measurement[] => {
  const setting = spec.config?.forwardClientCertDetails
  const shown = rows.map(({ name, measure }) => ({ metric: name, set: measure(spec) }))
  return setting === undefined ? shown : [...shown, { metric: xfcc.name, labels: { xfcc_setting: setting }, set: 1 }]
}
