// What a scraper sees of Components, Gardens and Istios: it is read from the cluster, so every replica of the host shows the same.
import { join } from 'node:path'
import { Registry } from 'prom-client'
import t from 'tap'
import { componentFunction } from '../../functions/component/index.ts'
import { gardenCare } from '../../functions/garden-care/index.ts'
import { istio as istioFunction } from '../../functions/istio/index.ts'
import { kyma as kymaFunction } from '../../functions/kyma/index.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { seenMetrics } from '../../shared/http/telemetry/function-metrics.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { base64, kubeconfig } from '../harness/clients/kubeconfig.ts'
import { component } from '../make/component/component.ts'
import { garden } from '../make/garden/garden.ts'
import { istio } from '../make/istio/istio.ts'
import { kyma } from '../make/kyma/kyma.ts'
import { testHost } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'

const caData = base64((await newAuthority('x')).certificate)
const landscape = readLandscape(join(import.meta.dirname, '../../serverless.yml'))
const functions = [componentFunction, gardenCare, istioFunction]

const hostOf = (...objects: readonly KubeObject[]) => {
  const cluster = new MemoryCluster(objects)
  const context = hostContext(landscape, { clusters: cluster.clusters })
  const { functions: app } = testHost({ functions, landscape, context }, cluster)
  const shown = async (start: string): Promise<string[]> =>
    (await app.inject('/metrics')).body.split('\n').filter(line => line.startsWith(start))
  return { context, shown }
}

/** With the value of a label as key. */
const by = (label: string, lines: readonly string[]): Record<string, number> =>
  Object.fromEntries(
    lines.map(line => [new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? '', Number(line.split(' ').at(-1))]),
  )

t.test('SEE-16 state, dependents and unready dependents of each Component', async t => {
  const item = (name: string, phase: string) => ({ version: 'v1', kind: 'ConfigMap', name, phase })
  const inventory = [item('a', 'Ready'), item('b', 'Completed'), item('c', 'Creating')]
  const shop = { ...component({ name: 'shop', namespace: 'n' }), status: { state: 'Processing', inventory } }
  const { shown } = hostOf(shop as never, component({ name: 'new', namespace: 'n' }))
  const labels = (name: string) =>
    `controller="component.core.espalier.dev",group="core.espalier.dev",kind="Component",name="${name}",namespace="n"`
  t.strictSame(by('state', await shown(`component_operator_runtime_component_state{${labels('shop')},`)), {
    Pending: 0,
    Processing: 1,
    Ready: 0,
    Error: 0,
    DeletionPending: 0,
    Deleting: 0,
  })
  t.strictSame(await shown('component_operator_runtime_dependents_total{'), [
    `component_operator_runtime_dependents_total{${labels('shop')}} 3`,
    `component_operator_runtime_dependents_total{${labels('new')}} 0`,
  ])
  t.strictSame(await shown('component_operator_runtime_unready_dependents_total{'), [
    `component_operator_runtime_unready_dependents_total{${labels('shop')}} 1`,
    `component_operator_runtime_unready_dependents_total{${labels('new')}} 0`,
  ])
})

t.test('SEE-16 clients for kubeconfigs: how many were made, and how many are kept', async t => {
  const clients = (created: number, active: number): string[] => [
    `component_operator_runtime_created_clients_total{controller="component.core.espalier.dev"} ${created}`,
    `component_operator_runtime_active_clients_total{controller="component.core.espalier.dev"} ${active}`,
  ]
  const both = async ({ shown }: ReturnType<typeof hostOf>) => [
    ...(await shown('component_operator_runtime_created_clients_total{')),
    ...(await shown('component_operator_runtime_active_clients_total{')),
  ]
  t.strictSame(await both(hostOf()), clients(0, 0))
  const host = hostOf()
  const { remoteClient } = host.context.memory
  const given = {
    text: kubeconfig({ url: 'https://127.0.0.1:1', caData }, { token: 'a' }),
    called: 'it',
    allowedHosts: ['127.0.0.1'],
  }
  await remoteClient(given)
  await remoteClient(given)
  await remoteClient({ ...given, called: 'another' })
  t.strictSame(await both(host), clients(2, 2))
})

t.test('SEE-17 state and conditions of each Garden', async t => {
  const conditions = [
    { type: 'RuntimeComponentsHealthy', status: 'True' },
    { type: 'VirtualComponentsHealthy', status: 'Progressing' },
  ]
  const { shown } = hostOf(garden({ status: { lastOperation: { state: 'Succeeded' }, conditions } } as never))
  t.strictSame(by('state', await shown('espalier_garden_state{name="garden",')), {
    Pending: 0,
    Processing: 0,
    Succeeded: 1,
    Error: 0,
    Failed: 0,
    Aborted: 0,
  })
  t.strictSame(by('condition', await shown('espalier_garden_condition{')), {
    RuntimeComponentsHealthy: 1,
    VirtualComponentsHealthy: 0,
  })
})

t.test('SEE-17 state of each Istio', async t => {
  const { shown } = hostOf(istio({ status: { state: 'Warning' } }), istio({ metadata: { name: 'second' } }))
  t.strictSame(by('state', await shown('espalier_istio_state{name="default",namespace="kyma-system",')), {
    Processing: 0,
    Deleting: 0,
    Ready: 0,
    Error: 0,
    Warning: 1,
  })
  t.equal((await shown('espalier_istio_state{name="second",namespace="kyma-system",')).length, 5)
})

const identified = kyma({
  metadata: { labels: { 'kyma-project.io/instance-id': 'a' }, annotations: { 'skr-domain': 'a.kyma.example.com' } },
})

t.test('SEE-59 a scrape lists the objects of a kind once, whatever is shown of them', async t => {
  const cluster = new MemoryCluster([component({ name: 'shop', namespace: 'n' }), identified, istio()])
  const listed: string[] = []
  const { list } = cluster.client
  cluster.client.list = query => {
    listed.push(`${query.kind} ${query.namespace ?? 'everywhere'}`)
    return list(query)
  }
  const context = hostContext(landscape, { clusters: cluster.clusters })
  const served = { functions: [componentFunction, kymaFunction], landscape, context }
  const { body } = await testHost(served, cluster).functions.inject('/metrics')
  for (const shown of ['component_operator_runtime_component_state{', 'lifecycle_mgr_kyma_state{'])
    t.ok(body.includes(shown), shown)
  t.strictSame(Object.keys(by('kind', body.match(/^espalier_object_state{.*$/gm) ?? [])).sort(), ['Component', 'Kyma'])
  t.strictSame(listed.filter(one => /^(Component|Kyma) /.test(one)).sort(), ['Component everywhere', 'Kyma kcp-system'])
})

t.test('SEE-59 states are shown although the other metrics of a kind, or of one object, cannot be', async t => {
  const { metadata } = identified
  const strange = { ...identified, metadata: { ...metadata, name: 'strange' }, status: { modules: 'none' } }
  const cluster = new MemoryCluster([identified, strange])
  const { list } = cluster.client
  const context = hostContext(landscape, { clusters: cluster.clusters })
  const shown = async () => {
    const host = testHost({ functions: [kymaFunction], landscape, context }, cluster).functions
    const { body } = await host.inject('/metrics')
    const kymas = body.match(/^lifecycle_mgr_kyma_state{.*$/gm) ?? []
    return [body.match(/^espalier_object_state{/gm)?.length, Object.keys(by('kyma_name', kymas))]
  }
  t.strictSame(await shown(), [2, [metadata.name]])
  cluster.client.list = query =>
    query.kind === 'ModuleReleaseMeta' ? Promise.reject(new Error('unavailable')) : list(query)
  t.strictSame(await shown(), [2, []])
})

t.test('SEE-59 a kind with a plural of its own, and two kinds of components in one host', async t => {
  const redis = { apiVersion: 'example.com/v1', kind: 'Redis', plural: 'redis' }
  const { component: settings } = landscape.functions
  const access = [{ apiGroups: ['example.com'], resources: ['redis'], verbs: ['list'] }]
  const functions = [componentFunction, { ...componentFunction, name: 'redis', kind: redis }]
  const own = { ...landscape, functions: { component: settings, redis: { ...settings, access } } } as typeof landscape
  const { apiVersion, kind } = redis
  const cluster = new MemoryCluster([{ apiVersion, kind, metadata: { name: 'cache', namespace: 'n' }, spec: {} }])
  const context = hostContext(own, { clusters: cluster.clusters })
  const { body } = await testHost({ functions, landscape: own, context }, cluster).functions.inject('/metrics')
  t.strictSame(body.match(/^espalier_object_state{.*$/gm), [
    'espalier_object_state{group="example.com",kind="Redis",name="cache",namespace="n",state="ready"} 1',
  ])
})

t.test('SEE-18 others choose kinds, and a hundred of them are shown', async t => {
  const metrics = hostMetrics()
  const metric = { name: 'repaired_total', help: 'x', type: 'counter', labels: ['kind'], fewOf: 'kind' } as const
  const measure = metrics.declared([metric])
  for (let at = 0; at < 1_000; at++) measure([{ metric: 'repaired_total', labels: { kind: `Kind${at}` }, add: 1 }])
  const lines = (await metrics.text()).split('\n').filter(line => line.startsWith('repaired_total{'))
  t.equal(lines.length, 101)
  t.ok(lines.includes('repaired_total{kind="other"} 900'))
})

t.test('SEE-59 after a list of three seconds, scrapes within a minute show what was listed then', async t => {
  let [now, reads] = [0, 0]
  t.intercept(performance, 'now', { value: () => now })
  const registry = new Registry()
  const metric = { name: 'seen', type: 'gauge', labels: ['what'], help: 'What was seen' } as const
  seenMetrics(registry, [metric], async () => {
    now += 3_000
    return [{ metric: 'seen', labels: { what: 'all' }, set: ++reads }]
  })
  const scraped = async () => (await registry.metrics()).match(/^seen\{.*$/m)?.[0]
  t.equal(await scraped(), 'seen{what="all"} 1')
  now += 56_000
  t.equal(await scraped(), 'seen{what="all"} 1')
  now += 2_000
  t.equal(await scraped(), 'seen{what="all"} 2')
})
