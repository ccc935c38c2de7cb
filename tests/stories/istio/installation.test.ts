// Istio is installed, upgraded, kept and adopted on a cluster whose workloads are as ready as the test says. Each test goes on where the
// one before has ended.
import t from 'tap'
import { istiosConcerned } from '../../../functions/istio/gather.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { type IstioStatus, istioKind } from '../../../shared/api/istio.ts'
import { readinessOf } from '../../../shared/component/observed/readiness.ts'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { sameJson } from '../../../shared/core/json/json.ts'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { later } from '../../harness/component/orchards.ts'
import { becomesReady, istioGround, meshWorkload, withSidecar } from '../../harness/istio/istio-ground.ts'
import { matches } from '../../harness/matches.ts'
import { standInRegistry } from '../../harness/registries/registry.ts'
import { eventually } from '../../harness/until.ts'
import { filesArtifact } from '../../make/artifact.ts'
import { chartFolder, chartTexts } from '../../make/istio/istio-chart-sets.ts'
import { objectsFor, operatorFor } from '../../make/istio/istio-operator.ts'

const { namespaces, labels, prefix, annotations } = istioNames
const { mesh } = namespaces
const person = { fieldManager: 'person' }

const registry = await standInRegistry(t)
const ground = await istioGround(t, { isUnmanned: true, environment: { ESPALIER_PLAIN_REGISTRIES: registry.host } })
const { client } = ground
const own = clientTo(t, ground.cluster)

const image = (name: string, tag: string) => `registry.example.com/istio/${name}:${tag}`
const imagesOf = (tag: string) => ({
  pilot: image('pilot', tag),
  cni: image('install-cni', tag),
  proxy: image('proxyv2', tag),
})

const release = await filesArtifact(chartTexts('1.29.5'))
const digest = await registry.push('istio/charts', '1.29.5', release)
const source = `oci://${registry.host}/istio/charts:1.29.5`
const former = { settings: { charts: source, images: imagesOf('1.29.5') } }

const workloads = ['istiod', 'istio-cni-node', 'istio-ingressgateway', 'istio-egressgateway', 'ztunnel']
const gateway = meshWorkload('istio-ingressgateway')
const controlPlane = ['istiod', 'istio-cni-node']
const installed = [...controlPlane, 'istio-ingressgateway']

const live = async (ref: ObjectRef): Promise<KubeObject> => {
  const object = await client.get(ref)
  if (!object) throw new Error(`there is no ${ref.kind} ${ref.name}`)
  return object
}

/** Which workloads there are. */
const there = async (): Promise<string[]> => {
  const found = await Promise.all(workloads.map(name => client.get(meshWorkload(name))))
  return workloads.filter((_, index) => found[index] !== undefined)
}

const imageOf = async (name: string): Promise<unknown> => {
  const { spec } = (await live(meshWorkload(name))) as unknown as {
    spec: { template: { spec: { containers: [{ image: string }] } } }
  }
  return spec.template.spec.containers[0].image
}

const writes = (since: number): number => ground.requests.slice(since).filter(({ method }) => method !== 'GET').length

const webhooks = (kind: 'Mutating' | 'Validating', name: string): ObjectRef => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  namespace: '',
  name,
})

const inMesh = (apiVersion: string, kind: string, name: string): ObjectRef => ({
  apiVersion,
  kind,
  namespace: mesh,
  name,
})

t.test('IS-18 SEE-03 a new Istio gets its finalizer, then wave after wave, and says how far it is', async t => {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: mesh, labels: { own: 'yes' } } }, person)
  await ground.create()
  // Definitions are established by the API server in its own time.
  const outcome = await ground.callUntil((_, { status }) => (status?.inventory ?? []).length > 50, former)
  t.strictSame((await ground.read()).metadata.finalizers, [istioNames.finalizer])
  matches(t, outcome, { outcome: 'waiting', requeueAfterSeconds: 5, reason: 'Reconciling Istio' })
  await ground.callUntil(
    (_, { status }) => (status?.conditions?.[0]?.message ?? '').includes(': 41 of 51 objects'),
    former,
  )
  const { status } = await ground.read()
  matches(t, status, { state: 'Processing', description: 'Reconciling Istio' })
  matches(t, status?.conditions?.[0], { type: 'Ready', status: 'Unknown', reason: 'ReconcileUnknown' })
  t.strictSame(await there(), controlPlane, 'no gateway yet')
  const { later: waves } = await ground.plan(former)
  const next = { apiVersion: 'apps/v1', does: 'apply', object: `Deployment ${mesh}/istio-ingressgateway` }
  t.ok(
    waves.some(one => sameJson(one, next)),
    JSON.stringify(waves),
  )
  await becomesReady(client, 'istio-cni-node')
  await ground.call(former)
  t.strictSame(await there(), controlPlane, 'one of two is ready')
  await becomesReady(client, 'istiod')
  matches(t, await ground.call(former), { outcome: 'waiting', requeueAfterSeconds: 5 })
  t.strictSame(await there(), installed)
})

t.test('IS-19 what is not ready after six minutes is an error that names it, and Ready comes by itself', async t => {
  await client.patch(gateway, { type: 'merge', body: { spec: { replicas: 3 } } }, person)
  await becomesReady(client, 'istio-ingressgateway', { ready: 1, of: 3 })
  // The injector rests from now on: what is to be installed changed, so the six minutes begin here.
  await ground.call(former)
  const tooLate = { ...former, ...later(400) }
  t.equal((await ground.call({ ...former, ...later(300) })).outcome, 'waiting', 'not yet')
  matches(t, await ground.call(tooLate), { outcome: 'failed', requeueAfterSeconds: undefined })
  const { status } = await ground.read()
  matches(t, status, {
    state: 'Error',
    description:
      'Could not install Istio: Istio installation resulted in an error: not ready: Deployment istio-system/istio-ingressgateway (1 of 3)',
  })
  t.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'IstioInstallUninstallFailed')
  await becomesReady(client, 'istio-ingressgateway', { ready: 3, of: 3 })
  t.equal((await ground.settle(tooLate)).outcome, 'settled')
  matches(t, (await ground.read()).status, { state: 'Ready', installation: { processingSince: undefined } })
})

t.test('IS-31 the status says from which charts Istio was installed', async t => {
  matches(t, (await ground.read()).status?.installation, { charts: `1.29.5 ${digest}`, version: '1.29.5' })
  t.equal(await imageOf('istiod'), image('pilot', '1.29.5'))
  await ground.settle({ settings: { ...former.settings, charts: `oci://${registry.host}/istio/charts@${digest}` } })
  t.equal((await ground.read()).status?.installation?.charts, `1.29.5 ${digest}`)
  const charts = chartFolder(t, chartTexts('1.29.5'))
  await ground.settle({ settings: { ...former.settings, charts } })
  matches(t, (await ground.read()).status?.installation?.charts, /^1\.29\.5 sha256:[0-9a-f]{64}$/)
  await ground.settle(former)
})

const theIstioItself =
  'apiVersion: operator.kyma-project.io/v1alpha2\nkind: Istio\nmetadata: {name: default, namespace: kyma-system}\n'

t.test(
  'IS-32 IS-123 charts that cannot be had, are for another Istio, or hold what is not of it, leave the mesh as it is',
  async t => {
    const wrong = `sha256:${'0'.repeat(64)}`
    const bare = chartTexts('1.29.5')
    const rows: readonly (readonly [charts: string, cause: RegExp])[] = [
      ['/no/such/folder', /the folder \/no\/such\/folder does not exist/],
      [
        chartFolder(t, {
          'istio-control/istio-discovery/Chart.yaml': bare['istio-control/istio-discovery/Chart.yaml'] ?? '',
        }),
        /has no chart base/,
      ],
      [`oci://${registry.host}/istio/charts@${wrong}`, /sha256:0000/],
      ['oci://127.0.0.1:1/istio/charts:1.29.5', /127\.0\.0\.1/],
      [chartFolder(t, chartTexts('1.28.0')), /the charts are of Istio 1\.28\.0, but the images are of Istio 1\.29\.5/],
      [
        chartFolder(t, chartTexts('1.29.5', { 'istio-cni/templates/a.yaml': theIstioItself })),
        /: the charts contain Istio kyma-system\/default, which is not part of the mesh$/,
      ],
    ]
    for (const [charts, cause] of rows) {
      const before = ground.requests.length
      matches(t, await ground.call({ settings: { ...former.settings, charts } }), { outcome: 'failed' })
      const { status } = await ground.read()
      matches(t, status, { state: 'Error', description: /^Could not install Istio: / })
      matches(t, status?.description, cause)
      t.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'IstioInstallUninstallFailed')
      t.ok(writes(before) <= 1, 'nothing but the status is written')
    }
    t.equal((await ground.settle(former)).outcome, 'settled')
  },
)

t.test('IS-13 a routine call writes nothing, asks little, and lists no kind twice', async t => {
  const before = { requests: ground.requests.length, lists: ground.lists.length }
  t.equal((await ground.call(former)).outcome, 'settled')
  t.equal(writes(before.requests), 0)
  t.ok(ground.requests.length - before.requests <= 40, `${ground.requests.length - before.requests} requests`)
  const lists = ground.lists.slice(before.lists)
  t.ok(lists.length > 10)
  t.strictSame(lists.toSorted(), [...new Set(lists)].toSorted())
})

t.test('IS-43 what the API server refuses is named, and the rest of its wave is applied', async t => {
  const refused =
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: refused\n  namespace: istio-system\ndata:\n  a: {b: 1}\n'
  const beside = refused.replace('refused', 'beside').replace('{b: 1}', 'text')
  const charts = chartFolder(
    t,
    chartTexts('1.29.6', { 'istio-cni/templates/a.yaml': refused, 'istio-cni/templates/b.yaml': beside }),
  )
  const newer = { settings: { charts, images: imagesOf('1.29.6') } }
  await ground.call(newer)
  matches(t, await ground.call(newer), { outcome: 'failed' })
  const istio = await ground.read()
  matches(t, istio.status, { state: 'Error', description: /ConfigMap istio-system\/refused/ })
  t.equal(istio.status?.conditions?.find(({ type }) => type === 'Ready')?.reason, 'IstioInstallUninstallFailed')
  t.ok(await client.get(inMesh('v1', 'ConfigMap', 'beside')))
  t.equal(await imageOf('istiod'), image('pilot', '1.29.6'))
  t.equal(await imageOf('istio-ingressgateway'), image('proxyv2', '1.29.5'), 'the next wave waits')
  matches(t, istio.metadata.annotations?.[annotations.lastApplied], /"IstioTag":"1\.29\.5"/)
})

const forbidden = new ApiError({ code: 403, reason: 'Forbidden', message: 'not for you' })

t.test('IS-41 an upgrade takes the control plane, then the gateways, then sidecars, and deletes nothing', async t => {
  const store = await withSidecar(client, { image: image('proxyv2', '1.29.5') })
  const before = await Promise.all(installed.map(async name => (await live(meshWorkload(name))).metadata.uid))
  await ground.call()
  t.equal(await imageOf('istiod'), 'europe-docker.pkg.dev/kyma-project/prod/external/istio/pilot:1.30.2-distroless')
  t.equal(await imageOf('istio-ingressgateway'), image('proxyv2', '1.29.5'))
  for (const name of controlPlane) await becomesReady(client, name)
  await ground.call()
  matches(t, await imageOf('istio-ingressgateway'), /proxyv2:1\.30\.2-distroless$/)
  matches(t, (await ground.read()).metadata.annotations?.[annotations.lastApplied], /"IstioTag":"1\.29\.5"/)
  await becomesReady(client, 'istio-ingressgateway', { ready: 3, of: 3 })
  const restartOf = async () =>
    valueAt((await live(store)).spec, 'template', 'metadata', 'annotations', annotations.restartedAt)
  const refusing = altered(own, real => ({
    patch: (ref, patch, options) =>
      ref.kind === store.kind ? Promise.reject(forbidden) : real.patch(ref, patch, options),
  }))
  t.equal(await restartOf(), undefined, 'not before')
  const isTold = (status: IstioStatus | undefined) =>
    status?.conditions?.some(({ reason }) => reason === 'ProxySidecarManualRestartRequired') ?? false
  await ground.callUntil((_, { status }) => isTold(status), { clusters: clusters({ local: refusing }) })
  t.equal((await ground.read()).status?.state, 'Warning')
  matches(t, (await ground.read()).metadata.annotations?.[annotations.lastApplied], /"IstioTag":"1\.30\.2-distroless"/)
  t.equal(await restartOf(), undefined, 'and this step failed')
  await ground.call()
  t.ok(await restartOf())
  await client.delete({ apiVersion: 'v1', kind: 'Pod', namespace: store.namespace, name: 'store-0' }, {})
  await ground.settle()
  t.strictSame(await Promise.all(installed.map(async name => (await live(meshWorkload(name))).metadata.uid)), before)
  t.equal(await client.get(inMesh('v1', 'ConfigMap', 'beside')), undefined, 'what is no longer declared is pruned')
})

t.test('IS-35 objects carry the labels of Istio and of the module; the namespace keeps its own', async t => {
  const { metadata, spec } = await live(meshWorkload('istiod'))
  matches(t, metadata.labels, {
    [labels.module]: 'istio',
    'operator.istio.io/managed': 'Reconcile',
    'operator.istio.io/version': '1.30.2-distroless',
    'operator.istio.io/component': 'Pilot',
    'istio.io/rev': 'default',
    'install.operator.istio.io/owning-resource': 'default-operator',
    'install.operator.istio.io/owning-resource-namespace': mesh,
  })
  matches(t, spec, { template: { metadata: { labels: { [labels.module]: 'istio' } } } })
  const namespace = await live({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: mesh })
  matches(t, namespace.metadata.labels, { own: 'yes', 'namespaces.warden.kyma-project.io/validate': 'enabled' })
  matches(t, namespace.metadata.annotations, { [annotations.disclaimer]: istioNames.disclaimer })
  for (const name of ['istio-leader', 'istio-gateway-status-leader', 'of-a-user'])
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: mesh } }, person)
  await client.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'istio-ca-secret', namespace: mesh } },
    person,
  )
  await ground.settle()
  const labelOf = async (kind: string, name: string) =>
    (await live(inMesh('v1', kind, name))).metadata.labels?.[labels.module]
  t.equal(await labelOf('ConfigMap', 'istio-leader'), 'istio')
  t.equal(await labelOf('ConfigMap', 'istio-gateway-status-leader'), 'istio')
  t.equal(await labelOf('Secret', 'istio-ca-secret'), 'istio')
  t.equal(await labelOf('ConfigMap', 'of-a-user'), undefined)
})

const injector = webhooks('Mutating', 'istio-sidecar-injector')
const tag = webhooks('Mutating', 'istio-revision-tag-default')
const never = { matchLabels: { 'istio.io/deactivated': 'never-match' } }

/** Of its first webhook. */
const selectorOf = async (ref: ObjectRef): Promise<unknown> => {
  const { webhooks } = (await live(ref)) as unknown as { webhooks: [{ namespaceSelector: unknown }] }
  return webhooks[0].namespaceSelector
}

t.test('IS-36 the injector rests while the revision tag injects; a tag that somebody deletes comes back', async t => {
  t.strictSame(await selectorOf(injector), never)
  await client.delete(tag, {})
  await ground.settle(later(120))
  t.ok(await client.get(tag))
  t.ok(await client.get(webhooks('Validating', 'istiod-default-validator')))
  t.strictSame(await selectorOf(injector), never)
})

t.test('IS-37 what istiod, an autoscaler and a load balancer write is kept', async t => {
  const validator = webhooks('Validating', 'istiod-default-validator')
  const caBundle = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64')
  const json = (body: unknown) => ({ type: 'json' as const, body })
  const istiod = { fieldManager: 'pilot-discovery' }
  await client.patch(
    validator,
    json([
      { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle },
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
    ]),
    istiod,
  )
  await client.patch(tag, json([{ op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: caBundle }]), istiod)
  await client.patch(meshWorkload('istiod'), json([{ op: 'replace', path: '/spec/replicas', value: 2 }]), person)
  await becomesReady(client, 'istiod', { ready: 2, of: 2 })
  const service = inMesh('v1', 'Service', 'istio-ingressgateway')
  await client.patch(service, json([{ op: 'add', path: '/spec/ports/0/nodePort', value: 30_123 }]), person)
  await ground.settle(later(180))
  await ground.settle(later(240))
  matches(t, await live(validator), { webhooks: [{ failurePolicy: 'Fail', clientConfig: { caBundle } }] })
  matches(t, (await live(tag)).webhooks, (found: [{ clientConfig: object }]) => 'caBundle' in found[0].clientConfig)
  matches(t, await live(meshWorkload('istiod')), { spec: { replicas: 2 } })
  matches(t, (await live(gateway)).spec, { replicas: 3 })
  matches(
    t,
    (await live(service)).spec,
    (found: { ports: [{ nodePort: number }] }) => found.ports[0].nodePort === 30_123,
  )
})

t.test(
  'IS-38 what somebody deletes or changes is put right, and nothing else is touched; a label of theirs stays',
  async t => {
    const generations = async (names: readonly string[]) =>
      Promise.all(names.map(async name => (await live(meshWorkload(name))).metadata.generation))
    const configuration = inMesh('v1', 'ConfigMap', 'istio')
    const before = await generations(['istiod', 'istio-cni-node'])
    const { data } = await live(configuration)
    await client.patch(
      configuration,
      { type: 'merge', body: { data: { mesh: 'rootNamespace: other' }, metadata: { labels: { mine: 'yes' } } } },
      person,
    )
    await client.patch(
      gateway,
      { type: 'json', body: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'other:1' }] },
      person,
    )
    await client.delete(webhooks('Mutating', 'istio-sidecar-injector'), {})
    const soon = later(300)
    await ground.call(soon)
    await becomesReady(client, 'istio-ingressgateway', { ready: 3, of: 3 })
    await ground.settle(soon)
    t.strictSame((await live(configuration)).data, data)
    t.equal((await live(configuration)).metadata.labels?.mine, 'yes')
    matches(t, await imageOf('istio-ingressgateway'), /proxyv2:1\.30\.2-distroless$/)
    t.strictSame(await selectorOf(injector), never)
    t.strictSame(await generations(['istiod', 'istio-cni-node']), before)
    await client.delete(meshWorkload('istiod'), {})
    await ground.call(later(360))
    await becomesReady(client, 'istiod')
    await ground.settle(later(360))
    t.equal((await ground.read()).status?.state, 'Ready')
  },
)

t.test(
  'IS-38 SEE-18 whichever object is edited or deleted is as it was within 30 s, and no other is written',
  async t => {
    const image = { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'other:1' }
    const edits: readonly (readonly [ObjectRef, object])[] = [
      ...installed.map(name => [meshWorkload(name), image] as const),
      [inMesh('v1', 'ConfigMap', 'istio'), { op: 'replace', path: '/data/mesh', value: 'rootNamespace: other' }],
      [tag, { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
      [tag, { op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['services'] }],
    ]
    /** How many Pods there are is an autoscaler's. */
    const declared = ({ spec, data, webhooks }: KubeObject) => ({
      data,
      webhooks,
      spec: spec && { ...spec, replicas: undefined },
    })
    const generations = async () =>
      Promise.all(installed.map(async name => (await live(meshWorkload(name))).metadata.generation))
    let seconds = 360
    const repaired: string[] = []
    const measure = (measurements: readonly Measurement[]): void => {
      for (const { metric, labels } of measurements)
        if (metric === 'espalier_drift_corrected_total') repaired.push(labels?.kind ?? '')
    }
    const restored = async (ref: ObjectRef) => {
      // The last write may be of this very second: what was just repaired is left for ten seconds.
      seconds += 11
      await ground.call({ ...later(seconds), measure })
      if (installed.includes(ref.name)) {
        const { replicas = 1 } = (await live(ref)).spec as { replicas?: number }
        await becomesReady(client, ref.name, { ready: replicas, of: replicas })
      }
      t.equal((await ground.settle(later(seconds))).outcome, 'settled')
    }
    for (const [ref, edit] of edits) {
      const [before, others] = [declared(await live(ref)), await generations()]
      await client.patch(ref, { type: 'json', body: [edit] }, person)
      await restored(ref)
      const isKept = ref === tag && JSON.stringify(edit).includes('failurePolicy')
      if (isKept)
        matches(
          t,
          (await live(ref)).webhooks,
          (found: [{ failurePolicy: string }]) => found[0].failurePolicy === 'Ignore',
        )
      else t.strictSame(declared(await live(ref)), before, `${ref.kind} ${ref.name} was edited`)
      await client.delete(ref, {})
      await restored(ref)
      if (ref !== tag) t.strictSame(declared(await live(ref)), before, `${ref.kind} ${ref.name} was deleted`)
      const isOther = (index: number) => installed[index] !== ref.name
      t.strictSame(
        (await generations()).filter((_, at) => isOther(at)),
        others.filter((_, at) => isOther(at)),
      )
    }
    const times = (kind: string) => repaired.filter(one => one === kind).length
    matches(t, [times('Deployment'), times('DaemonSet'), times('ConfigMap')], [4, 2, 2])
    t.ok(times('MutatingWebhookConfiguration') >= 2)
  },
)

t.test(
  'IS-39 a lost inventory is found again by labels: nothing is made anew, what is no longer wanted goes',
  async t => {
    const component = { 'operator.istio.io/component': 'Pilot' }
    const leftover = (name: string, metadata: object = {}): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: mesh, labels: component, ...metadata },
    })
    await client.create(leftover('of-former-release'), person)
    await client.create(leftover('of-a-canary', { labels: { ...component, 'istio.io/rev': 'canary' } }), person)
    await client.create(
      leftover('of-a-garden', { annotations: { 'resources.gardener.cloud/origin': 'garden/istio' } }),
      person,
    )
    // As somebody else installed it: without our label.
    const bare = {
      labels: { [`${prefix}/owner-id`]: null },
      annotations: { [`${prefix}/owner-id`]: null, [`${prefix}/digest`]: null },
    }
    await client.patch(gateway, { type: 'merge', body: { metadata: bare } }, person)
    const uids = async () => Promise.all(installed.map(async name => (await live(meshWorkload(name))).metadata.uid))
    const before = await uids()
    await client.patch(
      {
        apiVersion: 'operator.kyma-project.io/v1alpha2',
        kind: 'Istio',
        namespace: namespaces.control,
        name: 'default',
      },
      { type: 'merge', body: { status: { inventory: null, installation: null } } },
      { ...person, subresource: 'status' },
    )
    const since = ground.requests.length
    await ground.settle(later(600))
    t.strictSame(await uids(), before)
    t.equal(ground.requests.slice(since).filter(({ method }) => method === 'POST').length, 0)
    t.ok((await live(gateway)).metadata.labels?.[`${prefix}/owner-id`])
    t.equal(await client.get(inMesh('v1', 'ConfigMap', 'of-former-release')), undefined)
    t.ok(await client.get(inMesh('v1', 'ConfigMap', 'of-a-canary')))
    t.ok(await client.get(inMesh('v1', 'ConfigMap', 'of-a-garden')))
    t.equal((await ground.read()).status?.inventory?.length, 51)
  },
)

/** Definitions are established, and Pods ready, in the cluster's own time. */
const areInstalledReady = async (client: Client): Promise<boolean> => {
  const labelSelector = 'operator.istio.io/component'
  const kinds = [
    { apiVersion: 'apps/v1', kind: 'Deployment' },
    { apiVersion: 'apps/v1', kind: 'DaemonSet' },
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  ]
  const found = await Promise.all(kinds.map(kind => client.list({ ...kind, labelSelector })))
  return found.flat().every(object => readinessOf(object, { conditions: [] }, new Date()).status === 'Current')
}

const fresh = await istioGround(t)
const gets: string[] = []
const noting = altered(
  clientTo(t, fresh.cluster, note => fresh.requests.push(note)),
  real => ({
    get: (ref, options) => {
      gets.push(`${ref.kind} ${ref.name}`)
      return real.get(ref, options)
    },
  }),
)
const settings = { clusters: clusters({ local: noting }) }

t.test('IS-05 once the oldest is gone the next is called, and becomes Ready', async t => {
  const first = { ...istioKind, metadata: { name: 'a-first', namespace: namespaces.control } }
  const oldest = await fresh.client.create({ ...first, spec: {} }, person)
  await fresh.create()
  matches(t, await fresh.call(settings), { outcome: 'stalled' })
  matches(t, (await fresh.read()).status, { state: 'Warning', description: /only Istio CR a-first/ })
  await fresh.client.delete(refOf(oldest), {})
  const context = { reads: fresh.client } as unknown as GatherContext
  t.strictSame(await istiosConcerned(oldest, context, 'DELETED'), [{ namespace: namespaces.control, name: 'default' }])
})

t.test(
  'IS-311 an object with the label of the module calls an Istio in the namespaces of the installation alone',
  async t => {
    const context = { reads: { list: async () => [await fresh.read()] } } as unknown as GatherContext
    const metadata = { name: 'default', labels: { 'kyma-project.io/module': 'istio' } }
    const calledFor = (kind: string, namespace: string) =>
      istiosConcerned({ apiVersion: 'v1', kind, metadata: { ...metadata, namespace } }, context, 'MODIFIED')
    for (const kind of ['PeerAuthentication', 'NetworkPolicy', 'VerticalPodAutoscaler', 'ConfigMap']) {
      t.strictSame(await calledFor(kind, 'team'), [], kind)
      t.equal((await calledFor(kind, namespaces.control)).length, 1, kind)
      t.equal((await calledFor(kind, namespaces.mesh)).length, 1, kind)
    }
  },
)

t.test(
  'IS-05 IS-18 IS-313 it takes three calls and 250 requests at most, of which none looks for what is to be made',
  async t => {
    const before = fresh.requests.length
    const first = await fresh.call(settings)
    matches(t, first, { outcome: 'waiting', requeueAfterSeconds: 5 })
    const created = fresh.requests.filter(({ method }) => method === 'POST').length
    t.equal(created, 45, 'the control plane, and a key to render with')
    t.notOk(gets.includes('ConfigMap istio'))
    const answers = [first]
    while (answers.at(-1)?.outcome !== 'settled' && answers.length < 8) {
      await eventually('what was installed is ready', () => areInstalledReady(fresh.client))
      answers.push(await fresh.call({ ...settings, ...later(answers.length * 5) }))
    }
    t.strictSame(
      answers.map(({ requeueAfterSeconds }) => requeueAfterSeconds),
      [5, 5, 36_000],
    )
    t.equal((await fresh.read()).status?.state, 'Ready')
    const requests = fresh.requests.length - before
    t.ok(requests <= 250, `${requests} requests`)
  },
)

t.test(
  'IS-88 thirty workloads lose their sidecars in a call, the others a minute later, and then the Istio goes',
  async t => {
    const namespace = 'default'
    const spec = { containers: ['app', 'istio-proxy'].map(name => ({ name, image: 'example.com/app:1' })) }
    const names = Array.from({ length: 32 }, (_, at) => `shop-${at}`)
    const kind = { apiVersion: 'apps/v1', kind: 'Deployment' }
    for (const name of names) {
      const template = { metadata: { labels: { app: name } }, spec }
      const selector = { matchLabels: { app: name } }
      await fresh.client.create({ ...kind, metadata: { name, namespace }, spec: { selector, template } }, person)
    }
    const pods = { apiVersion: 'v1', kind: 'Pod' }
    await fresh.client.create({ ...pods, metadata: { name: 'bare', namespace }, spec }, person)
    await eventually('all Pods are there', async () => (await fresh.client.list({ ...pods, namespace })).length === 33)
    await fresh.client.delete({ ...istioKind, namespace: namespaces.control, name: 'default' }, {})
    const logged: unknown[] = []
    const log = { debug() {}, info() {}, error() {}, warn: (fields: unknown) => logged.push(fields) }
    const rolled = async () => {
      const found = await fresh.client.list({ ...kind, namespace })
      const stamp = ({ spec }: KubeObject) =>
        valueAt(spec, 'template', 'metadata', 'annotations', annotations.restartedAt)
      return found.filter(object => stamp(object) !== undefined).length
    }
    const isWaiting = async () => (await fresh.call({ log })).requeueAfterSeconds === 60
    await eventually('the mesh is gone', isWaiting)
    t.equal(await rolled(), 30)
    t.equal((await fresh.read()).status?.state, 'Deleting')
    await fresh.call({ log, ...later(60) })
    t.equal(await rolled(), 32)
    const isGone = async () => {
      await fresh.call({ log, ...later(120) })
      return (await fresh.read()) === undefined
    }
    await eventually('the Istio is gone, whatever Pod nobody can restart', isGone)
    t.equal(await rolled(), 32)
    matches(t, JSON.stringify(logged), /default\/bare/)
  },
)

/** Who installed a mesh before us, by what the API server knows of them: helm 3, helm 4, kubectl, and istioctl or the Go operator. */
const installers = [
  { fieldManager: 'helm', verb: 'create' },
  { fieldManager: 'helm', verb: 'apply' },
  { fieldManager: 'kubectl-client-side-apply', verb: 'create' },
  { fieldManager: istioNames.fieldManagers.operator, verb: 'apply' },
  { fieldManager: istioNames.fieldManagers.operator, verb: 'create' },
] as const

/** An Istio 1.29.5 with an egress gateway, and on each object an annotation that nobody wants any more. */
const foreignInstallation = (): KubeObject[] => {
  const objects = objectsFor(operatorFor({ components: { egressGateway: { enabled: true } } }))
  const former = JSON.parse(JSON.stringify(objects).replaceAll('1.30.2-distroless', '1.29.5')) as typeof objects
  return Object.values(former).map(object => {
    const { metadata } = object
    const labels = { ...metadata.labels, 'operator.istio.io/component': 'Pilot', 'operator.istio.io/version': '1.29.5' }
    return {
      ...object,
      metadata: { ...metadata, labels, annotations: { ...metadata.annotations, 'of-former': 'yes' } },
    }
  })
}

t.test(
  'IS-39 what helm, istioctl or the Go operator installed is taken over whole, and nothing is made anew',
  async t => {
    const { client } = fresh
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: mesh } }
    const isGone = async () => (await client.get(refOf(namespace))) === undefined
    await eventually('the namespace of the former mesh is gone', isGone)
    const before = new Map<string, KubeObject>()
    for (const [at, object] of [namespace, ...foreignInstallation()].entries()) {
      const { fieldManager, verb } = installers[at % installers.length] ?? installers[0]
      const made = await client[verb](object, { fieldManager })
      before.set(refText(refOf(made)), made)
    }
    await client.patch(
      meshWorkload('istiod'),
      { type: 'merge', body: { metadata: { labels: { mine: 'yes' } } } },
      person,
    )
    await eventually('the mesh runs', () => areInstalledReady(client))
    await fresh.create()
    await fresh.settle()
    const { status, metadata } = await fresh.read()
    matches(t, status, { state: 'Ready', installation: { version: '1.30.2-distroless' } })
    matches(t, metadata.annotations?.[annotations.lastApplied], /"IstioTag":"1\.30\.2-distroless"/)
    const left: string[] = []
    for (const [name, { metadata, ...object }] of before) {
      const now = await client.get(refOf({ ...object, metadata }), { withManagedFields: true })
      if (!now) continue
      left.push(name)
      t.equal(now.metadata.uid, metadata.uid, `${name} is the same`)
      t.ok(now.metadata.labels?.[`${prefix}/owner-id`], `${name} is ours`)
      t.equal(now.metadata.annotations?.['of-former'], undefined, `${name} has nothing that nobody wants`)
      const managers = now.metadata.managedFields?.map(entry => (entry as { manager: string }).manager)
      t.notOk(
        managers?.some(manager => /^helm|^kubectl/.test(manager)),
        `${name} is no longer theirs`,
      )
    }
    const gone = [...before.keys()].filter(name => !left.includes(name))
    t.ok(gone.length > 3, gone.join())
    t.strictSame(
      gone.filter(name => !name.includes('egressgateway')),
      [],
      'the egress gateway alone goes',
    )
    t.equal(left.length, 52)
    t.equal(status?.inventory?.length, 53, 'all is the former mesh’s, but the PriorityClass')
    matches(t, (await client.get(meshWorkload('istiod')))?.metadata.labels, { mine: 'yes' })
  },
)
