// Remote clusters begin to be watched a few at a time.
import t from 'tap'
import type { Landscape, WatchEventSettings } from '../../../shared/api/serverless.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { type RelayOptions, startRelay } from '../../../shared/relay/relay.ts'
import { BeginningClusters } from '../../../shared/relay/remote-clusters/beginning-clusters.ts'
import { fakeClock } from './fake-clock.ts'
import { fakeCluster } from './fake-cluster.ts'
import { recordingHost, relayToken } from './recording-host.ts'
import { silentLog } from './silent-log.ts'

const far = {
  namespace: 'kcp',
  optionalLabels: { managed: 'yes' },
  nameLabel: 'kyma',
  kubeconfigKey: 'config',
  allowedHosts: ['*'],
}

const landscape: Landscape = {
  service: 'espalier',
  provider: { name: 'espalier', namespace: 'kcp', sweepSeconds: 3600, remotes: { far } },
  functions: {
    maps: {
      handler: 'functions/maps/index.maps',
      description: 'Is called for clusters',
      timeout: 10,
      concurrency: 1,
      memorySize: 64,
      failureBaseSeconds: 1,
      failureMaxSeconds: 10,
      access: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }],
      events: [{ watch: { cluster: 'far', apiVersion: 'v1', kind: 'ConfigMap', on: ['any'], map: 'cluster' } }],
    },
  },
}

/** Twelve clusters that answer no list before they are told to. */
const twelveClusters = () => {
  const local = fakeCluster()
  const asked: string[] = []
  const lists = new Map<string, PromiseWithResolvers<void>>()
  const clientOf = (name: string): Client => {
    const list = Promise.withResolvers<void>()
    lists.set(name, list)
    const client: Client = {
      ...local.client,
      bound: () => client,
      watch: async function* (query) {
        asked.push(name)
        await list.promise
        if (!query.signal?.aborted) yield* local.client.watch(query)
      },
    }
    return client
  }
  for (let n = 0; n < 12; n++) {
    const metadata = { name: `access-${n}`, namespace: 'kcp', labels: { managed: 'yes', kyma: `rt-${n}` } }
    local.put({ apiVersion: 'v1', kind: 'Secret', metadata })
  }
  const of = async (name: string) => (name === 'local' ? local.client : clientOf(name))
  return { local, asked, of, answer: (name: string) => lists.get(name)?.resolve() }
}

const nobody = { urlOf: () => 'http://127.0.0.1:1', token: async () => '' }

const begunOn = async ({ of }: RelayOptions['clusters'], given: Partial<RelayOptions> = {}) => {
  const clock = fakeClock()
  const relay = await startRelay({
    landscape,
    clusters: { of },
    clock,
    log: silentLog,
    refuses: async () => undefined,
    host: nobody,
    listen: { host: '127.0.0.1', port: 0 },
    ...given,
  })
  await relay.ready
  await clock.advance(0)
  return { relay, clock }
}

t.test('ten clusters begin to be watched; another does when one of them has listed, or after ten seconds', async t => {
  const clusters = twelveClusters()
  const { relay, clock } = await begunOn(clusters)
  t.equal(clusters.asked.length, 10)
  clusters.answer(clusters.asked[3] ?? '')
  await clock.advance(0)
  t.equal(clusters.asked.length, 11)
  await clock.advance(9.9)
  t.equal(clusters.asked.length, 11)
  await clock.advance(0.2)
  t.equal(new Set(clusters.asked).size, 12)
  for (const name of clusters.asked) clusters.answer(name)
  await Promise.all([relay.stop(0), clock.advance(3)])
  t.equal(clock.timers, 0)
})

t.test('a cluster whose Secret goes while it waits for its turn never begins', async t => {
  const clusters = twelveClusters()
  const { relay, clock } = await begunOn(clusters)
  const waiting = Array.from({ length: 12 }, (_, n) => n).filter(n => !clusters.asked.includes(`far/rt-${n}`))
  for (const n of waiting) clusters.local.remove('Secret', `access-${n}`, 'kcp')
  await clock.advance(0)
  for (const name of clusters.asked) clusters.answer(name)
  await clock.advance(11)
  t.equal(clusters.asked.length, 10)
  await Promise.all([relay.stop(0), clock.advance(3)])
})

t.test(
  'RE-103 by default watches in a remote cluster last ten minutes, and one without a sign of life is resumed',
  async t => {
    const [local, remote] = [fakeCluster(), fakeCluster()]
    local.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'access', namespace: 'kcp', labels: { managed: 'yes', kyma: 'rt' } },
    })
    const clusters = { of: async (name: string) => (name === 'local' ? local : remote).client }
    const { relay, clock } = await begunOn({ of: clusters.of })
    const watches = () => remote.requests.filter(({ verb }) => verb === 'watch').length
    t.strictSame(
      remote.streams('ConfigMap').map(({ timeoutSeconds }) => timeoutSeconds),
      [600],
    )
    await clock.advance(149)
    t.equal(watches(), 1)
    await clock.advance(2)
    t.equal(watches(), 2)
    await Promise.all([relay.stop(0), clock.advance(3)])
  },
)

t.test('RE-101 keys wait for five minutes for the turn of their cluster, and for twenty seconds after it', async t => {
  const clock = fakeClock()
  const beginning = new BeginningClusters(clock, ['far'], () => {})
  for (const name of ['far/waits', 'far/lists']) beginning.begins(name)
  beginning.localListed()
  await clock.advance(280)
  beginning.hasTurn('far/lists')
  await clock.advance(19.9)
  t.strictSame([beginning.has('far/waits'), beginning.has('far/lists')], [true, true])
  await clock.advance(0.2)
  t.strictSame([beginning.has('far/waits'), beginning.has('far/lists')], [false, false])
  beginning.hasTurn('far/waits')
  t.notOk(beginning.has('far/waits'), 'a turn that comes later changes nothing')
  t.equal(clock.timers, 0)
})

t.test('RE-105 a relay asks nothing of remote clusters that it does not watch, and calls their objects', async t => {
  const clusters = twelveClusters()
  clusters.local.put({ apiVersion: 'example.com/v1', kind: 'Map', metadata: { name: 'rt-3', namespace: 'kcp' } })
  const host = await recordingHost()
  const own = withOwnObjects()
  const { relay, clock } = await begunOn(clusters, {
    landscape: { ...own, provider: { ...own.provider, remotes: { far: { ...far, watched: false } } } },
    host: { urlOf: name => `${host.url}/functions/${name}`, token: async () => relayToken },
  })
  await host.until(() => host.calls.length > 0)
  t.strictSame(host.called(), ['kcp/rt-3'])
  t.strictSame(clusters.asked, [])
  await Promise.all([relay.stop(0), clock.advance(3)])
  await host.close()
})

/** The landscape with the function's own objects. Each has the name of the cluster that it owns. */
const withOwnObjects = (): Landscape => {
  const { maps } = landscape.functions
  if (!maps) throw new Error('the landscape has no function maps')
  const own: WatchEventSettings = {
    apiVersion: 'example.com/v1',
    kind: 'Map',
    namespace: 'kcp',
    on: ['any'],
    map: 'self',
  }
  return { ...landscape, functions: { maps: { ...maps, concurrency: 20, events: [{ watch: own }, ...maps.events] } } }
}

t.test('RE-101 after the start of the relay, an object is called when its remote cluster is listed', async t => {
  const clusters = twelveClusters()
  const names = Array.from({ length: 12 }, (_, n) => `rt-${n}`)
  const put = (name: string, spec = {}) =>
    clusters.local.put({ apiVersion: 'example.com/v1', kind: 'Map', metadata: { name, namespace: 'kcp' }, spec })
  for (const name of [...names, 'without']) put(name)
  const host = await recordingHost()
  const { relay, clock } = await begunOn(clusters, {
    landscape: withOwnObjects(),
    host: { urlOf: name => `${host.url}/functions/${name}`, token: async () => relayToken },
  })
  await host.until(() => host.calls.length > 0)
  t.strictSame(host.called(), ['kcp/without'], 'an object without a remote cluster does not wait')
  clusters.answer('far/rt-3')
  await clock.advance(0)
  await host.until(() => host.calls.length > 1)
  t.strictSame(host.called(), ['kcp/without', 'kcp/rt-3'])
  put('rt-4', { is: 'changed' })
  await clock.advance(0)
  await host.until(() => host.calls.length > 2)
  t.strictSame(host.called().slice(2), ['kcp/rt-4'], 'news does not wait')
  await clock.advance(20)
  await host.until(() => host.calls.length > 11)
  t.equal(host.calls.length, 12, 'the turn of one cluster came later')
  await clock.advance(10)
  await host.until(() => host.calls.length > 12)
  t.strictSame(host.called().toSorted(), [...names, 'without'].map(name => `kcp/${name}`).toSorted())
  for (const name of clusters.asked) clusters.answer(name)
  await Promise.all([relay.stop(0), clock.advance(3)])
  await host.close()
})

t.test('RE-101 an object waits for the lists of its dependents in its remote cluster, too', async t => {
  const [local, remote] = [fakeCluster(), fakeCluster()]
  const lists = Promise.withResolvers<void>()
  const client: Client = {
    ...remote.client,
    watch: async function* (query) {
      if (query.kind === 'Service') await lists.promise
      yield* remote.client.watch(query)
    },
  }
  const labels = { managed: 'yes', kyma: 'rt' }
  local.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'access', namespace: 'kcp', labels } })
  const items = [{ apiVersion: 'v1', kind: 'Service', namespace: 'x', name: 'a' }]
  local.put({
    apiVersion: 'example.com/v1',
    kind: 'Map',
    metadata: { name: 'of-rt', namespace: 'kcp', labels },
    status: { items },
  })
  const own = withOwnObjects()
  const { maps } = own.functions
  if (!maps) throw new Error('the landscape has no function maps')
  const inventory = { path: 'status.items', ownerLabel: 'owner', cluster: 'far', clusterLabel: 'kyma' }
  const host = await recordingHost()
  const { relay, clock } = await begunOn(
    { of: async name => (name === 'local' ? local.client : client) },
    {
      landscape: { ...own, functions: { maps: { ...maps, events: [...maps.events, { inventory }] } } },
      host: { urlOf: name => `${host.url}/functions/${name}`, token: async () => relayToken },
    },
  )
  await clock.advance(1)
  t.strictSame(host.called(), [], 'the Services are not listed yet')
  lists.resolve()
  await clock.advance(0)
  await host.until(() => host.calls.length > 0)
  t.strictSame(host.called(), ['kcp/of-rt'])
  await Promise.all([relay.stop(0), clock.advance(3)])
  await host.close()
})
