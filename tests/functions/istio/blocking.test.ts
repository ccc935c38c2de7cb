// What blocks the deletion of an Istio, and how it is read: kind by kind, page by page.
import t from 'tap'
import { blockingResources, readBlocking } from '../../../functions/istio/gather/blocking.ts'
import type { ReaderInput } from '../../../functions/istio/gather/reader-input.ts'
import { readLeftovers } from '../../../functions/istio/gather/resources.ts'
import { type Blocking, blockingKinds, isExempt } from '../../../functions/istio/rules/users-resources.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import type { Reading } from '../../../shared/core/decisions/reading.ts'
import { apiVersionOf, groupVersionOf, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { Client, ListPage, ListQuery } from '../../../shared/kube/client-types.ts'
import { ApiError, KindNotServed } from '../../../shared/kube/errors.ts'
import { matches } from '../../harness/matches.ts'
import { SimulatedWorld } from '../../harness/simulated/simulated-world.ts'
import { istio, istioWorld, told } from '../../make/istio/istio.ts'

const object = (kind: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => {
  const { apiVersion = 'networking.istio.io/v1' } = blockingKinds.find(known => known.kind === kind) ?? {}
  return { apiVersion, kind, metadata: { name: 'shop', namespace: 'team', ...metadata } }
}

const definitionOf = (plural: string, kind: string, apiVersions: readonly string[]): KubeObject => {
  const { group } = groupVersionOf(apiVersions[0] ?? '')
  const versions = apiVersions.map(apiVersion => ({ name: groupVersionOf(apiVersion).version, served: true }))
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, names: { kind, plural }, versions: [{ name: 'v0', served: false }, ...versions] },
  }
}

const istioDefinitions = blockingKinds.map(({ plural, kind, apiVersion }) => definitionOf(plural, kind, [apiVersion]))

type Stored = {
  readonly definitions?: readonly KubeObject[]
  readonly objects?: readonly KubeObject[]
  /** Called before each page of a kind; what it throws is what the API server answers. */
  readonly before?: (query: ListQuery, page: number) => void
}

/** An API server as far as it is asked here; pages have two objects. */
const apiServer = ({ definitions = istioDefinitions, objects = [], before = () => {} }: Stored) => {
  const isServed = ({ apiVersion, kind }: ListQuery) =>
    definitions.some(({ spec }) => {
      const { group, names, versions } = spec as {
        group: string
        names: { kind: string }
        versions: { name: string }[]
      }
      return names.kind === kind && versions.some(({ name }) => apiVersionOf({ group, version: name }) === apiVersion)
    })
  async function* pages(query: ListQuery): AsyncGenerator<ListPage> {
    if (!isServed(query)) throw new KindNotServed(query)
    const found = objects.filter(({ apiVersion, kind }) => apiVersion === query.apiVersion && kind === query.kind)
    for (let at = 0; at === 0 || at < found.length; at += 2) {
      before(query, at / 2)
      const page = found.slice(at, at + 2).flatMap(one => query.keep?.({ ...one, spec: undefined }) ?? [])
      yield { objects: page, resourceVersion: '1' }
    }
  }
  return {
    list: async ({ keep }: ListQuery) => {
      before({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }, 0)
      return definitions.flatMap(definition => keep?.(definition) ?? [])
    },
    get: async ({ name }: { name: string }) => definitions.find(({ metadata }) => metadata.name === name),
    pages,
  } as Pick<Client, 'get' | 'list' | 'pages'>
}

const blockingIn = async (stored: Stored) => {
  const told: string[] = []
  const blocking = await blockingResources({ client: apiServer(stored), noted: names => void told.push(...names) })
  return { blocking, told }
}

t.test('IS-85 IS-99 each kind blocks, unless it carries our module label', async t => {
  t.equal(blockingKinds.length, 14)
  for (const { kind } of blockingKinds) {
    const one = object(kind)
    t.strictSame((await blockingIn({ objects: [one] })).blocking, { read: { first: [`${kind} team/shop`], count: 1 } })
    const labelled = (module: string) => object(kind, { labels: { 'kyma-project.io/module': module } })
    t.strictSame((await blockingIn({ objects: [labelled('istio')] })).blocking, { read: { first: [], count: 0 } })
    t.equal(isExempt(labelled('api-gateway')), false)
  }
})

t.test(
  'IS-85 objects that an installation brings to istio-system do not block; objects with similar names do',
  async t => {
    const mesh = 'istio-system'
    const cases: [kind: string, name: string, namespace: string, isExempt: boolean][] = [
      ['EnvoyFilter', 'stats-filter-1.30', mesh, true],
      ['EnvoyFilter', 'tcp-stats-filter-1.11', mesh, true],
      ['EnvoyFilter', 'kyma-referer', mesh, true],
      ['EnvoyFilter', 'proxy-protocol', mesh, true],
      ['PeerAuthentication', 'default', mesh, true],
      ['VirtualService', 'istio-healthz', mesh, true],
      ['EnvoyFilter', 'stats-filter-1.3', mesh, false],
      ['EnvoyFilter', 'stats-filter-1.301', mesh, false],
      ['EnvoyFilter', 'stats-filter-1x30', mesh, false],
      ['EnvoyFilter', 'my-stats-filter-1.30', mesh, false],
      ['EnvoyFilter', 'udp-stats-filter-1.30', mesh, false],
      ['EnvoyFilter', 'kyma-referer-2', mesh, false],
      ['EnvoyFilter', 'a.proxy-protocol', mesh, false],
      ['EnvoyFilter', 'kyma-referer', 'team', false],
      ['EnvoyFilter', 'stats-filter-1.30', 'istio-system-2', false],
      ['EnvoyFilter', 'default', mesh, false],
      ['PeerAuthentication', 'default', 'team', false],
      ['PeerAuthentication', 'defaults', mesh, false],
      ['AuthorizationPolicy', 'default', mesh, false],
      ['VirtualService', 'istio-healthz', 'team', false],
      ['Gateway', 'istio-healthz', mesh, false],
    ]
    for (const [kind, name, namespace, exempt] of cases)
      t.equal(isExempt(object(kind, { name, namespace })), exempt, `${kind} ${namespace}/${name}`)
  },
)

t.test(
  'IS-85 resources of a kind that is not in the table block; a kind without CustomResourceDefinition is skipped',
  async t => {
    const extension = definitionOf('trafficextensions', 'TrafficExtension', ['extensions.istio.io/v1alpha1'])
    const notes = definitionOf('istiooperators', 'IstioOperator', ['install.istio.io/v1alpha1'])
    const foreign = definitionOf('gateways', 'Gateway', ['gateway.networking.k8s.io/v1'])
    const misleading = definitionOf('things', 'Thing', ['notistio.io/v1'])
    const objects = [extension, notes, foreign, misleading].map(({ spec }) => {
      const { group, names, versions } = spec as {
        group: string
        names: { kind: string }
        versions: { name: string }[]
      }
      return { ...object(names.kind), apiVersion: apiVersionOf({ group, version: versions[1]?.name ?? '' }) }
    })
    t.strictSame((await blockingIn({ definitions: [extension, notes, foreign, misleading], objects })).blocking, {
      read: { first: ['TrafficExtension team/shop'], count: 1 },
    })
    const nothing = { read: { first: [], count: 0 } }
    t.strictSame((await blockingIn({ definitions: [], objects: [object('VirtualService')] })).blocking, nothing)
  },
)

t.test('IS-85 a kind that the cluster serves in another version blocks, too', async t => {
  const older = definitionOf('virtualservices', 'VirtualService', ['networking.istio.io/v1alpha3'])
  const route = { ...object('VirtualService'), apiVersion: 'networking.istio.io/v1alpha3' }
  const { blocking } = await blockingIn({ definitions: [older], objects: [route] })
  t.strictSame(blocking, { read: { first: ['VirtualService team/shop'], count: 1 } })
  const unserved = { ...older, spec: { ...(older.spec as object), versions: [{ name: 'v1', served: false }] } }
  const { blocking: none } = await blockingIn({ definitions: [unserved], objects: [route] })
  t.strictSame(none, { read: { first: [], count: 0 } })
})

t.test('IS-84 of many blocking resources the first ten are kept, and all are noted page by page', async t => {
  const many = Array.from({ length: 10_000 }, (_, i) => object('VirtualService', { name: `route-${i}` }))
  const { blocking, told } = await blockingIn({ objects: [...many, object('Gateway')] })
  matches(t, blocking, {
    read: { count: 10_001, first: (list: readonly string[]) => list.length === 10 && list[0] === 'Gateway team/shop' },
  })
  t.equal(told.length, 10_001)
})

t.test('IS-84 the log names all blocking resources', async t => {
  const objects = Array.from({ length: 13 }, (_, i) => object('Gateway', { name: `gateway-${i}` }))
  const logged: unknown[] = []
  const log = { warn: (fields: object) => logged.push(fields) }
  const clusters = { of: async () => apiServer({ objects }) }
  const { resources } = await readBlocking({ context: { clusters }, log } as unknown as ReaderInput)
  matches(t, resources, { read: { count: 13 } })
  const names = objects.map(({ metadata }) => `Gateway team/${metadata.name}`)
  t.strictSame(
    logged.flatMap(line => (line as { resources: string[] }).resources),
    names,
  )
})

t.test('IS-83 a list that expires between two pages is read once more', async t => {
  let isForgotten = false
  const before = ({ kind }: ListQuery, page: number) => {
    if (kind !== 'Telemetry' || page !== 1 || isForgotten) return
    isForgotten = true
    throw new ApiError({ code: 410, reason: 'Expired', message: 'the continue token is too old' })
  }
  const objects = ['a', 'b', 'c'].map(name => object('Telemetry', { name }))
  const { blocking } = await blockingIn({ objects, before })
  t.strictSame(blocking, { read: { first: ['a', 'b', 'c'].map(name => `Telemetry team/${name}`), count: 3 } })
})

t.test('IS-90 a kind that cannot be read does not count as a kind without resources', async t => {
  for (const kind of ['CustomResourceDefinition', 'VirtualService']) {
    const before = (query: ListQuery) => {
      if (query.kind === kind) throw new ApiError({ code: 403, reason: 'Forbidden', message: `${kind} is forbidden` })
    }
    t.strictSame((await blockingIn({ before })).blocking, { failed: `${kind} is forbidden` })
  }
})

const deleted = (finalizers: readonly string[] = []) =>
  istio({
    metadata: { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: [istioNames.finalizer, ...finalizers] },
    status: { state: 'Ready' },
  })

const standing = (resources: Reading<Blocking>, finalizers?: readonly string[]) => {
  const { plan, status, next, events } = told(
    istioWorld({ istio: deleted(finalizers), facts: { blocking: { resources } } }),
  )
  return { steps: plan.steps.map(step => step.do), conditions: [], ...status, next, events }
}

const ready = (reason: string, message: string) => [{ type: 'Ready', status: 'False', reason, message }]

t.test(
  'IS-83 resources of users hold the deletion: a Warning, nothing is removed, and it goes on when they are gone',
  async t => {
    const first = ['ServiceEntry team/shop', 'Telemetry team/shop']
    matches(t, standing({ read: { first, count: 2 } }), {
      steps: [],
      state: 'Warning',
      description:
        'There are Istio resources that block deletion. Please take a look at kyma-system/istio-controller-manager logs to see more information about the warning',
      conditions: ready(
        'IstioCustomResourcesDangling',
        'Istio deletion blocked because of existing Istio custom resources: ServiceEntry team/shop, Telemetry team/shop',
      ),
      next: { is: 'waiting', seconds: 60 },
    })
  },
)

t.test('IS-84 of thirteen resources the condition and one Event name ten', async t => {
  const first = Array.from({ length: 10 }, (_, i) => `Gateway team/gateway-${i}`)
  const message = `Istio deletion blocked because of existing Istio custom resources: ${first.join(', ')} and 3 more`
  const { conditions, events } = standing({ read: { first, count: 13 } })
  matches(t, conditions, ready('IstioCustomResourcesDangling', message))
  const event = { type: 'Warning', reason: 'IstioCustomResourcesDangling', message }
  // The same occasion makes one Event of all calls.
  matches(t, events, [{ ...event, occasion: '2026-01-02T00:00:00Z' }])
})

t.test('IS-90 as long as it is not known what blocks, nothing is removed', async t => {
  matches(t, standing({ failed: 'virtualservices is forbidden' }), {
    steps: [],
    state: 'Error',
    description: 'Could not uninstall istio: virtualservices is forbidden',
    conditions: ready('IstioInstallUninstallFailed', 'Istio install or uninstall failed'),
    next: { is: 'failed', seconds: undefined },
  })
})

t.test('IS-108 finalizers of others hold the deletion', async t => {
  const nothing = { read: { first: [], count: 0 } }
  matches(t, standing(nothing, ['x', 'example.com/y']), {
    steps: [],
    state: 'Deleting',
    description: 'Deleting Istio: other finalizers are present: [x example.com/y]',
    conditions: [{ type: 'Ready', status: 'Unknown', reason: 'ReconcileUnknown' }],
    next: { is: 'waiting', seconds: 5 },
  })
  const many = Array.from({ length: 12 }, (_, number) => `x${number}`)
  matches(t, standing(nothing, many), { description: /: \[x0 x1 .* x9 and 2 more\]$/ })
  const dangling = { read: { first: ['Gateway team/shop'], count: 1 } }
  matches(t, standing(dangling, ['x']), { state: 'Warning', next: { is: 'waiting', seconds: 60 } })
})

t.test('IS-89 a deleted Istio without our finalizer: neither it nor anything installed for it is touched', async t => {
  const going = { deletionTimestamp: '2026-01-02T00:00:00Z', finalizers: ['x'] }
  const { plan, status } = told(istioWorld({ istio: istio({ metadata: going }) }))
  t.strictSame([plan.steps, status], [[], {}])
})

t.test(
  'IS-94 mesh resources outside the namespace of the Istio are removed; those that it owns are left to the garbage collector',
  async t => {
    const labels = { [istioNames.labels.module]: istioNames.module }
    const policy = (namespace: string, name: string, metadata: object = { labels }): KubeObject => ({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: `kyma-project.io--${name}`, namespace, ...metadata },
    })
    const context = new SimulatedWorld([
      policy('istio-system', 'istio-pilot'),
      policy('istio-system', 'istio-pilot-jwks', {}),
      policy('istio-system', 'of-somebody'),
      policy('kyma-system', 'allow-istio-controller-manager'),
    ])
    const removed = async (reads: unknown) => {
      const leftovers = await readLeftovers({
        context: { reads },
        world: { istio: deleted() },
      } as unknown as ReaderInput)
      const { plan, status } = told(istioWorld({ istio: deleted(), facts: { leftovers } }))
      return { status, names: plan.steps.flatMap(step => (step.do === 'delete' ? step.target.metadata.name : [])) }
    }
    t.strictSame((await removed(context.reads)).names, ['kyma-project.io--istio-pilot'])
    const { status, names } = await removed({ get: () => Promise.reject(new Error('it is forbidden')) })
    t.strictSame(names, [])
    matches(t, status, { state: 'Error', description: 'Could not uninstall istio: it is forbidden' })
  },
)
