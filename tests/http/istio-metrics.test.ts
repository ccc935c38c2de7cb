// What a scraper sees of the Istio that counts: it is read from the cluster, so every replica of the host shows the same.
import { join } from 'node:path'
import t from 'tap'
import { istio as istioFunction } from '../../functions/istio/index.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { istio } from '../make/istio/istio.ts'
import { testHost } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'

const landscape = readLandscape(join(import.meta.dirname, '../../serverless.yml'))

/** What one replica shows, by name and labels. */
const shownOf = async (...istios: Parameters<typeof istio>[0][]): Promise<Record<string, string>> => {
  const cluster = new MemoryCluster(istios.map(istio))
  const host = testHost({ functions: [istioFunction], landscape, context: hostContext(landscape, cluster) }, cluster)
  const { body } = await host.functions.inject('/metrics')
  const lines = body.split('\n').filter(line => line.startsWith('istio_'))
  return Object.fromEntries(lines.map(line => line.split(' ') as [string, string]))
}

const nothing = {
  istio_ext_auth_providers_total: '0',
  istio_ext_auth_timeout_configured_number_total: '0',
  istio_ext_auth_path_prefix_configured_number_total: '0',
  istio_num_trusted_proxies_configured: '0',
  istio_prometheus_merge_enabled: '0',
  istio_compatibility_mode_enabled: '0',
  istio_network_policies_enabled: '0',
  istio_trust_domain_configured: '0',
  istio_egress_gateway_used: '0',
  istio_dnsproxy_used: '0',
}

const authorizers = [
  { name: 'a', port: 80, timeout: '1s', pathPrefix: '/' },
  { name: 'b', port: 80, timeout: '1s' },
  { name: 'c', port: 80 },
]

t.test('IS-91 the metrics show which features the Istio uses', async t => {
  t.strictSame(await shownOf(), {}, 'nothing without an Istio')
  t.strictSame(await shownOf({}), nothing)
  t.strictSame(await shownOf({ spec: { config: { numTrustedProxies: 0, trustDomain: 'cluster.local' } } }), nothing)
  const config = {
    authorizers,
    numTrustedProxies: 2,
    telemetry: { metrics: { prometheusMerge: true } },
    ...({ forwardClientCertDetails: 'SANITIZE', trustDomain: 'other', enableDNSProxying: true } as const),
  }
  const components = { egressGateway: { enabled: true } }
  const chosen = { spec: { config, components, compatibilityMode: true, networkPoliciesEnabled: true } }
  const all = {
    ...Object.fromEntries(Object.keys(nothing).map(name => [name, '1'])),
    istio_ext_auth_providers_total: '3',
    istio_ext_auth_timeout_configured_number_total: '2',
    'istio_forward_client_cert_details_setting{xfcc_setting="SANITIZE"}': '1',
  }
  t.strictSame(await shownOf(chosen), all)
  const younger = { metadata: { name: 'younger', creationTimestamp: '2026-01-01T00:00:01Z' }, ...chosen }
  t.strictSame(await shownOf({}, younger), nothing, 'the oldest counts')
})
