// From an Istio and its cluster to the IstioOperator: profiles, the table of the Istio's fields, features, images, providers.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { chartsOf } from '../../../functions/istio/desired/desired-chart.ts'
import { istioOperatorIn } from '../../../functions/istio/desired/istio-operator.ts'
import { type OperatorInput, wantedOperator } from '../../../functions/istio/desired/wanted-operator.ts'
import { readCluster } from '../../../functions/istio/gather/cluster.ts'
import { istioProfiles } from '../../../functions/istio/io/files.ts'
import {
  featuresOf,
  needsProxyProtocol,
  profileNameFor,
  providerOf,
} from '../../../functions/istio/rules/cluster-facts.ts'
import { valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { type JsonMap, mapOrEmpty, mapsIn } from '../../../shared/core/json/json.ts'
import { mergePatched } from '../../../shared/core/json/merge-patch.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { durationNanos } from '../../../shared/core/time/duration.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import { matches, throws } from '../../harness/matches.ts'
import { patchedChart } from '../../make/istio/istio-charts.ts'
import {
  chartFor,
  cluster,
  consequences,
  node,
  objectsFor,
  operatorFor,
  profiles,
  valuesFor,
} from '../../make/istio/istio-operator.ts'
import { rowCases } from './operator-cases.ts'

const at = (value: unknown, path: string): unknown => {
  const [field = '', ...rest] = path.split('/')
  const inner = Array.isArray(value) ? value[Number(field)] : valueAt(value, field)
  return rest.length === 0 ? inner : at(inner, rest.join('/'))
}

t.test('IS-20 the capacity of all nodes together chooses the profile', async t => {
  const of = (...sizes: [cpu: string, memory: string][]) =>
    profileNameFor(sizes.map(([cpu, memory]) => node({ cpu, memory })))
  t.equal(of(['64', '9900000000']), 'evaluation')
  t.equal(of(['4.999', '1Ti']), 'evaluation')
  t.equal(of(['4999m', '1Ti']), 'evaluation')
  t.equal(of(['1', '10000000000'], ['1.5', '0'], ['2.5', '0']), 'production')
  t.equal(of(['1', '0'], ['1500m', '5G'], ['2.5', '5e9']), 'production')
  t.equal(
    of(...Array.from({ length: 50 }, (): [string, string] => ['100m', '200M'])),
    'production',
    'nothing is rounded',
  )
  t.equal(of(['5', '9999999999']), 'evaluation')
  t.equal(of(), 'evaluation', 'a cluster without nodes')
  t.equal(
    of(['8', '1Gi'], ['', 'much'], ['-1'.repeat(40), '9'.repeat(100_000)]),
    'evaluation',
    'nonsense counts nothing',
  )
})

const claims = (requests: string, limits: string) => {
  const of = (pair: string) => ({ cpu: pair.split(',')[0], memory: pair.split(',')[1] })
  return { requests: of(requests), limits: of(limits) }
}

const cpuMetrics = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
]

const topologyKeys = { host: 'kubernetes.io/hostname', zone: 'topology.kubernetes.io/zone' }

/** Pods keep away from others of their kind, if they can. */
const apart = (app: string, ...from: (keyof typeof topologyKeys)[]) => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: from.map(of => ({
      weight: 100,
      podAffinityTerm: {
        topologyKey: topologyKeys[of],
        labelSelector: { matchLabels: { [app === 'istio-cni-node' ? 'k8s-app' : 'app']: app } },
      },
    })),
  },
})

/** Each row of the table of profiles: where it stands in the spec, in production, in the evaluation. */
const profileRows: readonly [path: string, production: unknown, evaluation: unknown][] = [
  ['components/pilot/k8s/resources', claims('100m,512Mi', '4000m,2Gi'), claims('50m,128Mi', '1000m,1024Mi')],
  ['components/cni/k8s/resources', claims('100m,512Mi', '500m,1024Mi'), claims('10m,128Mi', '250m,384Mi')],
  [
    'components/ingressGateways/0/k8s/resources',
    claims('100m,128Mi', '2000m,1024Mi'),
    claims('10m,32Mi', '1000m,1024Mi'),
  ],
  [
    'components/egressGateways/0/k8s/resources',
    claims('100m,128Mi', '2000m,1024Mi'),
    claims('10m,32Mi', '1000m,1024Mi'),
  ],
  ['values/global/proxy/resources', claims('10m,192Mi', '1000m,1024Mi'), claims('10m,32Mi', '250m,254Mi')],
  ['components/pilot/k8s/hpaSpec', { minReplicas: 3, maxReplicas: 15 }, { minReplicas: 1, maxReplicas: 1 }],
  [
    'components/ingressGateways/0/k8s/hpaSpec',
    { minReplicas: 3, maxReplicas: 15, metrics: cpuMetrics },
    { minReplicas: 1, maxReplicas: 1 },
  ],
  [
    'components/egressGateways/0/k8s/hpaSpec',
    { minReplicas: 3, maxReplicas: 15, metrics: cpuMetrics },
    { minReplicas: 1, maxReplicas: 10 },
  ],
  ['components/pilot/k8s/affinity', apart('istiod', 'host', 'zone'), apart('istiod', 'host')],
  ['components/cni/k8s/affinity', apart('istio-cni-node', 'host'), apart('istio-cni-node', 'host')],
  [
    'components/ingressGateways/0/k8s/affinity',
    apart('istio-ingressgateway', 'host', 'zone'),
    apart('istio-ingressgateway', 'host'),
  ],
  ['components/egressGateways/0/k8s/affinity', apart('istio-egressgateway', 'host', 'zone'), undefined],
  ['components/ingressGateways/0/k8s/podDisruptionBudget', { maxUnavailable: 1 }, undefined],
  ['values/global/defaultPodDisruptionBudget', { enabled: true }, { enabled: false }],
  [
    'components/ingressGateways/0/k8s/overlays',
    [
      {
        kind: 'Deployment',
        name: 'istio-ingressgateway',
        patches: [
          {
            path: 'spec.template.spec.topologySpreadConstraints',
            value: (['host', 'zone'] as const).map(of => ({
              topologyKey: topologyKeys[of],
              maxSkew: 1,
              whenUnsatisfiable: 'ScheduleAnyway',
              labelSelector: { matchLabels: { app: 'istio-ingressgateway' } },
            })),
          },
        ],
      },
    ],
    undefined,
  ],
]

const disclaimer =
  'DO NOT EDIT - This resource is managed by Kyma.\nAny modifications are discarded and the resource is reverted to the original state.'
const isDisclaimed = { 'istios.operator.kyma-project.io/managed-by-disclaimer': disclaimer }
const eviction = { 'sidecar.istio.io/statsEvictionInterval': '6h' }
const nobody = { runAsUser: 65534, runAsGroup: 65534, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }

/** What both have. */
const sharedRows: readonly [path: string, value: unknown][] = [
  ['hub', 'europe-docker.pkg.dev/kyma-project/prod/external/istio'],
  ['tag', '1.30.2-distroless'],
  ['components/pilot/enabled', true],
  ['components/cni/enabled', true],
  ['components/ingressGateways/0/enabled', true],
  ['components/egressGateways/0/enabled', false],
  ['values/gateways/istio-ingressgateway/type', 'LoadBalancer'],
  ['values/gateways/istio-egressgateway/type', 'ClusterIP'],
  ['components/ingressGateways/0/k8s/strategy', { rollingUpdate: { maxSurge: '100%', maxUnavailable: 0 } }],
  ['components/pilot/k8s/securityContext', nobody],
  ['components/ingressGateways/0/k8s/securityContext', nobody],
  [
    'components/pilot/k8s/env',
    [
      { name: 'PILOT_HTTP10', value: '1' },
      { name: 'CITADEL_SELF_SIGNED_CA_RSA_KEY_SIZE', value: '4096' },
    ],
  ],
  [
    'components/pilot/k8s/serviceAnnotations',
    { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '15014', ...isDisclaimed },
  ],
  ['components/pilot/k8s/podAnnotations', isDisclaimed],
  ['components/ingressGateways/0/k8s/serviceAnnotations', isDisclaimed],
  ['components/ingressGateways/0/k8s/podAnnotations', { ...isDisclaimed, ...eviction }],
  ['values/sidecarInjectorWebhook/injectedAnnotations', eviction],
  ['values/global/priorityClassName', 'istio-kyma-priority'],
  ['values/global/logging/level', 'all:warn'],
  ['values/global/proxy/seccompProfile', { type: 'RuntimeDefault' }],
  ['values/global/proxy/readinessInitialDelaySeconds', 5],
  ['values/global/proxy/readinessFailureThreshold', 14],
  ['values/global/proxy_init/resources', claims('10m,10Mi', '100m,50Mi')],
  ['meshConfig/trustDomain', 'cluster.local'],
  ['meshConfig/enableTracing', false],
  ['meshConfig/defaultProviders', { metrics: ['prometheus'], tracing: [] }],
  [
    'meshConfig/defaultConfig',
    {
      holdApplicationUntilProxyStarts: true,
      statsCompression: false,
      tracingServiceName: 'CANONICAL_NAME_ONLY',
      proxyMetadata: {
        BOOTSTRAP_XDS_AGENT: 'true',
        WORKLOAD_RSA_KEY_SIZE: '3072',
        CITADEL_SELF_SIGNED_CA_RSA_KEY_SIZE: '4096',
      },
    },
  ],
]

t.test('IS-21 both IstioOperators have what the table of profiles says', async t => {
  for (const [path, production, evaluation] of profileRows) {
    t.strictSame(at(profiles.production.spec, path), production, `production: ${path}`)
    t.strictSame(at(profiles.evaluation.spec, path), evaluation, `evaluation: ${path}`)
  }
  for (const [path, value] of sharedRows)
    for (const { spec } of Object.values(profiles)) t.strictSame(at(spec, path), value, path)
})

/** `a_{b,c}` is `a_b` and `a_c`. */
const spelledOut = (names: string): string[] =>
  names.split(' ').flatMap(name => {
    const [, begin = name, some, end = ''] = /^(.*){(.*)}(.*)$/.exec(name) ?? []
    return some === undefined ? [name] : some.split(',').map(one => begin + one + end)
  })

const capitals = spelledOut(
  'start_time protocol duration route_name response_{code,flags,code_details} bytes_{received,sent} ' +
    'connection_termination_details upstream_{host,cluster,local_address,transport_failure_reason} ' +
    'downstream_{local,remote}_address requested_server_name',
)

const requestHeaders = {
  method: ':METHOD',
  path: 'X-ENVOY-ORIGINAL-PATH?:PATH',
  x_forwarded_for: 'X-FORWARDED-FOR',
  user_agent: 'USER-AGENT',
  request_id: 'X-REQUEST-ID',
  authority: ':AUTHORITY',
  traceparent: 'TRACEPARENT',
  tracestate: 'TRACESTATE',
}

/** In the short spelling of the table: r is request, q the direction. */
const expressions: Readonly<Record<string, string>> = {
  'http.request.size': 'r.total_size',
  'http.request.method': 'r.method',
  'http.request.duration': 'r.duration.getMilliseconds()',
  'http.request.header.x-forwarded-for': 'r.headers[X-FORWARDED-FOR]',
  'http.request.header.x-request-id': 'r.id',
  'http.request.header.referer': 'r.referer',
  'http.response.size': 'response.total_size',
  'http.response.status_code': 'response.code',
  'url.scheme': 'r.scheme',
  'url.path': 'r.url_path',
  'url.query': 'r.query',
  'user_agent.original': 'r.useragent',
  'network.protocol.name': 'r.protocol',
  'server.address': 'r.host',
  'server.port': 'q==1?destination.port:upstream.port',
  'client.address': 'q==1?source.address:upstream.local_address',
  'client.port': 'q==1?source.port:nil',
  'http.direction': 'q==1?"inbound":(q==2?"outbound":nil)',
}

const inFull = (expression: string): string =>
  expression.replace(/^r\./, 'request.').replaceAll('q==', 'xds.listener_direction==')

t.test('IS-21 both IstioOperators have the four extension providers with their access log labels', async t => {
  const jsonLabels = {
    ...Object.fromEntries(capitals.map(name => [name, `%${name.toUpperCase()}%`])),
    ...Object.fromEntries(Object.entries(requestHeaders).map(([name, header]) => [name, `%REQ(${header})%`])),
    upstream_service_time: '%RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)%',
  }
  const kymaLabels = {
    'kyma.module': 'istio',
    ...Object.fromEntries(Object.entries(expressions).map(([name, text]) => [name, `%CEL(${inFull(text)})%`])),
  }
  const text =
    '%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT% - - [%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %BYTES_SENT%'
  const telemetry = (what: string) => ({
    service: `telemetry-otlp-${what}.kyma-system.svc.cluster.local`,
    port: 4317,
  })
  const fileLog = (labels: object) => ({ envoyFileAccessLog: { path: '/dev/stdout', logFormat: { labels } } })
  for (const { spec } of Object.values(profiles))
    t.strictSame(at(spec, 'meshConfig/extensionProviders'), [
      { name: 'kyma-traces', opentelemetry: telemetry('traces') },
      { name: 'envoy', ...fileLog({}) },
      { name: 'stdout-json', ...fileLog(jsonLabels) },
      {
        name: 'kyma-logs',
        envoyOtelAls: { ...telemetry('logs'), logName: 'kyma-logs', logFormat: { text, labels: kymaLabels } },
      },
    ])
})

t.test('IS-21 the charts render what both IstioOperators want', async t => {
  const podOf = (objects: Readonly<Record<string, unknown>>, name: string) => at(objects[name], 'spec/template/spec')
  for (const [name, operator] of Object.entries(profiles)) {
    const isLarge = name === 'production'
    const objects = objectsFor(operator)
    t.strictSame(
      chartsOf(operator).flatMap(desired => patchedChart(desired).missed),
      [],
      `${name}: all patches have their objects`,
    )
    for (const [path, workload, container] of [
      ['components/pilot', 'Deployment istiod', 'discovery'],
      ['components/cni', 'DaemonSet istio-cni-node', 'install-cni'],
      ['components/ingressGateways/0', 'Deployment istio-ingressgateway', 'istio-proxy'],
    ] as const) {
      const pod = podOf(objects, workload)
      const found = mapsIn(at(pod, 'containers')).find(one => one.name === container)
      t.strictSame(found?.resources, at(operator.spec, `${path}/k8s/resources`), `${name}: resources of ${workload}`)
      t.strictSame(at(pod, 'affinity'), at(operator.spec, `${path}/k8s/affinity`), `${name}: affinity of ${workload}`)
      matches(t, found?.image, /:1\.30\.2-distroless$/)
    }
    for (const [path, of] of [
      ['components/pilot', 'istiod'],
      ['components/ingressGateways/0', 'istio-ingressgateway'],
    ] as const) {
      matches(t, at(objects[`HorizontalPodAutoscaler ${of}`], 'spec'), at(operator.spec, `${path}/k8s/hpaSpec`))
      matches(t, at(podOf(objects, `Deployment ${of}`), 'securityContext'), nobody)
      matches(t, at(objects[`Deployment ${of}`], 'spec/template/metadata/annotations'), isDisclaimed)
      matches(t, at(objects[`Service ${of}`], 'metadata/annotations'), isDisclaimed)
      t.equal(at(podOf(objects, `Deployment ${of}`), 'priorityClassName'), 'istio-kyma-priority')
    }
    matches(t, objects['Deployment istiod'], {
      spec: { template: { spec: { containers: (all: unknown) => hasVariable(all, 'PILOT_HTTP10', '1') } } },
    })
    matches(t, at(objects['Service istiod'], 'metadata/annotations'), { 'prometheus.io/port': '15014' })
    matches(t, at(objects['Deployment istio-ingressgateway'], 'spec/template/metadata/annotations'), eviction)
    matches(t, at(objects['Deployment istio-ingressgateway'], 'spec/strategy/rollingUpdate'), {
      maxSurge: '100%',
      maxUnavailable: 0,
    })
    t.equal(at(objects['Service istio-ingressgateway'], 'spec/type'), 'LoadBalancer')
    t.equal(
      Object.keys(objects).some(one => one.endsWith('istio-egressgateway')),
      false,
    )
    const budget = at(objects['PodDisruptionBudget istio-ingressgateway'], 'spec')
    matches(t, budget, isLarge ? { maxUnavailable: 1, minAvailable: undefined } : undefined)
    const spread = mapsIn(at(podOf(objects, 'Deployment istio-ingressgateway'), 'topologySpreadConstraints'))
    t.strictSame(
      spread.map(one => [one.topologyKey, one.maxSkew, one.whenUnsatisfiable]),
      isLarge ? Object.values(topologyKeys).map(key => [key, 1, 'ScheduleAnyway']) : [],
    )
  }
})

const hasVariable = (containers: unknown, name: string, value: string): boolean =>
  mapsIn(containers).some(({ env }) => mapsIn(env).some(one => one.name === name && one.value === value))

t.test('IS-21 another capacity is another profile in the next call', async t => {
  const [large, small] = [cluster(), cluster({ nodes: [node({ cpu: '4' })] })]
  const pilotOf = (of: typeof large) => at(operatorFor({}, { cluster: of }).spec, 'components/pilot/k8s/hpaSpec')
  t.strictSame([large, small, large].map(pilotOf), [
    { minReplicas: 3, maxReplicas: 15 },
    { minReplicas: 1, maxReplicas: 1 },
    { minReplicas: 3, maxReplicas: 15 },
  ])
})

const shipped = readFileSync('manifests/istio/istio-operator.yaml', 'utf8')

t.test('IS-97 each profile is a whole IstioOperator, and a value edited in its file is what is rendered', async t => {
  for (const { metadata, kind } of Object.values(profiles))
    t.strictSame(
      { metadata, kind },
      { metadata: { namespace: 'istio-system', name: 'default-operator' }, kind: 'IstioOperator' },
    )
  const production = istioOperatorIn(shipped.replace('memory: 512Mi', 'memory: 777Mi').replace('all:warn', 'all:debug'))
  const operator = operatorFor({}, { profiles: { ...profiles, production } })
  t.equal(at(valuesFor(operator), 'global/logging/level'), 'all:debug')
  t.equal(at(deployment(operator, 'istiod'), 'resources/requests/memory'), '777Mi')
})

const deployment = (operator: typeof profiles.production, name: string): unknown =>
  at(objectsFor(operator)[`Deployment ${name}`], 'spec/template/spec/containers/0')

t.test('IS-97 a file that is no IstioOperator is refused with a sentence', async t => {
  const faults: [text: string, sentence: string | RegExp][] = [
    ['', 'it contains no IstioOperator of install.istio.io/v1alpha1'],
    ['- a', 'it contains no IstioOperator of install.istio.io/v1alpha1'],
    ['a: [', /^it is not valid YAML: /],
    [shipped.replace('v1alpha1', 'v1alpha2'), 'it contains no IstioOperator of install.istio.io/v1alpha1'],
    [
      shipped.replace('name: default-operator', 'name: other'),
      'its IstioOperator is not istio-system/default-operator',
    ],
    [
      shipped.replace('namespace: istio-system', 'namespace: other'),
      'its IstioOperator is not istio-system/default-operator',
    ],
    [shipped.replace(/^spec:[\s\S]*/m, 'spec: []'), 'spec is not a map'],
    [shipped.replace(/^ {2}tag: .*$/m, '  tag: 1.30'), 'spec.tag is not a text'],
    [shipped.replace(/^ {2}hub: .*$/m, ''), 'spec.hub is not a text'],
    [shipped.replace(/^ {2}values:[\s\S]*/m, ''), 'spec.values is not a map'],
    [shipped.replace(/^ {4}cni:$/m, '    cni: []\n    more:'), 'spec.components.cni is not a component'],
    [shipped.replace(/^ {4}cni:$/m, '    cni: { k8s: [] }\n    more:'), 'spec.components.cni is not a component'],
    [
      shipped.replace(/^ {4}egressGateways:$/m, '    egressGateways: [{}, {}]\n    more:'),
      'spec.components.egressGateways is not a list of at most one gateway',
    ],
  ]
  for (const [text, sentence] of faults) throws(t, () => istioOperatorIn(text), { message: sentence })
})

t.test('IS-97 a profile file that is missing or broken is named; both files must have the same version', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-istio-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const [production, evaluation] = ['istio-operator.yaml', 'istio-operator-light.yaml'].map(name => join(folder, name))
  const write = (file: string | undefined, text: string) => writeFileSync(file ?? '', text)
  const faultNames = (file: string | undefined, part: string) =>
    throws(
      t,
      () => istioProfiles(folder),
      (error: Error) => error.message.startsWith(`${file}: `) && error.message.includes(part),
    )
  faultNames(production, 'ENOENT')
  write(production, shipped)
  faultNames(evaluation, 'ENOENT')
  write(evaluation, 'spec: {}')
  faultNames(evaluation, 'it contains no IstioOperator')
  write(evaluation, shipped.replace('1.30.2-distroless', '1.30.1'))
  faultNames(evaluation, 'its spec.tag differs from')
  write(evaluation, shipped)
  t.strictSame(istioProfiles(folder), { production: profiles.production, evaluation: profiles.production })
})

const goldenFolder = join(import.meta.dirname, 'golden', 'operator')
const golden = (name: string): unknown => parse(readFileSync(join(goldenFolder, `${name}.yaml`), 'utf8'))

const all: JsonMap = Object.values(rowCases).reduce<JsonMap>(
  (spec, one) => mapOrEmpty(mergePatched(spec, one.spec ?? {})),
  {},
)
const allChanges: Partial<OperatorInput> = Object.assign({}, ...Object.values(rowCases).map(({ change }) => change))
const cases = { ...rowCases, 'all together': { spec: all, change: allChanges } }

t.test('IS-22 each field of the table, alone and all together, renders as its golden file', async t => {
  const usual = operatorFor({})
  t.strictSame(
    readdirSync(goldenFolder).sort(),
    Object.keys(cases)
      .map(name => `${name}.yaml`)
      .sort(),
  )
  for (const [name, { spec = {}, change }] of Object.entries(cases))
    t.strictSame(consequences(usual, operatorFor(spec, change)), golden(name), name)
})

t.test('IS-22 a field that is unset, null, empty or off changes nothing', async t => {
  const off: readonly JsonMap[] = [
    {},
    { config: {}, components: {}, experimental: {} },
    { config: { telemetry: { metrics: { prometheusMerge: false } }, authorizers: [], proxyStatsMatcher: {} } },
    { config: { proxyStatsMatcher: { inclusionRegexps: [] }, numTrustedProxies: null, trustDomain: null } },
    {
      components: { pilot: { k8s: {} }, proxy: { k8s: { resources: { limits: {} } } }, cni: { k8s: { affinity: {} } } },
    },
    { components: { pilot: { k8s: { strategy: { rollingUpdate: { maxSurge: null } } } }, egressGateway: {} } },
    { compatibilityMode: false, experimental: { enableAmbient: false, pilot: { enableAlphaGatewayAPI: false } } },
  ]
  for (const { spec } of Object.values(profiles)) t.equal(at(spec, 'meshConfig/enablePrometheusMerge'), false)
  for (const spec of off) t.strictSame(operatorFor(spec), profiles.production, JSON.stringify(spec))
})

t.test('IS-22 an environment variable of the pilot occurs once, with the value that the Istio gives', async t => {
  const path = ['components', 'pilot', 'k8s', 'env']
  const env = [
    { name: 'PILOT_ENABLE_ALPHA_GATEWAY_API', value: 'false' },
    { name: 'OTHER', value: 'kept' },
  ]
  const production = { ...profiles.production, spec: withValueAt(profiles.production.spec, path, env) }
  const spec = { experimental: { pilot: { enableAlphaGatewayAPI: true } } }
  t.strictSame(at(operatorFor(spec, { profiles: { ...profiles, production } }).spec, path.join('/')), [
    { name: 'OTHER', value: 'kept' },
    { name: 'PILOT_ENABLE_ALPHA_GATEWAY_API', value: 'true' },
  ])
})

t.test('IS-22 the number zero is a value and is not left out', async t => {
  const k8s = { strategy: { rollingUpdate: { maxUnavailable: 0 } } }
  const spec = { config: { numTrustedProxies: 0 }, components: { pilot: { k8s } } }
  const { spec: found } = operatorFor(spec)
  t.equal(at(found, 'meshConfig/defaultConfig/gatewayTopology/numTrustedProxies'), 0)
  t.equal(at(found, 'components/pilot/k8s/strategy/rollingUpdate/maxUnavailable'), 0)
})

t.test('IS-22 prometheusMerge is what the Istio says, whatever the profile says', async t => {
  const production = {
    ...profiles.production,
    spec: withValueAt(profiles.production.spec, ['meshConfig', 'enablePrometheusMerge'], true),
  }
  const operator = operatorFor({}, { profiles: { ...profiles, production } })
  t.equal(at(operator.spec, 'meshConfig/enablePrometheusMerge'), false)
})

const providersFor = (authorizers: readonly JsonMap[]): JsonMap[] =>
  mapsIn(at(operatorFor({ config: { authorizers } }).spec, 'meshConfig/extensionProviders'))

t.test('IS-23 authorizers come after the four default providers, in order, with all their headers', async t => {
  const providers = mapsIn(at(operatorFor(rowCases.authorizers?.spec ?? {}).spec, 'meshConfig/extensionProviders'))
  t.strictSame(
    providers.map(({ name }) => name),
    ['kyma-traces', 'envoy', 'stdout-json', 'kyma-logs', 'first', 'second'],
  )
  t.strictSame(providers.at(-1), {
    name: 'second',
    envoyExtAuthzHttp: {
      service: 'auth/second',
      port: 9000,
      includeRequestHeadersInCheck: ['x-b'],
      includeAdditionalHeadersInCheck: { 'x-c': 'd', 'x-e': 'f' },
      headersToUpstreamOnAllow: ['x-g'],
      headersToDownstreamOnAllow: ['x-h'],
      headersToDownstreamOnDeny: ['x-i', 'x-j'],
    },
  })
  t.strictSame(providersFor([{ name: 'bare', port: 1, headers: {} }]).at(-1), {
    name: 'bare',
    envoyExtAuthzHttp: { port: 1 },
  })
})

t.test('IS-24 a timeout is written as protobuf writes durations', async t => {
  const written = (timeout: string) =>
    at(providersFor([{ name: 'a', port: 1, timeout }]).at(-1), 'envoyExtAuthzHttp/timeout')
  const rows: [timeout: string, text: string][] = [
    ...([
      ['250ms', '0.250s'],
      ['1.5s', '1.500s'],
      ['2m', '120s'],
      ['0s', '0s'],
      ['0', '0s'],
    ] as [string, string][]),
    ...([
      ['1h2m3s', '3723s'],
      ['1us', '0.000001s'],
      ['1ns', '0.000000001s'],
      ['+1s', '1s'],
    ] as [string, string][]),
    ...([
      ['2562047h47m16.854775807s', '9223372036.854775807s'],
      ['1.1s', '1.100s'],
    ] as [string, string][]),
  ]
  for (const [timeout, text] of rows) t.equal(written(timeout), text, timeout)
  t.notOk('timeout' in mapOrEmpty(at(providersFor([{ name: 'a', port: 1, timeout: '' }]).at(-1), 'envoyExtAuthzHttp')))
})

t.test(
  'IS-110 sidecars that would request more than their limits are refused, by what the profile says, too',
  async t => {
    const faultOf = (resources: JsonMap) => {
      const spec = { components: { proxy: { k8s: { resources } } } }
      const wanted = wantedOperator({ profiles, cluster: cluster(), installation: {}, spec })
      return 'fault' in wanted ? wanted.fault : undefined
    }
    const fault = 'Could not merge Istio operator configuration: spec.components.proxy.k8s.resources: '
    t.equal(faultOf({ requests: { cpu: '2' } }), `${fault}the cpu request 2 exceeds the limit 1000m`)
    t.equal(
      faultOf({ requests: { cpu: '300m', memory: '2G' }, limits: { cpu: '200m' } }),
      `${fault}the cpu request 300m exceeds the limit 200m; the memory request 2G exceeds the limit 1024Mi`,
    )
    for (const fine of [
      {},
      { requests: { cpu: '1', memory: '1Gi' } },
      { requests: { cpu: '2' }, limits: { cpu: '2000m' } },
    ])
      t.equal(faultOf(fine), undefined, JSON.stringify(fine))
  },
)

/** What is wrong of a spec; undefined: nothing. */
const wrongWith = (spec: JsonMap, nodes = cluster().nodes) => {
  const wanted = wantedOperator({ profiles, cluster: cluster({ nodes }), installation: {}, spec })
  return 'fault' in wanted ? wanted.fault.replace('Could not merge Istio operator configuration: ', '') : undefined
}

t.test('IS-110 a workload that no API server would take is refused before anything is applied', async t => {
  const small = [node({ cpu: '1' })]
  const faultOf = (component: string, k8s: JsonMap, more: JsonMap = {}, nodes?: typeof small) =>
    wrongWith({ components: { [component]: { k8s, ...more } } }, nodes)
  const at = (component: string, field: string, text: string) => `spec.components.${component}.k8s.${field}: ${text}`
  const scaled = (minReplicas: number) => ({ hpaSpec: { minReplicas } })
  const tooMany = (min: number, max: number) => `minReplicas ${min} is more than maxReplicas ${max}`
  t.equal(faultOf('pilot', scaled(16)), at('pilot', 'hpaSpec', tooMany(16, 15)))
  t.equal(faultOf('ingressGateway', scaled(2), {}, small), at('ingressGateway', 'hpaSpec', tooMany(2, 1)))
  t.equal(faultOf('pilot', { hpaSpec: { minReplicas: 15, maxReplicas: 15 } }), undefined)
  const enabled = { enabled: true }
  t.equal(faultOf('egressGateway', scaled(16)), undefined, 'it is off')
  t.equal(faultOf('egressGateway', scaled(16), enabled), at('egressGateway', 'hpaSpec', tooMany(16, 15)))
  const little = { resources: { limits: { memory: '1Mi' } } }
  const beyond = 'the memory request 512Mi exceeds the limit 1Mi'
  for (const component of ['pilot', 'cni']) t.equal(faultOf(component, little), at(component, 'resources', beyond))
  const rolling = (maxSurge: unknown, maxUnavailable: unknown) => ({
    strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
  })
  const stands = at(
    'ingressGateway',
    'strategy.rollingUpdate',
    'maxSurge and maxUnavailable are both 0, so no Pod can be replaced',
  )
  for (const none of [rolling(0, 0), rolling('0%', '0%'), { strategy: { rollingUpdate: { maxSurge: 0 } } }])
    t.equal(faultOf('ingressGateway', none), stands, JSON.stringify(none))
  for (const some of [rolling('1%', 0), rolling(0, 1)]) t.equal(faultOf('ingressGateway', some), undefined)
  t.equal(faultOf('pilot', { strategy: { rollingUpdate: { maxSurge: 0 } } }), undefined, 'no profile says the other')
})

t.test('IS-305 of several faults of one setting each is named, also those that the schema takes', async t => {
  const faultOf = (k8s: JsonMap) => wrongWith({ components: { pilot: { k8s } } })
  const at = 'spec.components.pilot.k8s'
  t.equal(
    faultOf({ hpaSpec: { minReplicas: 1, maxReplicas: 0 } }),
    `${at}.hpaSpec: minReplicas 1 is more than maxReplicas 0; maxReplicas is 0`,
  )
  t.equal(faultOf({ hpaSpec: { minReplicas: 0, maxReplicas: 0 } }), `${at}.hpaSpec: minReplicas is 0; maxReplicas is 0`)
  t.equal(faultOf({ hpaSpec: { minReplicas: 0 } }), `${at}.hpaSpec: minReplicas is 0`)
  const rolling = (maxSurge: unknown, maxUnavailable: unknown) =>
    faultOf({ strategy: { rollingUpdate: { maxSurge, maxUnavailable } } })
  const no = 'is neither a number nor a percentage'
  t.equal(rolling('5', 1), `${at}.strategy.rollingUpdate: maxSurge "5" ${no}`)
  t.equal(
    rolling('0', '0'),
    `${at}.strategy.rollingUpdate: maxSurge and maxUnavailable are both 0, so no Pod can be replaced; maxSurge "0" ${no}; maxUnavailable "0" ${no}`,
  )
  t.equal(rolling('5%', 5), undefined)
})

t.test('IS-121 what istiod cannot read, or reads as something else, is refused with its path', async t => {
  const authorizer = (change: object) =>
    wrongWith({
      config: {
        authorizers: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80, ...change },
        ],
      },
    })
  for (const port of [-1, 0, 65_536, -2_147_483_648])
    t.equal(authorizer({ port }), `spec.config.authorizers[1].port: ${port} is not a port from 1 to 65535`)
  for (const port of [1, 65_535]) t.equal(authorizer({ port }), undefined)
  for (const name of ['kyma-traces', 'envoy', 'stdout-json', 'kyma-logs'])
    t.equal(
      authorizer({ name }),
      `spec.config.authorizers[1].name: "${name}" is already the name of an extension provider of the mesh`,
    )
  const label = 'a'.repeat(63)
  for (const trustDomain of ['a..b', '..', '.', '-a', 'a-', 'a_b', `${label}a`])
    t.equal(wrongWith({ config: { trustDomain } }), `spec.config.trustDomain: "${trustDomain}" is not a DNS name`)
  for (const trustDomain of ['a', 'a.', '1.2', `${label}.${label}.${label}.${label}`])
    t.equal(wrongWith({ config: { trustDomain } }), undefined, trustDomain)
})

t.test('IS-121 a text that would break its line is refused with its path', async t => {
  const wrongIn = (authorizer: object, config: object = {}) =>
    wrongWith({ config: { authorizers: [{ name: 'a', port: 80, ...authorizer }], ...config } })
  for (const sign of ['u0085', 'u2028', 'u2029']) {
    const text = `a${JSON.parse(`"\\${sign}"`)}b`
    const says = (field: string) => `spec.config.${field}: "a\\${sign}b" contains a line separator`
    for (const field of ['name', 'service', 'pathPrefix'])
      t.equal(wrongIn({ [field]: text }), says(`authorizers[0].${field}`))
    const inHeaders = (headers: object) => wrongIn({ headers })
    t.equal(inHeaders({ inCheck: { include: ['x', text] } }), says('authorizers[0].headers.inCheck.include[1]'))
    t.equal(inHeaders({ inCheck: { add: { x: text } } }), says('authorizers[0].headers.inCheck.add.x'))
    t.equal(inHeaders({ inCheck: { add: { [text]: 'x' } } }), says('authorizers[0].headers.inCheck.add'))
    t.equal(
      wrongIn({}, { proxyStatsMatcher: { inclusionRegexps: [text] } }),
      says('proxyStatsMatcher.inclusionRegexps[0]'),
    )
  }
  t.equal(wrongIn({ name: 'a\r\n\t\u0007\ufeff"\u{1F600}: b #c{{ .Values }}' }), undefined)
})

t.test('IS-24 a text that is no timeout is an error with its path; of several the first is shown', async t => {
  const faultOf = (...timeouts: string[]) =>
    wantedOperator({
      profiles,
      cluster: cluster(),
      installation: {},
      spec: { config: { authorizers: timeouts.map(timeout => ({ name: 'a', port: 1, timeout })) } },
    })
  const fault = (index: number, text: string) =>
    `Could not merge Istio operator configuration: spec.config.authorizers[${index}].timeout: ${text} is not a duration such as 1.5s`
  matches(t, faultOf('soon'), { fault: fault(0, '"soon"') })
  matches(t, faultOf('1s', '-1s', 'soon'), { fault: fault(1, '"-1s"') })
  matches(t, faultOf('9223372036.9s'), { fault: fault(0, '"9223372036.9s"') })
  matches(t, faultOf('9'.repeat(1_000_000)), { fault: fault(0, `"${'9'.repeat(100)}"`) })
  t.equal(durationNanos('9223372036.854775807s'), 2n ** 63n - 1n)
  t.equal(durationNanos('-1.000000001s'), -1_000_000_001n)
})

t.test('IS-25 fields that the Istio gives for the CNI replace only those fields of the profile', async t => {
  const k8sFor = (k8s: JsonMap) => at(operatorFor({ components: { cni: { k8s } } }).spec, 'components/cni/k8s')
  const usual = mapOrEmpty(at(profiles.production.spec, 'components/cni/k8s'))
  t.strictSame(k8sFor({ resources: { requests: { memory: '777Mi' } } }), {
    ...usual,
    resources: claims('100m,777Mi', '500m,1024Mi'),
  })
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: {} }] }
  t.strictSame(k8sFor({ affinity: { nodeAffinity } }), {
    ...usual,
    affinity: { ...mapOrEmpty(usual.affinity), nodeAffinity },
  })
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [] }
  t.strictSame(k8sFor({ affinity: { podAntiAffinity } }), { ...usual, affinity: { podAntiAffinity } })
})

const features = (text?: string) =>
  featuresOf({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'istio-features' },
    ...(text !== undefined && { data: { features: text } }),
  } as KubeObject)

t.test(
  'IS-27 the features are read from a ConfigMap; a broken one switches nothing on, and the reason is told',
  async t => {
    const off = { isCniDisabled: false, hasControlPlaneVpa: false }
    for (const none of [undefined, '{}', 'null', '{"other":1}']) t.strictSame(features(none), off)
    t.strictSame(featuresOf(undefined), off)
    t.strictSame(features('{"disableCni":true}'), { ...off, isCniDisabled: true })
    t.strictSame(features('{"enableControlPlaneVPA":true,"disableCni":false}'), { ...off, hasControlPlaneVpa: true })
    const broken: [text: string, fault: RegExp][] = [
      ['{', /^it is not valid JSON: /],
      ['', /^it is not valid JSON: /],
      ['[]', /^it is not a JSON object$/],
      ['{"disableCni":"true","enableControlPlaneVPA":true}', /^disableCni is neither true nor false$/],
      ['{"enableControlPlaneVPA":null}', /^enableControlPlaneVPA is neither true nor false$/],
    ]
    for (const [text, fault] of broken) matches(t, features(text), { ...off, fault })
  },
)

t.test('IS-27 without CNI its chart is off, and istiod is told', async t => {
  const operator = operatorFor({}, { cluster: cluster({ features: features('{"disableCni":true}') }) })
  t.strictSame(consequences(operatorFor({}), operator).values, { pilot: { cni: { enabled: false } } })
  throws(t, () => chartFor(operator, 'istio-cni'), { message: 'istio-cni is off' })
})

t.test('IS-27 with VerticalPodAutoscalers no HorizontalPodAutoscaler looks at memory', async t => {
  const [cpu] = cpuMetrics
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 80 } },
  }
  const ofContainer = { type: 'ContainerResource', containerResource: { name: 'memory', container: 'discovery' } }
  const metrics = ['components', 'pilot', 'k8s', 'hpaSpec', 'metrics']
  const spec = withValueAt(
    withValueAt(profiles.production.spec, metrics, [memory, cpu, ofContainer]),
    ['values', 'pilot', 'memory'],
    { targetAverageUtilization: 80 },
  )
  const given = { profiles: { ...profiles, production: { ...profiles.production, spec } } }
  const operator = operatorFor(
    {},
    { ...given, cluster: cluster({ features: features('{"enableControlPlaneVPA":true}') }) },
  )
  t.strictSame(at(operator.spec, metrics.join('/')), [cpu])
  t.strictSame(at(operator.spec, 'values/pilot/memory'), {})
  t.strictSame(at(operatorFor({}, given).spec, metrics.join('/')), [memory, cpu, ofContainer])
  const vpa = cluster({ features: features('{"enableControlPlaneVPA":true}') })
  t.strictSame(operatorFor({}, { cluster: vpa }), profiles.production, 'the profiles that ship scale by CPU alone')
})

const gke = node({ kubeletVersion: 'v1.33.1-gke.1000' })
const k3d = node({ kubeletVersion: 'v1.33.1+k3s1' })
const aws = node({ providerId: 'AWS:///eu-central-1a/i-0' })
const openstack = node({ providerId: 'openstack:///4a' })
const garden = node({ providerId: 'OpenStack:///4b', osImage: 'Garden Linux 1592.9' })

const aAwsBalancer = (settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`service.beta.kubernetes.io/aws-load-balancer-${name}`, value]),
  )
const nlb = aAwsBalancer({ type: 'nlb', scheme: 'internet-facing', 'nlb-target-type': 'instance' })
const elb = aAwsBalancer({ 'proxy-protocol': '*', 'connection-idle-timeout': '4000' })
const external = aAwsBalancer({
  type: 'external',
  scheme: 'internet-facing',
  'nlb-target-type': 'instance',
  'proxy-protocol': '*',
})

const ingressService = 'components/ingressGateways/0/k8s/serviceAnnotations'
const annotationsIn = (of: ReturnType<typeof cluster>) => at(operatorFor({}, { cluster: of }).spec, ingressService)

t.test('IS-28 each provider alone has its settings', async t => {
  const change = (of: ReturnType<typeof cluster>) =>
    mapOrEmpty(consequences(operatorFor({}), operatorFor({}, { cluster: of })).values)
  t.strictSame(change(cluster({ nodes: [gke] })), {
    cni: { cniBinDir: '/home/kubernetes/bin', resourceQuotas: { enabled: true } },
    global: { platform: 'gke' },
  })
  t.strictSame(change(cluster({ nodes: [k3d] })), {
    cni: { cniBinDir: '/var/lib/rancher/k3s/data/cni', cniConfDir: '/var/lib/rancher/k3s/agent/etc/cni/net.d' },
  })
  t.strictSame(annotationsIn(cluster({ nodes: [aws] })), { ...isDisclaimed, ...nlb })
  t.strictSame(annotationsIn(cluster({ nodes: [aws], isDualStack: true })), { ...isDisclaimed, ...external })
  t.strictSame(annotationsIn(cluster({ nodes: [aws], wantsElb: true, isDualStack: true })), { ...isDisclaimed, ...elb })
  const inGarden = { 'loadbalancer.openstack.org/proxy-protocol': 'v1' }
  t.strictSame(annotationsIn(cluster({ nodes: [openstack, garden] })), { ...isDisclaimed, ...inGarden })
  t.strictSame(annotationsIn(cluster({ nodes: [openstack] })), isDisclaimed)
  t.strictSame(operatorFor({}, { cluster: cluster({ nodes: [node()] }) }), profiles.production)
})

t.test('IS-28 the first provider rule that fits any node decides', async t => {
  const of = (...nodes: ReturnType<typeof node>[]) => providerOf(cluster({ nodes }))
  t.equal(of(aws, gke), 'gke')
  t.equal(of(openstack, k3d), 'k3d')
  t.equal(of(k3d, gke), 'gke')
  t.equal(of(openstack, aws), 'aws-nlb')
  t.equal(of(node(), openstack, node({ osImage: 'Garden Linux 1592.9' })), 'openstack-garden')
  t.equal(of(node({ osImage: 'Garden Linux 1592.9' })), undefined)
  t.equal(of(), undefined)
  const near = ['v1.33.1-gke.', 'v1.33-gke.1', 'v1.33.1-gke.1x', 'v1.33.1+k3s', 'v1.33.1+k3s1-rc1', 'xv1.33.1+k3s1']
  for (const kubeletVersion of near) t.equal(of(node({ kubeletVersion })), undefined, kubeletVersion)
  for (const providerId of ['aws:/a', 'xaws://a', 'my-openstack://a'])
    t.equal(of(node({ providerId })), undefined, providerId)
})

t.test('IS-28 which providers speak the proxy protocol', async t => {
  const speaks = (change: Partial<Parameters<typeof needsProxyProtocol>[0]>) => needsProxyProtocol(cluster(change))
  t.strictSame(
    [[gke], [k3d], [aws], [node()], []].map(nodes => speaks({ nodes })),
    [false, false, false, false, false],
  )
  t.strictSame(
    [
      { nodes: [openstack] },
      { nodes: [garden] },
      { nodes: [aws], isDualStack: true },
      { nodes: [aws], wantsElb: true },
    ].map(speaks),
    [true, true, true, true],
  )
})

t.test('IS-29 only a Service that says nlb has an NLB', async t => {
  const hasNlb = async (type?: string) => {
    const annotations = { 'service.beta.kubernetes.io/aws-load-balancer-type': type }
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'istio-ingressgateway', namespace: 'istio-system', ...(type && { annotations }) },
    } as KubeObject
    const amazon = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, spec: { providerID: 'aws:///a' } }
    const reads: Reads = {
      get: async ref => (ref.kind === 'Service' ? service : undefined),
      list: async ({ kind }) => (kind === 'Node' ? [amazon] : []),
    }
    return (await readCluster(reads, { experimental: 'false' })).hasNlb
  }
  t.strictSame(await Promise.all(['nlb', 'external', 'nlb-ip', undefined].map(hasNlb)), [true, false, false, false])
})

t.test(
  'IS-29 a cluster has an ELB only if it was asked for before there was an NLB, and as long as it is asked for',
  async t => {
    const of = (change: Partial<ReturnType<typeof cluster>>) => annotationsIn(cluster({ nodes: [aws], ...change }))
    t.strictSame(of({ wantsElb: true, hasNlb: true }), { ...isDisclaimed, ...nlb }, 'made while there is an NLB')
    t.strictSame(of({ wantsElb: true }), { ...isDisclaimed, ...elb }, 'there before the first installation')
    t.strictSame(of({}), { ...isDisclaimed, ...nlb }, 'deleted later')
  },
)

t.test('IS-30 images are used as they were given', async t => {
  const images = rowCases.images?.change?.installation?.images
  const operator = operatorFor({}, { installation: { images } })
  t.equal(operator.spec.hub, 'registry.example:5000/mesh')
  t.equal(operator.spec.tag, '1.30.2-own')
  const values = valuesFor(operator)
  matches(t, values, {
    global: {
      hub: 'registry.example:5000/mesh',
      tag: '1.30.2-own',
      proxy: { image: images?.proxy },
      proxy_init: { image: images?.proxy },
    },
    pilot: { image: images?.pilot },
    cni: { image: images?.cni },
  })
  const ambient = operatorFor({ experimental: { enableAmbient: true } }, { installation: { images } })
  t.equal(valuesFor(ambient, 'ztunnel').image, images?.ztunnel)
})

t.test('IS-30 the pull secret occurs once among those of the mesh', async t => {
  const secretsIn = (operator: typeof profiles.production) => at(valuesFor(operator), 'global/imagePullSecrets')
  const installation = { pullSecret: 'registry-access' }
  t.strictSame(secretsIn(operatorFor({}, { installation })), ['registry-access'])
  t.equal(secretsIn(operatorFor({})), undefined)
  const path = ['values', 'global', 'imagePullSecrets']
  const spec = withValueAt(profiles.production.spec, path, ['other', 'registry-access'])
  const production = { ...profiles.production, spec }
  const given = operatorFor({}, { installation, profiles: { ...profiles, production } })
  t.strictSame(secretsIn(given), ['other', 'registry-access'])
})

const hostileTexts = [
  ...[
    '{{ fail "x" }}',
    '{{`',
    '}}',
    '"',
    "'",
    '\\',
    '\n- name: evil\n',
    '\r\n',
    '#',
    '- a',
    ': ',
    '&a',
    '*a',
    '!!js',
    '|',
    '>',
  ],
  ...[
    '__proto__',
    'constructor',
    '$HOME',
    '$(id)',
    '%REQ(x)%',
    '\u0000',
    '\ud83d\ude00',
    'null',
    'true',
    '0x1F',
    '1e3',
    '',
  ],
  'x'.repeat(70_000),
]

t.test('IS-22 a text of the Istio stays a text in the configuration of the mesh, whatever it holds', async t => {
  const authorizers = hostileTexts.map((text, index) => ({
    name: `${index}${text}`,
    service: text,
    port: index + 1,
    pathPrefix: text,
    headers: {
      inCheck: { include: hostileTexts, add: Object.fromEntries(hostileTexts.map(key => [`x${key}`, text])) },
    },
  }))
  const spec = { config: { authorizers, proxyStatsMatcher: { inclusionRegexps: hostileTexts } } }
  const operator = operatorFor(spec)
  const mesh: unknown = parse(String(at(objectsFor(operator)['ConfigMap istio'], 'data/mesh')))
  const wanted = operator.spec.meshConfig
  t.strictSame(at(mesh, 'extensionProviders'), at(wanted, 'extensionProviders'))
  t.strictSame(at(mesh, 'defaultConfig/proxyStatsMatcher'), at(wanted, 'defaultConfig/proxyStatsMatcher'))
})

t.test(
  'IS-22 an Istio that was never checked against a schema: fields that fit are used, and the others break nothing',
  async t => {
    const junk: readonly unknown[] = [
      [],
      {},
      'text',
      0,
      true,
      [null],
      [[]],
      [{}],
      { k8s: 1 },
      { k8s: [] },
      { a: { b: [] } },
    ]
    const places = [
      'config',
      'config/authorizers',
      'config/telemetry',
      'config/proxyStatsMatcher/inclusionRegexps',
      'components',
    ]
    const more = [
      'components/pilot',
      'components/cni/k8s/affinity',
      'experimental',
      'experimental/pilot',
      'compatibilityMode',
    ]
    for (const place of [...places, ...more])
      for (const value of junk) {
        const wanted = wantedOperator({
          profiles,
          cluster: cluster(),
          installation: {},
          spec: withValueAt({}, place.split('/'), value),
        })
        t.ok('operator' in wanted && chartsOf(wanted.operator).length >= 5, `${place}: ${JSON.stringify(value)}`)
      }
  },
)
