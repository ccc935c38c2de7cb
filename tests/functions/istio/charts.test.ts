// From the IstioOperator to its charts: which there are, their values, and what is laid over the objects that they make.
import t from 'tap'
import { chartsOf } from '../../../functions/istio/desired/desired-chart.ts'
import { patchedObjects } from '../../../functions/istio/desired/object-patches.ts'
import type { IstioOperator } from '../../../shared/api/istio/operator.ts'
import { valueAt, withValueAt } from '../../../shared/core/json/fields.ts'
import { type JsonMap, mapsIn } from '../../../shared/core/json/json.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { matches } from '../../harness/matches.ts'
import { objectsOfChart } from '../../make/istio/istio-chart-objects.ts'
import { chartFor, operatorFor, profiles, valuesFor } from '../../make/istio/istio-operator.ts'

/** A small document; what is given lies in its spec. */
const operator = (spec: JsonMap = {}): IstioOperator => ({
  ...profiles.production,
  spec: { hub: 'hub.example', tag: '1.30.2', meshConfig: { a: 1 }, components: {}, values: {}, ...spec },
})

const changed = (path: string, value: unknown): IstioOperator => ({
  ...profiles.production,
  spec: withValueAt(profiles.production.spec, path.split('/'), value),
})

t.test('IS-34 each component that is on is a chart of its wave', async t => {
  const waves = (of: IstioOperator) => chartsOf(of).map(({ order, directory }) => [order, directory])
  t.strictSame(waves(operator()), [
    [0, 'base'],
    [0, 'istio-control/istio-discovery'],
    [10, 'gateways/istio-ingress'],
    [10, 'default'],
  ])
  const on = { enabled: true }
  t.strictSame(
    waves(
      operator({ components: { cni: on, ztunnel: on, egressGateways: [on], ingressGateways: [{ enabled: false }] } }),
    ),
    [
      [0, 'base'],
      [0, 'istio-control/istio-discovery'],
      [0, 'istio-cni'],
      [10, 'gateways/istio-egress'],
      [10, 'ztunnel'],
      [10, 'default'],
    ],
  )
  t.strictSame(waves(operator({ components: { base: { enabled: false }, pilot: { enabled: false } } })), [
    [10, 'gateways/istio-ingress'],
  ])
  t.strictSame(
    chartsOf(profiles.production).map(({ release, namespace }) => `${namespace}/${release}`),
    Array(5).fill('istio-system/istio'),
  )
  t.equal(chartFor(changed('components/cni/namespace', 'kube-system'), 'istio-cni').namespace, 'kube-system')
})

t.test('IS-34 fields of the IstioOperator become values, and its spec.values override them', async t => {
  t.strictSame(valuesFor(operator()), {
    global: { hub: 'hub.example', tag: '1.30.2' },
    meshConfig: { a: 1 },
    pilot: { enabled: true, cni: { enabled: false } },
    defaultRevision: '',
  })
  const values = {
    global: { hub: 'other.example', proxy: { image: 'own' } },
    meshConfig: { b: 2 },
    pilot: { cni: { enabled: true }, image: null },
  }
  t.strictSame(valuesFor(operator({ values })), {
    global: { hub: 'other.example', tag: '1.30.2', proxy: { image: 'own' } },
    meshConfig: { a: 1, b: 2 },
    pilot: { enabled: true, cni: { enabled: true }, image: null },
    defaultRevision: '',
  })
  const components = { cni: { enabled: true } }
  matches(t, valuesFor(operator({ components })), { pilot: { cni: { enabled: true } } })
})

t.test('IS-34 the minimum number of Pods is a value, because charts need it to make a PodDisruptionBudget', async t => {
  const gateways = (minReplicas: number) => ({
    ingressGateways: [{ k8s: { hpaSpec: { minReplicas, maxReplicas: 9 } } }],
  })
  const valuesOf = (components: JsonMap, directory: string) => chartFor(operator({ components }), directory).values
  matches(t, valuesOf(gateways(3), 'gateways/istio-ingress'), {
    gateways: { 'istio-ingressgateway': { autoscaleMin: 3 } },
  })
  matches(t, valuesOf({ pilot: { k8s: { hpaSpec: { minReplicas: 2 } } } }, 'istio-control/istio-discovery'), {
    pilot: { autoscaleMin: 2, enabled: true },
  })
  const none = valuesOf(gateways(0), 'gateways/istio-ingress')
  t.equal(none.gateways, undefined, 'with none there would be no autoscaler to change')
})

t.test(
  'IS-34 name and labels of a gateway are values of its own chart alone, and its objects have that name',
  async t => {
    const one = operator({
      components: {
        ingressGateways: [{ name: 'own-ingress', label: { a: 'b' }, k8s: { resources: { limits: { cpu: '1' } } } }],
        egressGateways: [{ enabled: true, name: 'own-egress' }],
      },
      values: { gateways: { 'istio-ingressgateway': { type: 'ClusterIP' } } },
    })
    const gateways = (directory: string) => valuesFor(one, directory).gateways
    const own = { 'istio-ingressgateway': { type: 'ClusterIP' } }
    t.strictSame(gateways('gateways/istio-ingress'), {
      'istio-ingressgateway': { name: 'own-ingress', labels: { a: 'b' }, type: 'ClusterIP' },
    })
    t.strictSame(gateways('gateways/istio-egress'), { ...own, 'istio-egressgateway': { name: 'own-egress' } })
    t.strictSame(gateways('istio-control/istio-discovery'), own)
    t.strictSame(chartFor(one, 'gateways/istio-ingress').patches, [
      {
        kind: 'Deployment',
        name: 'own-ingress',
        container: 'istio-proxy',
        patch: { resources: { limits: { cpu: '1' } } },
      },
    ])
  },
)

t.test('IS-34 ztunnel has its own values beside the global ones', async t => {
  const values = {
    global: { logging: { level: 'all:warn' } },
    ztunnel: { image: 'z', env: { A: 'b' } },
    pilot: { a: 1 },
  }
  t.strictSame(valuesFor(operator({ values, components: { ztunnel: { enabled: true } } }), 'ztunnel'), {
    global: { hub: 'hub.example', tag: '1.30.2', logging: { level: 'all:warn' } },
    image: 'z',
    env: { A: 'b' },
  })
})

const discovery = 'istio-control/istio-discovery'
const podOf = (object: unknown): unknown => valueAt(object, 'spec', 'template', 'spec')

/** The objects of istiod's chart by kind, after these settings. */
const istiodWith = (k8s: JsonMap): Readonly<Record<string, KubeObject | undefined>> => {
  const { objects, missed } = patchedObjects(
    objectsOfChart(discovery),
    chartFor(operator({ components: { pilot: { k8s } } }), discovery),
  )
  t.strictSame(missed, [])
  return Object.fromEntries(objects.map(object => [object.kind, object]))
}

t.test('IS-34 each field of k8s changes its object, and nothing else of it', async t => {
  const usual = istiodWith({})
  const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] }
  const affinity = istiodWith({ affinity: { podAffinity } }).Deployment
  t.strictSame(podOf(affinity), { ...(podOf(usual.Deployment) as JsonMap), affinity: { podAffinity } })
  const { securityContext } = podOf(istiodWith({ securityContext: { runAsUser: 1 } }).Deployment) as JsonMap
  t.strictSame(securityContext, { runAsUser: 1, runAsNonRoot: true })
  const env = [
    { name: 'A', value: 'b' },
    { name: 'PILOT_HTTP10', value: '1' },
    { name: 'POD_NAME', value: 'fixed' },
  ]
  const [container] = mapsIn((podOf(istiodWith({ env }).Deployment) as JsonMap).containers)
  t.strictSame(container?.env, [env[2], env[1], env[0]], 'variables keep their places and are replaced whole')
  t.equal(container?.image, 'hub/discovery:tag')
  const sized = istiodWith({ resources: { requests: { memory: '1Gi' } } }).Deployment
  t.strictSame(mapsIn((podOf(sized) as JsonMap).containers)[0]?.resources, { requests: { cpu: '10m', memory: '1Gi' } })
  matches(t, istiodWith({ podAnnotations: { a: 'b' } }).Deployment, {
    spec: { template: { metadata: { annotations: { a: 'b', 'sidecar.istio.io/inject': 'false' } } } },
  })
  matches(t, istiodWith({ strategy: { rollingUpdate: { maxSurge: 1 } } }).Deployment, {
    spec: { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } } },
  })
  const metrics = [{ type: 'Resource', resource: { name: 'memory' } }]
  matches(t, istiodWith({ hpaSpec: { maxReplicas: 9, metrics } }).HorizontalPodAutoscaler, {
    spec: { minReplicas: 1, maxReplicas: 9, metrics },
  })
  matches(t, istiodWith({ serviceAnnotations: { a: 'b' } }).Service, {
    metadata: { annotations: { a: 'b', kept: 'yes' } },
  })
  const { PodDisruptionBudget: fewAway } = istiodWith({ podDisruptionBudget: { maxUnavailable: 1 } })
  t.strictSame(fewAway?.spec, { maxUnavailable: 1, selector: { matchLabels: { app: 'istiod' } } })
  matches(t, istiodWith({ podDisruptionBudget: { minAvailable: 2 } }).PodDisruptionBudget, {
    spec: { minAvailable: 2 },
  })
  t.strictSame(istiodWith({ unknown: 1, affinity: null }), usual)
})

const overlaysOf = (...patches: { path: string; value: unknown }[]) => {
  const overlays = [{ kind: 'Deployment', name: 'istiod', patches }]
  const desired = chartFor(operator({ components: { pilot: { k8s: { overlays } } } }), discovery)
  const { objects, missed } = patchedObjects(objectsOfChart(discovery), desired)
  return { deployment: objects[0], missed }
}

t.test(
  'IS-34 overlays are applied last: they make missing maps, allow escaped dots in paths, and null removes a field',
  async t => {
    const { deployment, missed } = overlaysOf(
      { path: 'spec.template.metadata.labels.kyma-project\\.io/module', value: 'istio' },
      { path: 'spec.new.map', value: { a: [1] } },
      { path: 'spec.strategy', value: null },
      { path: 'spec.nothing.there', value: null },
      { path: 'metadata.name', value: 'istiod' },
    )
    matches(t, deployment, {
      metadata: { name: 'istiod' },
      spec: {
        new: { map: { a: [1] } },
        strategy: undefined,
        nothing: undefined,
        template: { metadata: { labels: { app: 'istiod', 'kyma-project.io/module': 'istio' } } },
      },
    })
    t.strictSame(missed, [])
    const over = {
      kind: 'Deployment',
      name: 'istiod',
      patches: [{ path: 'spec.strategy', value: { type: 'Recreate' } }],
    }
    matches(t, istiodWith({ overlays: [over], strategy: { rollingUpdate: { maxSurge: 1 } } }).Deployment, {
      spec: { strategy: { type: 'Recreate' } },
    })
    const tag = chartFor(operator({ components: { pilot: { k8s: { overlays: [{}], resources: {} } } } }), 'default')
    t.strictSame([tag.overlays, tag.patches], [[], []], 'the chart of the default tag has none')
  },
)

t.test('IS-34 a patch for an object that is not rendered is no error, and is reported', async t => {
  const k8s = {
    hpaSpec: { maxReplicas: 1 },
    resources: {},
    affinity: {},
    overlays: [
      {
        kind: 'Service',
        name: 'other',
        patches: [
          { path: 'a', value: 1 },
          { path: 'b', value: 1 },
        ],
      },
      { kind: 'Service', name: 'istiod', patches: [{ path: 'spec.ports.name', value: 'x' }] },
    ],
  }
  const desired = chartFor(operator({ components: { pilot: { k8s } } }), discovery)
  const all = objectsOfChart(discovery)
  const without = all.filter(({ kind }) => kind !== 'HorizontalPodAutoscaler')
  const { objects, missed } = patchedObjects(without, desired)
  t.strictSame(objects.length, 3)
  t.strictSame(missed, [
    'HorizontalPodAutoscaler istiod is not rendered, but a patch needs it',
    'Service other is not rendered, but overlay a needs it',
    'Service other is not rendered, but overlay b needs it',
    'Service istiod does not have the field that overlay spec.ports.name changes',
  ])
  const sidecar = all.map(object =>
    object.kind === 'Deployment'
      ? (withValueAt(
          object as unknown as JsonMap,
          ['spec', 'template', 'spec', 'containers'],
          [{ name: 'x' }],
        ) as unknown as KubeObject)
      : object,
  )
  t.ok(
    patchedObjects(sidecar, desired).missed.includes(
      'Deployment istiod does not have the field that a patch of container discovery changes',
    ),
  )
})

t.test('IS-34 containers and all their lists keep their order', async t => {
  const [first] = objectsOfChart(discovery)
  const path = ['spec', 'template', 'spec', 'containers']
  const [own] = mapsIn(valueAt(first, ...path))
  const lists = {
    ports: [{ containerPort: 15017 }, { containerPort: 80, protocol: 'UDP' }, { containerPort: 80, protocol: 'TCP' }],
    volumeMounts: ['/z', '/a', '/m'].map(mountPath => ({ mountPath, name: 'v' })),
    args: ['b', 'a', 'b'],
  }
  const containers = [
    { name: 'before', image: 'a' },
    { ...own, ...lists },
    { name: 'behind', image: 'b', ...lists },
  ]
  const object = withValueAt(first as unknown as JsonMap, path, containers) as unknown as KubeObject
  const desired = chartFor(
    operator({ components: { pilot: { k8s: { resources: { limits: { cpu: '2' } } } } } }),
    discovery,
  )
  const [patched] = patchedObjects([object], desired).objects
  t.strictSame(valueAt(patched, ...path), [
    containers[0],
    { ...containers[1], resources: { requests: { cpu: '10m' }, limits: { cpu: '2' } } },
    containers[2],
  ])
})

t.test('IS-34 patching changes neither the rendered objects nor the IstioOperator that it was given', async t => {
  const objects = objectsOfChart(discovery)
  const before = structuredClone([objects, profiles])
  const frozen = deepFrozen(objects)
  for (let call = 0; call < 2; call++) patchedObjects(frozen, chartFor(deepFrozen(operatorFor({})), discovery))
  t.strictSame([objects, profiles], before)
})

const deepFrozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) deepFrozen(inner)
  return Object.freeze(value)
}

t.test('IS-34 paths and keys that mean something to JavaScript are fields like others', async t => {
  const { deployment } = overlaysOf(
    { path: '__proto__.polluted', value: 'yes' },
    { path: 'constructor.prototype.polluted', value: 'yes' },
    { path: 'spec.__proto__', value: { polluted: 'yes' } },
    { path: 'metadata.toString', value: null },
  )
  t.equal(valueAt({}, 'polluted'), undefined)
  t.equal('polluted' in {}, false)
  t.equal(Object.getPrototypeOf(deployment), Object.prototype)
  t.equal(Object.getPrototypeOf(deployment?.spec), Object.prototype)
  t.strictSame(valueAt(deployment, '__proto__', 'polluted'), 'yes')
  t.strictSame(valueAt(deployment, 'spec', '__proto__', 'polluted'), 'yes')
  const hostile = JSON.parse('{"nodeAffinity":{"__proto__":{"polluted":"yes"},"a":1}}')
  const nodeAffinity = operatorFor({ components: { cni: { k8s: { affinity: hostile } } } })
  const { objects } = patchedObjects(objectsOfChart('istio-cni'), chartFor(nodeAffinity, 'istio-cni'))
  t.equal(valueAt(podOf(objects[0]), 'affinity', 'nodeAffinity', '__proto__', 'polluted'), 'yes')
  t.equal('polluted' in {}, false)
})

t.test('IS-34 overlays of very long lists take no noticeable time', async t => {
  const terms = Array.from({ length: 20_000 }, (_, index) => ({
    weight: 1,
    preference: { matchFields: [{ key: `k${index}` }] },
  }))
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } }
  const authorizers = Array.from({ length: 5_000 }, (_, index) => ({
    name: `a${index}`,
    port: index + 1,
    timeout: '1s',
  }))
  const one = operatorFor({ components: { cni: { k8s: { affinity } } }, config: { authorizers } })
  const { objects } = patchedObjects(objectsOfChart('istio-cni'), chartFor(one, 'istio-cni'))
  const found = valueAt(
    podOf(objects[0]),
    'affinity',
    'nodeAffinity',
    'preferredDuringSchedulingIgnoredDuringExecution',
  )
  t.equal(mapsIn(found).length, 20_000)
  t.equal(mapsIn(valueAt(valuesFor(one), 'meshConfig', 'extensionProviders')).length, 5_004)
})
