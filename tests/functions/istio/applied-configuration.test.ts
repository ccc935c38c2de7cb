// The annotation of the last applied configuration: byte for byte what Go writes, and what of it is saved when.
import t from 'tap'
import {
  appliedConfiguration,
  appliedText,
  fieldsInForce,
  textWithFields,
} from '../../../functions/istio/rules/applied-configuration.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { IstioSpec } from '../../../shared/api/istio.ts'
import { istio } from '../../make/istio/istio.ts'

const tag = '1.30.2'
const textOf = (spec: unknown): string => appliedText({ spec: spec as IstioSpec, tag })
const { lastApplied } = istioNames.annotations

t.test('the configuration in force is saved in the JSON that Go writes', async t => {
  const wanted = '{"config":{"telemetry":{"metrics":{}}},"IstioTag":"1.30.2"}'
  t.equal(textOf({}), wanted, 'of nothing')
  t.equal(
    textOf({ compatibilityMode: false, networkPoliciesEnabled: false }),
    wanted,
    'false is as good as unset there',
  )
  const authorizers = [{ timeout: '1500ms', pathPrefix: '/a&b', port: 80, name: 'x' }]
  t.equal(
    textOf({ config: { proxyStatsMatcher: { inclusionRegexps: [] }, authorizers } }),
    '{"config":{"authorizers":[{"name":"x","service":"","port":80,"pathPrefix":"/a\\u0026b","timeout":"1.5s"}],"telemetry":{"metrics":{}},"proxyStatsMatcher":{}},"IstioTag":"1.30.2"}',
    'the vector',
  )
})

const within = (path: string, spec: unknown, expected: string): void => {
  t.test(path, async t => {
    t.equal(textOf(spec), expected)
    const annotations = { [lastApplied]: expected }
    const read = appliedConfiguration(istio({ metadata: { annotations } }))
    t.equal('read' in read && read.read && appliedText(read.read), expected, 'and read again')
  })
}

const tail = '"IstioTag":"1.30.2"}'
const empty = '"config":{"telemetry":{"metrics":{}}}'

within(
  'config in the order of the fields, maps sorted, durations as Go prints them',
  {
    config: {
      enableDNSProxying: false,
      trustDomain: 'a<b>',
      telemetry: { metrics: { prometheusMerge: true } },
      gatewayExternalTrafficPolicy: 'Local',
      forwardClientCertDetails: 'SANITIZE',
      numTrustedProxies: 0,
      authorizers: [
        {
          name: 'a',
          port: 1,
          timeout: '90s',
          pathPrefix: '',
          service: 's\u2028',
          headers: {
            toDownstream: { onDeny: ['d'], onAllow: [] },
            toUpstream: {},
            inCheck: { add: { b: '2', a: '1' }, include: ['i'] },
          },
        },
      ],
      proxyStatsMatcher: { inclusionRegexps: ['a.*', 'b'] },
    },
  },
  `{"config":{"numTrustedProxies":0,"forwardClientCertDetails":"SANITIZE","authorizers":[{"name":"a","service":"s\\u2028","port":1,"headers":{"inCheck":{"include":["i"],"add":{"a":"1","b":"2"}},"toUpstream":{},"toDownstream":{"onDeny":["d"]}},"pathPrefix":"","timeout":"1m30s"}],"gatewayExternalTrafficPolicy":"Local","telemetry":{"metrics":{"prometheusMerge":true}},"trustDomain":"a\\u003cb\\u003e","enableDNSProxying":false,"proxyStatsMatcher":{"inclusionRegexps":["a.*","b"]}},${tail}`,
)

within(
  'components: null where Go has no omitempty',
  {
    components: {
      egressGateway: { enabled: false },
      proxy: { k8s: { resources: { requests: { memory: '1Mi', cpu: '1m' }, limits: {} } } },
      ingressGateway: { k8s: {} },
      pilot: {
        k8s: {
          strategy: { rollingUpdate: { maxSurge: '25%' } },
          hpaSpec: { minReplicas: 0, maxReplicas: 3 },
          resources: { limits: { cpu: '1' } },
        },
      },
    },
  },
  `{${empty},"components":{"pilot":{"k8s":{"hpaSpec":{"maxReplicas":3,"minReplicas":0},"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":null}},"resources":{"limits":{"cpu":"1"}}}},"ingressGateway":{"k8s":{}},"proxy":{"k8s":{"resources":{"limits":{},"requests":{"cpu":"1m","memory":"1Mi"}}}},"egressGateway":{"k8s":null,"enabled":false}},${tail}`,
)

const terms = [
  {
    weight: 1,
    podAffinityTerm: { topologyKey: 'zone', namespaces: ['n'], labelSelector: { matchLabels: { z: '1', b: '2' } } },
  },
]
const nodeSelectorTerms = [{ matchExpressions: [{ values: ['v'], operator: 'In', key: 'k' }], matchFields: [] }]

within(
  'affinity in the order of core/v1',
  {
    components: {
      cni: {
        k8s: {
          resources: {},
          affinity: {
            podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms },
            podAffinity: {},
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
          },
        },
      },
    },
  },
  `{${empty},"components":{"cni":{"k8s":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]}]}},"podAffinity":{},"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"podAffinityTerm":{"labelSelector":{"matchLabels":{"b":"2","z":"1"}},"namespaces":["n"],"topologyKey":"zone"}}]}},"resources":{}}}},${tail}`,
)

within(
  'experimental features of pilot are always there together',
  { experimental: { enableAmbient: true }, compatibilityMode: true, networkPoliciesEnabled: true },
  `{${empty},"experimental":{"pilot":{"enableAlphaGatewayAPI":false,"enableMultiNetworkDiscoverGatewayAPI":false},"enableAmbient":true},"compatibilityMode":true,"networkPoliciesEnabled":true,${tail}`,
)

t.test('a field is saved when a part says that it is in force and none denies it', async t => {
  t.strictSame(fieldsInForce([]), [])
  t.strictSame(fieldsInForce([{ version: true, trustDomain: false }, { compatibilityMode: true }]), [
    ...['version', 'compatibilityMode'],
  ])
  t.strictSame(fieldsInForce([{ proxyStatsMatcher: true }, { proxyStatsMatcher: false }]), [])
  const before = { spec: { config: { trustDomain: 'old', numTrustedProxies: 1 } }, tag: '1.29.5' }
  const wanted = { spec: { config: { trustDomain: 'new' }, compatibilityMode: true }, tag }
  const fields = ['version', 'numTrustedProxies', 'compatibilityMode'] as const
  t.equal(
    textWithFields(before, wanted, fields),
    `{"config":{"telemetry":{"metrics":{}},"trustDomain":"old"},"compatibilityMode":true,${tail}`,
    'these follow, the others stay',
  )
  t.equal(textWithFields(undefined, wanted, ['version']), `{${empty},${tail}`)
})
