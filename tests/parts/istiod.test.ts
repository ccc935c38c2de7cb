// istiod itself beside istio, with Istio's own charts on a real API server: it opens the webhooks, injects sidecars and judges what users
// write. Which sidecars istio takes for stale is tried on those that istiod makes: each change rolls whom it concerns once, and then it
// rests.
import t from 'tap'
import { istioNames } from '../../shared/api/istio/names.ts'
import { valueAt } from '../../shared/core/json/fields.ts'
import { mapsIn } from '../../shared/core/json/json.ts'
import { isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { later } from '../harness/component/orchards.ts'
import { partRelease } from '../harness/control-plane/binaries.ts'
import { officialCharts } from '../harness/istio/istio-charts.ts'
import { meshWorkload } from '../harness/istio/istio-ground.ts'
import { matches, rejects } from '../harness/matches.ts'
import { eventually, until } from '../harness/until.ts'
import { istiodMesh } from './istiod-mesh.ts'
import { meshWebhooks } from './mesh-webhooks.ts'
import { containersOf, isGateway, isInjected, proxyOf, shop, shopWorkloads } from './shop-workloads.ts'

const person = { fieldManager: 'person' }
const { mesh: namespace, control } = istioNames.namespaces
const mesh = await istiodMesh(t)
const { client } = mesh
let settings: NonNullable<Parameters<typeof mesh.call>[0]>['settings'] = { charts: await officialCharts() }
t.comment(`istiod ${partRelease('istiod')}`)

const webhooks = meshWebhooks(client)

const tenMinutes = Array.from({ length: 21 }, (_, count) => count * 30)

/** Verbs of what it writes in calls so many seconds from now, by the clock it is given. */
const writes = async (times: readonly number[]): Promise<string[]> => {
  const before = mesh.requests.length
  for (const seconds of times) {
    const { outcome, reason } = await mesh.call({ settings, ...later(seconds) })
    if (outcome !== 'settled') throw new Error(`${outcome} after ${seconds} s: ${reason}`)
  }
  return mesh.requests.slice(before).flatMap(({ method, verb }) => (method === 'GET' ? [] : [verb]))
}

t.test('istiod begins with what was rendered, and the mesh becomes Ready', async t => {
  await mesh.create()
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: 'app=istiod' }
  await eventually('it has Pods', async () => {
    await mesh.call({ settings })
    return (await client.list(pods)).length > 0
  })
  await mesh.startIstiod()
  // Gateways and their autoscalers come when istiod is ready.
  await mesh.settle({ settings })
  await eventually('autoscalers have scaled', mesh.isScaled)
  await mesh.settle({ settings })
  matches(t, (await mesh.read()).status, { state: 'Ready' })
  await eventually('it opens all webhooks', webhooks.areOpen)
})

t.test('IS-37 what istiod writes is kept, and ten minutes of calls write nothing', async t => {
  await mesh.settle({ settings })
  const before = await webhooks.read()
  t.equal(Object.keys(before).length, 10, 'two that inject, four each, and two that judge')
  t.strictSame(await writes(tenMinutes), [])
  t.strictSame(await webhooks.read(), before)
  for (const name of ['istio-validator-istio-system', 'istiod-default-validator']) await webhooks.shut(name)
  await eventually('istiod writes it again', webhooks.areOpen)
  t.strictSame(await webhooks.read(), before)
  t.strictSame(await writes(tenMinutes), [], 'nobody disputes it')
})

t.test('IS-35 IS-37 istiod with another authority: its Secret is labelled, what it writes is kept', async t => {
  const former = await webhooks.authorities()
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'istio-ca-secret' }
  await client.delete(secret, {})
  await mesh.startIstiod()
  await eventually('all webhooks have it', async () => {
    const [one = '', ...others] = await webhooks.authorities()
    return one !== '' && !former.includes(one) && others.length === 0
  })
  await mesh.settle({ settings })
  t.equal((await client.get(secret))?.metadata.labels?.[istioNames.labels.module], istioNames.module)
  const after = await webhooks.read()
  t.strictSame(await writes(tenMinutes), [])
  t.strictSame(await webhooks.read(), after)
})

const virtualServices = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService' }

const virtualService = (name: string, httpStatus: number): KubeObject => ({
  ...virtualServices,
  metadata: { name, namespace: 'default' },
  spec: {
    hosts: ['shop.example.com'],
    http: [
      {
        route: [{ destination: { host: 'shop' } }],
        fault: { abort: { httpStatus, percentage: { value: 1 } } },
      },
    ],
  },
})

t.test('what a user writes is judged by istiod', async t => {
  const refused = /validation\.istio\.io.*denied the request.*HTTP status 999/
  await rejects(t, client.create(virtualService('wrong', 999), person), refused)
  await client.create(virtualService('right', 503), person)
})

const podsOf = async (name: string): Promise<KubeObject[]> =>
  (await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: shop, labelSelector: `app=${name}` })).filter(
    pod => !isDeleting(pod),
  )

/** How often each was rolled, or edited. */
const generations = async (): Promise<Record<string, number>> => {
  const found = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: shop })
  return Object.fromEntries(found.map(({ metadata }) => [metadata.name, metadata.generation ?? 0]))
}

/** The workloads of the shop that a row of docs/behaviour is about. */
const workloadsOf = {
  'IS-60': ['without'],
  'IS-61': ['plain', 'native', 'not-scraped', 'scraped-at', 'merged', 'not-merged'],
  'IS-62': ['image', 'own-image'],
  'IS-63': ['limit'],
  'IS-111': ['gateway', 'agent'],
  'IS-114': ['image-type', 'own-proxy'],
} as const satisfies Record<string, readonly string[]>
type ShopRow = keyof typeof workloadsOf

/** How many proxies the Pod of each workload came with, and how often each was rolled by calls that followed. */
const untouched = { proxies: new Map<string, number>(), rolled: new Map<string, number>() }

t.test('a shop comes into the mesh, and calls that follow write nothing', async t => {
  t.strictSame(Object.values(workloadsOf).flat().sort(), Object.keys(shopWorkloads).sort(), 'each is of a row')
  const labels = { 'istio-injection': 'enabled' }
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: shop, labels } }, person)
  for (const workload of Object.values(shopWorkloads)) await client.create(workload, person)
  for (const name of Object.keys(shopWorkloads)) {
    const pods = await until(
      () => podsOf(name),
      ([pod]) => valueAt(pod?.status, 'phase') === 'Running',
    )
    untouched.proxies.set(name, pods.flatMap(containersOf).filter(one => one.name === 'istio-proxy').length)
  }
  const before = await generations()
  t.equal(Object.keys(before).length, Object.keys(shopWorkloads).length)
  t.strictSame(await writes([0, 660]), [])
  for (const [name, times] of await rolledSince(before)) untouched.rolled.set(name, times)
})

for (const [row, names] of Object.entries(workloadsOf))
  t.test(`${row} sidecars as istiod makes them are not stale: ${names.join(', ')}`, async t => {
    for (const name of names) {
      t.equal(untouched.proxies.get(name), name === 'without' ? 0 : 1, `${name} has as many proxies as it is to have`)
      t.equal(untouched.rolled.get(name), 0, `${name} is left alone`)
    }
  })

/** How often each workload was rolled since then. */
const rolledSince = async (before: Readonly<Record<string, number>>): Promise<Map<string, number>> =>
  new Map(Object.entries(await generations()).map(([name, count]) => [name, count - (before[name] ?? 0)]))

type Change = {
  readonly what: string
  /** Rows that each tell what becomes of their workloads. */
  readonly rows?: readonly ShopRow[]
  readonly make: () => Promise<unknown>
  /** Whether istiod makes Pods so. */
  readonly isSeen: (pod: KubeObject) => boolean
  /** Those that it does not concern. */
  readonly spares: readonly string[]
}

const registry = (name: string) => `registry.example.com/istio/${name}:1.30.3`

const changes: readonly Change[] = [
  {
    what: 'another quantity of proxies',
    rows: ['IS-61', 'IS-62', 'IS-63', 'IS-111', 'IS-114'],
    make: () =>
      mesh.change({ spec: { components: { proxy: { k8s: { resources: { requests: { memory: '200Mi' } } } } } } }),
    isSeen: pod => valueAt(proxyOf(pod), 'resources', 'requests', 'memory') === '200Mi',
    spares: ['image', 'own-image', 'limit', 'gateway'],
  },
  {
    what: 'IS-64 metrics are merged',
    make: () => mesh.change({ spec: { config: { telemetry: { metrics: { prometheusMerge: true } } } } }),
    isSeen: ({ metadata }) => metadata.annotations?.['prometheus.io/port'] === '15020',
    spares: ['not-scraped', 'scraped-at', 'merged', 'not-merged'],
  },
  {
    what: 'IS-64 metrics are merged no longer',
    make: () => mesh.change({ spec: { config: { telemetry: { metrics: { prometheusMerge: false } } } } }),
    isSeen: ({ metadata }) => metadata.annotations?.['prometheus.io/path'] === undefined,
    spares: ['not-scraped', 'scraped-at', 'merged', 'not-merged'],
  },
  {
    what: 'IS-65 proxies answer names',
    make: () => mesh.change({ spec: { config: { enableDNSProxying: true } } }),
    isSeen: pod =>
      mapsIn(proxyOf(pod).env).some(({ name, value }) => name === 'ISTIO_META_DNS_CAPTURE' && value === 'true'),
    spares: [],
  },
  {
    what: 'IS-66 without the CNI plugin',
    make: () =>
      client.create(
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'istio-features', namespace: control },
          data: { features: '{"disableCni":true}' },
        },
        person,
      ),
    isSeen: pod => containersOf(pod).some(({ name }) => name === 'istio-init'),
    spares: ['gateway', 'agent'],
  },
  {
    what: 'another image',
    rows: ['IS-61', 'IS-62'],
    make: async () => {
      const images = { pilot: registry('pilot'), cni: registry('install-cni'), proxy: registry('proxyv2') }
      settings = { ...settings, images }
    },
    isSeen: pod => proxyOf(pod).image === registry('proxyv2'),
    spares: ['image', 'own-image'],
  },
]

/** What istiod would make now. */
const sample = (): Promise<KubeObject> =>
  client.create(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'sample', namespace: shop },
      spec: { containers: [{ name: 'app', image: 'example.com/app:1' }] },
    },
    { ...person, dryRun: true },
  )

for (const { what, rows = [], make, isSeen, spares } of changes) {
  const expected = (name: string): number => ([...spares, 'without'].includes(name) ? 0 : 1)
  let rolled = new Map<string, number>()
  t.test(`${what}: whom it concerns is rolled once, with what istiod makes of it`, async t => {
    const before = await generations()
    await make()
    // The target is noted when all is applied; istiod gets the time that it needs to read it.
    await mesh.callUntil(({ requeueAfterSeconds }) => requeueAfterSeconds === 1, { settings })
    await eventually('istiod makes such Pods', async () => isSeen(await sample()))
    await mesh.settle({ settings })
    rolled = await rolledSince(before)
    t.strictSame(
      [...rolled],
      Object.keys(before).map(name => [name, expected(name)]),
    )
    const pods = await podsOf('plain')
    t.ok(pods.length > 0 && pods.every(isSeen))
    matches(t, (await mesh.read()).status, { state: 'Ready' })
    t.strictSame(await writes([0, 660]), [])
  })
  for (const row of rows)
    t.test(`${row} ${what}: ${workloadsOf[row].join(', ')}`, async t => {
      for (const name of workloadsOf[row]) t.equal(rolled.get(name), expected(name), `how often ${name} is rolled`)
    })
}

t.test('IS-83 an Istio is deleted that a user has resources of: a Warning, and istiod stays', async t => {
  const istio = await mesh.read()
  const [apiVersion, kind] = [istio.apiVersion, istio.kind]
  await client.delete({ apiVersion, kind, namespace: control, name: istio.metadata.name }, {})
  await mesh.call({ settings })
  matches(t, (await mesh.read()).status, { state: 'Warning' })
  t.ok(await client.get(meshWorkload('istiod')))
})

t.test('IS-86 those are gone: all goes, while istiod runs', async t => {
  await client.delete({ ...virtualServices, namespace: 'default', name: 'right' }, {})
  await eventually('the Istio is gone', async () => {
    await mesh.call({ settings })
    return (await mesh.read()) === undefined
  })
  t.equal(await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespace }), undefined)
  await eventually('no sidecar of it is left', async () => {
    const pods = await client.list({ apiVersion: 'v1', kind: 'Pod', namespace: shop })
    return pods.every(pod => isDeleting(pod) || !isInjected(pod) || isGateway(pod))
  })
})
