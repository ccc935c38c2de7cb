// What the API server takes and refuses of Istios, and in which words.
import t from 'tap'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { matches } from '../../harness/matches.ts'
import { withValue } from '../../make/field.ts'

const { api, namespace } = await anyCluster(t)
const path = `/apis/operator.kyma-project.io/v1alpha2/namespaces/${namespace}/istios`
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

await api.call('POST', definitions, { body: istioCrd() })
await api.served(path)

const named = (name: string, fields: object = {}) => ({
  apiVersion: 'operator.kyma-project.io/v1alpha2',
  kind: 'Istio',
  metadata: { name },
  ...fields,
})

t.test(
  'IS-01 the kind has its names, categories and column; a status needs a state and keeps what is ours',
  async t => {
    const { body } = await api.call('GET', `${definitions}/istios.operator.kyma-project.io`)
    const { spec } = body as { spec: { names: object; scope: string; versions: object[] } }
    matches(t, spec, {
      names: {
        kind: 'Istio',
        listKind: 'IstioList',
        plural: 'istios',
        singular: 'istio',
        categories: ['kyma-modules', 'kyma-istio'],
      },
      scope: 'Namespaced',
      versions: [{ name: 'v1alpha2', additionalPrinterColumns: [{ name: 'State', jsonPath: '.status.state' }] }],
    })
    t.equal((await api.call('POST', path, { body: named('told') })).status, 201, 'without a spec')
    const status = (body: object) =>
      api.call('PATCH', `${path}/told/status`, { body, contentType: 'application/merge-patch+json' })
    matches(t, await status({ status: { description: 'no state' } }), { status: 422 })
    matches(t, await status({ status: { state: 'Ready' } }), { status: 200 })
    const ours = {
      observedGeneration: 3,
      installation: { version: '1.30.2', charts: 'fallback', processingSince: '2026-01-02T03:04:05Z', state: 'Ready' },
      inventory: [{ kind: 'Deployment', name: 'istiod', digest: 'abc' }],
      restarts: [{ target: 'sidecars', digest: 'abc', since: '2026-01-02T03:04:05Z' }],
    }
    matches(t, await status({ status: ours }), { status: 200 })
    matches(t, await status({ status: { state: 'Warning', description: 'what: cause' } }), {
      status: 200,
      body: { status: { ...ours, state: 'Warning', description: 'what: cause' } },
    })
  },
)

/** At the limit of what each rule takes. */
const taken: Readonly<Record<string, readonly unknown[]>> = {
  'spec.config.numTrustedProxies': [0, 4_294_967_295],
  'spec.config.forwardClientCertDetails': [
    ...['APPEND_FORWARD', 'SANITIZE_SET', 'SANITIZE', 'ALWAYS_FORWARD_ONLY', 'FORWARD_ONLY'],
  ],
  'spec.config.gatewayExternalTrafficPolicy': ['Local', 'Cluster'],
  'spec.config.trustDomain': ['a', 'cluster.local', `${'a'.repeat(126)}.${'b'.repeat(128)}`, 'a_-9.b-'],
  'spec.config.authorizers': [
    [{ name: 'a', port: 80 }],
    [
      {
        name: 'a',
        port: 80,
        service: 'ns/a',
        pathPrefix: '/',
        timeout: '1.5s',
        headers: {
          inCheck: { include: ['x'], add: { b: 'c' } },
          toUpstream: { onAllow: ['y'] },
          toDownstream: { onAllow: ['y'], onDeny: ['z'] },
        },
      },
    ],
  ],
  'spec.config.telemetry.metrics.prometheusMerge': [true, false],
  'spec.config.enableDNSProxying': [true],
  'spec.config.proxyStatsMatcher.inclusionRegexps': [['[a'], []],
  'spec.components.pilot.k8s.hpaSpec': [{ minReplicas: 0, maxReplicas: 2_147_483_647 }],
  'spec.components.ingressGateway.k8s.strategy.rollingUpdate.maxSurge': [0, 2_147_483_647, '25%', '3', '200%'],
  'spec.components.ingressGateway.k8s.strategy.rollingUpdate.maxUnavailable': [0, '100%', '99%', '12'],
  'spec.components.proxy.k8s.resources.limits.cpu': ['0', '100m', '1.125', '12'],
  'spec.components.proxy.k8s.resources.requests.memory': ['0', '128Mi', '1.5G', '1e3', '5m'],
  'spec.components.cni.k8s.affinity': [
    {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
        },
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, podAffinityTerm: { topologyKey: 'host', labelSelector: { matchLabels: { a: 'b' } } } },
        ],
      },
    },
  ],
  'spec.components.egressGateway': [{ enabled: true }, { k8s: {} }, {}],
  'spec.experimental': [{ pilot: { enableAlphaGatewayAPI: true, enableMultiNetworkDiscoverGatewayAPI: false } }],
  'spec.experimental.enableAmbient': [true],
  'spec.compatibilityMode': [true],
  'spec.networkPoliciesEnabled': [false],
}

t.test('IS-02 what a rule takes at its limits is accepted unchanged', async t => {
  for (const [field, values] of Object.entries(taken))
    for (const [at, value] of values.entries()) {
      const object = withValue(named(`taken-${at}-${field.toLowerCase().slice(5)}`) as KubeObject, field, value)
      const { status, body, text } = await api.call('POST', path, { body: object })
      t.equal(status, 201, `${field} ${JSON.stringify(value)}: ${text}`)
      t.strictSame((body as KubeObject).spec, object.spec, `${field} is stored as it came`)
    }
})

/** Just beyond of what each rule takes. */
const refused: Readonly<Record<string, readonly unknown[]>> = {
  'spec.config.numTrustedProxies': [-1, 4_294_967_296, '1'],
  'spec.config.forwardClientCertDetails': ['FORWARD', ''],
  'spec.config.gatewayExternalTrafficPolicy': ['local'],
  'spec.config.trustDomain': ['', 'A', 'a'.repeat(256), 'a/b'],
  'spec.config.authorizers[0].name': [undefined],
  'spec.config.authorizers[0].port': [undefined, 2_147_483_648],
  'spec.config.proxyStatsMatcher.inclusionRegexps': ['a'],
  'spec.components.pilot.k8s': [undefined],
  'spec.components.ingressGateway.k8s': [undefined],
  'spec.components.cni.k8s': [undefined],
  'spec.components.proxy.k8s': [undefined],
  'spec.components.pilot.k8s.hpaSpec.minReplicas': [-1, 2_147_483_648],
  'spec.components.pilot.k8s.strategy.rollingUpdate': [undefined],
  'spec.components.pilot.k8s.strategy.rollingUpdate.maxSurge': [-1, '', 'a', '1.5', '-1%'],
  'spec.components.pilot.k8s.strategy.rollingUpdate.maxUnavailable': [-1, '', '101%', '1.5'],
  'spec.components.proxy.k8s.resources.limits.cpu': ['1.1234', '10.5', '100k', '-1'],
  'spec.components.proxy.k8s.resources.requests.memory': ['1g', '-1', '1.Gi', '1e', '1.5e3'],
}

t.test('IS-02 what is just outside of a rule is refused, and the message names the field', async t => {
  const begun = { name: 'a', port: 80 }
  for (const [field, values] of Object.entries(refused))
    for (const value of values) {
      const parts = field.includes('authorizers')
        ? withValue(named('refused'), 'spec.config.authorizers', [begun])
        : named('refused')
      const { status, text, body } = await api.call('POST', path, { body: withValue(parts, field, value) })
      t.equal(status, 422, `${field} ${JSON.stringify(value)}: ${text}`)
      t.ok((body as { message?: string }).message?.includes(field), `${field}: ${text}`)
    }
  matches(t, await api.call('POST', path, { body: named('refused', { spec: { components: { proxy: {} } } }) }), {
    status: 422,
    body: { message: /spec\.components\.proxy\.k8s: Required value/ },
  })
})
