// A relay as it is when nobody tunes it, on a clock that stands still: how long it takes streams and other relays for alive.
import t, { type Test } from 'tap'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { relaySettings } from '../../../shared/http/settings/relay-settings.ts'
import { type RelayOptions, startRelay } from '../../../shared/relay/relay.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { attackers } from '../../http/attackers.ts'
import { type FakeClock, fakeClock } from './fake-clock.ts'
import { type FakeCluster, fakeCluster } from './fake-cluster.ts'
import { type Answer, recordingHost, relayToken } from './recording-host.ts'
import { silentLog } from './silent-log.ts'

const landscape: Landscape = {
  service: 'espalier',
  provider: { name: 'espalier', namespace: 'espalier-system', sweepSeconds: 3600 },
  functions: {
    maps: {
      handler: 'functions/maps/index.maps',
      description: 'Is called for ConfigMaps',
      timeout: 10,
      concurrency: 1,
      memorySize: 64,
      failureBaseSeconds: 1,
      failureMaxSeconds: 10,
      access: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
      events: [{ watch: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', on: ['any'], map: 'self' } }],
    },
  },
}

type Place = { readonly cluster: FakeCluster; readonly clock: FakeClock }

const relayAt = async (t: Test, { cluster, clock }: Place, change: Partial<RelayOptions> = {}) => {
  const relay = await startRelay({
    landscape,
    clusters: oneCluster(cluster.client),
    host: { urlOf: () => 'http://127.0.0.1:1', token: async () => '' },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
    log: silentLog,
    clock,
    ...change,
  })
  t.teardown(() => Promise.all([relay.stop(0), clock.advance(3)]))
  await relay.ready
  return relay
}

/** What a relay is told in its settings where nothing is set. */
const unset = () => {
  const reading = settingsFrom(relaySettings, { program: 'relay', flags: [], environment: {} })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

t.test('RE-06 by default a stream on which nothing arrives is resumed within ten seconds', async t => {
  const place = { cluster: fakeCluster(), clock: fakeClock() }
  await relayAt(t, place)
  const begun = () => place.cluster.requests.filter(({ verb }) => verb === 'watch').length
  t.equal(begun(), 1)
  matches(t, place.cluster.streams('ConfigMap'), [{ timeoutSeconds: 7 }], 'servers are asked to end it sooner')
  await place.clock.advance(10)
  t.equal(begun(), 2)
})

t.test('FN-38 by default the shards of a relay that dies are taken by the other within 15 s', async t => {
  const { leaseSeconds, shards: count } = unset()
  t.strictSame({ leaseSeconds, count }, { leaseSeconds: 9, count: 8 })
  for (const tuning of [undefined, { leaseSeconds }]) {
    const cluster = fakeCluster()
    const [a, b] = [fakeClock(), fakeClock()]
    const sharing = (me: string) => ({ sharing: { me, address: `http://${me}`, count }, tuning })
    await relayAt(t, { cluster, clock: a }, sharing('a'))
    await relayAt(t, { cluster, clock: b }, sharing('b'))
    for (let second = 0; second < 10; second++) for (const clock of [a, b]) await clock.advance(1)
    const holders = async () => {
      const leases = await cluster.client.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' })
      const specs = leases.filter(({ metadata }) => metadata.name.includes('-shard-')).map(({ spec }) => spec)
      return specs.map(spec => (spec as { holderIdentity: string }).holderIdentity).sort()
    }
    t.strictSame(await holders(), [...'aaaabbbb'])
    await b.advance(15)
    t.strictSame(await holders(), [...'bbbbbbbb'], 'b goes on, a has died')
  }
})

t.test('RE-104 a relay keeps its shards while thousands of its requests wait for an answer', async t => {
  const { leaseSeconds, shards: count } = unset()
  const place = { cluster: fakeCluster(), clock: fakeClock() }
  const never = altered(place.cluster.client, () => ({ patch: () => new Promise(() => {}) }))
  const sharing = { me: 'a', address: 'http://a', count, client: place.cluster.client }
  await relayAt(t, place, { clusters: oneCluster(never), sharing, tuning: { leaseSeconds } })
  await place.clock.advance(20)
  const leases = await place.cluster.client.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' })
  t.equal(leases.filter(({ spec }) => (spec as { holderIdentity: string }).holderIdentity === 'a').length, count + 1)
  t.ok(place.cluster.requests.filter(({ verb }) => verb === 'patch').length > 5, 'they are renewed')
})

t.test(
  'FN-101 SEE-84 of twenty objects that a relay finds, one is changed while they wait: it is called next',
  async t => {
    const host = await recordingHost()
    t.teardown(host.close)
    const release = Promise.withResolvers<Answer>()
    host.answer = () => release.promise
    const cluster = fakeCluster()
    const map = (n: number, data = {}) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'x', name: `m-${n}` },
      data,
    })
    for (let n = 10; n < 30; n++) cluster.put(map(n))
    const url = { urlOf: () => host.url, token: async () => relayToken }
    await relayAt(t, { cluster, clock: fakeClock() }, { host: url })
    await host.until(() => host.calls.length === 1)
    cluster.put(map(25, { changed: 'yes' }))
    release.resolve({ outcome: 'settled' })
    await host.until(() => host.calls.length === 20)
    t.strictSame(host.called().slice(0, 4), ['x/m-10', 'x/m-25', 'x/m-11', 'x/m-12'])
    const waiting = host.calls.slice(1).map(call => call.waiting)
    t.strictSame(
      waiting,
      Array.from({ length: 19 }, (_, at) => String(18 - at)),
      'each call says how many keys wait',
    )
  },
)

t.test('RE-27 a relay listens with the limits it was given, and counts what reaches them', async t => {
  const place = { cluster: fakeCluster(), clock: fakeClock() }
  const relay = await relayAt(t, place, { limits: { connections: 2, bodyBytes: 1_000, arrivalSeconds: 120 } })
  const silent = await attackers(t, 3, { port: relay.port })
  await eventually('one is over', async () => silent.some(({ socket }) => socket.destroyed), 60)
  t.equal(silent.filter(({ socket }) => socket.destroyed).length, 1)
  const metrics = await (await fetch(`http://127.0.0.1:${relay.port}/metrics`)).text()
  matches(t, metrics, /espalier_listener_limit_reached_total\{limit="connections"\} 2\n/)
})

/** A function with four places; ConfigMaps of `tenant` and `platform` come one after the other, and no call is answered. */
const calledBeside = async (t: Test, remotes?: Landscape['provider']['remotes'], tenant = 'tenant') => {
  const host = await recordingHost()
  t.teardown(host.close)
  const release = Promise.withResolvers<Answer>()
  t.teardown(() => release.resolve({ outcome: 'settled' }))
  host.answer = () => release.promise
  const cluster = fakeCluster()
  const put = (namespace: string, count: number) => {
    for (let n = 0; n < count; n++)
      cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: `m-${n}` } })
  }
  const maps = landscape.functions.maps as Landscape['functions'][string]
  const events: typeof maps.events = [{ watch: { apiVersion: 'v1', kind: 'ConfigMap', on: ['any'], map: 'self' } }]
  const functions = { maps: { ...maps, concurrency: 4, events } }
  const provider = { ...landscape.provider, ...(remotes && { remotes }) }
  const url = { urlOf: () => host.url, token: async () => relayToken }
  await relayAt(t, { cluster, clock: fakeClock() }, { host: url, landscape: { ...landscape, provider, functions } })
  put(tenant, 60)
  await host.until(() => host.calls.length >= 2)
  put('platform', 60)
  await host.until(() => host.calls.length === 4)
  return host.called().sort()
}

t.test(
  'RE-77 sixty objects of one namespace whose calls hang leave half of the places to other namespaces',
  async t => {
    t.strictSame(await calledBeside(t), ['platform/m-0', 'platform/m-1', 'tenant/m-0', 'tenant/m-1'])
  },
)

t.test('RE-77 a namespace of the platform, with the Secrets of remote clusters, may have all places', async t => {
  const group = {
    namespace: 'platform',
    optionalLabels: {},
    nameLabel: 'cluster',
    kubeconfigKey: 'config',
    allowedHosts: [],
  }
  const called = await calledBeside(t, { fleet: { ...group, namespace: 'tenant' } })
  t.strictSame(called, ['tenant/m-0', 'tenant/m-1', 'tenant/m-2', 'tenant/m-3'])
})

t.test('RE-77 objects without a namespace may have all places', async t => {
  t.strictSame(await calledBeside(t, undefined, ''), ['m-0', 'm-1', 'm-2', 'm-3'])
})
