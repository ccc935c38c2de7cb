// Istio's own charts: rendered as by helm, installed on a real API server, and upgraded to from those that stand in.
import { join } from 'node:path'
import t from 'tap'
import { chartsOf } from '../../functions/istio/desired/desired-chart.ts'
import { istioNames } from '../../shared/api/istio/names.ts'
import { type JsonMap, mapsIn } from '../../shared/core/json/json.ts'
import { matchesLabels, structuredSelector } from '../../shared/core/objects/label-selector.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { ConnectionError } from '../../shared/kube/errors.ts'
import { areLikeHelm, istioDirectories, renderedHere } from '../corpus/like-helm.ts'
import { altered } from '../harness/clients/altered-client.ts'
import { clientTo } from '../harness/clusters/cluster-client.ts'
import { officialCharts } from '../harness/istio/istio-charts.ts'
import { istioGround, meshWorkload } from '../harness/istio/istio-ground.ts'
import { matches } from '../harness/matches.ts'
import { chartFolder, chartTexts, fallbackCharts } from '../make/istio/istio-chart-sets.ts'
import { cluster, node, operatorFor } from '../make/istio/istio-operator.ts'

const charts = await officialCharts()
const { mesh } = istioNames.namespaces

/** Somebody who means no good, as far as the schema of an Istio lets them. */
const hostile = ['{{ .Values }}', "'\n- a: b", '"\\', '#', '1e3', 'null', '~', '\t- x', '%{x}', 'ü€😀'].map(
  (service, at) => ({
    name: `a: ${service}`,
    service,
    port: at + 1,
    pathPrefix: `/${service}`,
    headers: { inCheck: { include: [service], add: { [service]: service, __proto__: 'x' } } },
  }),
)

const specs: Readonly<Record<string, JsonMap>> = {
  nothing: {},
  everything: {
    config: {
      numTrustedProxies: 4_294_967_295,
      forwardClientCertDetails: 'SANITIZE',
      trustDomain: 'mesh.example',
      gatewayExternalTrafficPolicy: 'Local',
      enableDNSProxying: true,
      authorizers: hostile,
      telemetry: { metrics: { prometheusMerge: true } },
      proxyStatsMatcher: { inclusionRegexps: ['^a.*$', '{{ fail "x" }}', '[\\]:]'] },
    },
    components: {
      egressGateway: { enabled: true },
      pilot: { k8s: { hpaSpec: { minReplicas: 2, maxReplicas: 7 } } },
    },
    experimental: { enableAmbient: true },
    compatibilityMode: true,
    networkPoliciesEnabled: true,
  },
}

const platforms = { small: [node({ cpu: '1' })], gke: [node({ kubeletVersion: 'v1.36.3-gke.1' })] }

const operators = [
  ...Object.entries(specs).map(([about, spec]) => ({ about, operator: operatorFor(spec) })),
  ...Object.entries(platforms).map(([about, nodes]) => ({
    about,
    operator: operatorFor({}, { cluster: cluster({ nodes }) }),
  })),
]

t.test('IS-33 Istio’s own charts are rendered as by helm, whatever stands in the Istio', async t => {
  const desired = operators.flatMap(({ about, operator }) =>
    chartsOf(operator).map(({ directory, values }) => ({ about, directory, values })),
  )
  const chosen = { profile: 'demo', compatibilityVersion: '1.29', global: { platform: 'k3d' }, defaultRevision: 'blue' }
  const bare = istioDirectories.flatMap(directory => [
    { about: 'their own values', directory, values: {} },
    { about: 'a profile, a platform and a former version', directory, values: chosen },
  ])
  await areLikeHelm(t, charts, [...desired, ...bare])
})

/** What an API server does not let anybody change. */
const lasting = ({ spec, roleRef }: KubeObject): JsonMap => {
  const { selector, scope, group } = (spec ?? {}) as JsonMap
  return { roleRef, scope, group, selector }
}

const workloadKinds = ['Deployment', 'DaemonSet', 'Service']

t.test(
  'Istio’s own charts may follow those that stand in: what lasts is the same, and nothing is made twice',
  async t => {
    const objectsOf = (root: string): KubeObject[] =>
      chartsOf(operatorFor(specs.everything ?? {})).flatMap(({ directory, values, namespace }) => [
        ...renderedHere(join(root, directory), values, namespace),
      ])
    const nameOf = ({ kind, metadata: { namespace = '', name } }: KubeObject) => `${kind} ${namespace}/${name}`
    const [own, standIn] = [objectsOf(charts), objectsOf(fallbackCharts)]
    const byName = new Map(standIn.map(object => [nameOf(object), object]))
    t.strictSame(own.map(nameOf).toSorted(), [...new Set(own.map(nameOf))].toSorted(), 'each object once')
    t.strictSame(
      standIn.map(nameOf).filter(name => !own.some(object => nameOf(object) === name)),
      [],
      'none goes',
    )
    for (const object of own) {
      const before = byName.get(nameOf(object))
      if (before) t.strictSame(lasting(before), lasting(object), nameOf(object))
      else t.notOk(workloadKinds.includes(object.kind), `${nameOf(object)} is new`)
    }
  },
)

const ground = await istioGround(t)
const own = clientTo(t, ground.cluster)
const { client } = ground
const image = (name: string, tag: string) => `registry.example.com/istio/${name}:${tag}`
const images = (tag: string) => ({
  pilot: image('pilot', tag),
  cni: image('install-cni', tag),
  proxy: image('proxyv2', tag),
})

const webhookKind = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' }

/** Which configurations inject into a Pod of a namespace that asks for it. */
const injecting = async (): Promise<string[]> => {
  const fits = (selector: unknown, labels: Record<string, string>) =>
    matchesLabels(structuredSelector(selector) ?? [], labels)
  const found = await client.list(webhookKind)
  return found
    .filter(({ webhooks }) =>
      mapsIn(webhooks).some(
        one => fits(one.namespaceSelector, { 'istio-injection': 'enabled' }) && fits(one.objectSelector, {}),
      ),
    )
    .map(({ metadata }) => metadata.name)
}

t.test('IS-36 the tag injects before the injector rests, also when the process is killed between both', async t => {
  const former = { settings: { charts, images: images('1.29.5') } }
  await ground.create()
  let isDead = false
  const killed = altered(own, real => {
    const write = async (object: KubeObject, done: () => Promise<KubeObject>): Promise<KubeObject> => {
      if (isDead) throw new ConnectionError('lost', 'KILLED', 'killed')
      const result = await done()
      // Others are sent beside it, and may come back later.
      isDead ||= object.metadata.name === 'istio-revision-tag-default'
      return result
    }
    return {
      create: (object, options) => write(object, () => real.create(object, options)),
      apply: (object, options) => write(object, () => real.apply(object, options)),
      patch: async (ref, patch, options) => {
        if (isDead) throw new ConnectionError('lost', 'KILLED', 'killed')
        return real.patch(ref, patch, options)
      },
    }
  })
  await ground
    .callUntil(() => isDead, { ...former, clusters: clusters({ local: killed }) })
    .catch(error => t.ok(isDead, `killed: ${error}`))
  t.ok(isDead)
  t.strictSame(await injecting(), ['istio-revision-tag-default', 'istio-sidecar-injector'], 'both do')
  await ground.settle(former)
  t.strictSame(await injecting(), ['istio-revision-tag-default'])
  t.ok(
    await client.get({
      ...webhookKind,
      kind: 'ValidatingWebhookConfiguration',
      namespace: '',
      name: 'istiod-default-validator',
    }),
  )
  matches(t, (await ground.read()).status, { state: 'Ready', installation: { version: '1.29.5' } })
})

const workloads = ['istiod', 'istio-cni-node', 'istio-ingressgateway']
const uids = () => Promise.all(workloads.map(async name => (await client.get(meshWorkload(name)))?.metadata.uid))

t.test(
  'IS-41 Istio’s own charts in the next version: nothing is deleted, and a further call writes nothing',
  async t => {
    const before = await uids()
    const settings = { charts, images: images('1.30.2') }
    const since = ground.requests.length
    await ground.settle({ settings })
    t.strictSame(await uids(), before)
    matches(t, (await ground.read()).status, { state: 'Ready', installation: { version: '1.30.2' } })
    const made = ground.requests.slice(since)
    t.strictSame(
      made.filter(({ method }) => method === 'DELETE'),
      [],
    )
    const after = ground.requests.length
    t.equal((await ground.call({ settings })).outcome, 'settled')
    t.strictSame(
      ground.requests.slice(after).filter(({ method }) => method !== 'GET'),
      [],
    )
  },
)

t.test('IS-39 those that stand in are followed by Istio’s own, and follow them', async t => {
  const before = await uids()
  for (const settings of [
    { charts: chartFolder(t, chartTexts('1.30.2')), images: images('1.30.2') },
    { charts, images: images('1.30.2') },
  ]) {
    await ground.settle({ settings })
    t.strictSame(await uids(), before)
    matches(t, (await ground.read()).status, { state: 'Ready' })
    const found = await client.list({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace: mesh })
    t.strictSame(found.map(({ metadata }) => metadata.name).toSorted(), ['istio-ingressgateway', 'istiod'])
  }
})
