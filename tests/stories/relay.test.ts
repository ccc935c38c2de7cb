/**
 * The relay on a cluster, with a host beside it that notes every call. The cluster may be shared: kinds, namespaces and
 * Leases here have names nobody else uses.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { stringify } from 'yaml'
import type {
  FunctionEvent,
  FunctionSettings,
  Landscape,
  RemoteSettings,
  WatchEventSettings,
} from '../../shared/api/serverless.ts'
import { type KubeObject, keyText, type ObjectMeta, refOf } from '../../shared/core/objects/object.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { isNotFound, isNotServed } from '../../shared/kube/errors.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { type Relay, type RelayOptions, startRelay } from '../../shared/relay/relay.ts'
import { clientTo } from '../faults/clients.ts'
import { faultProxy } from '../faults/proxy/proxy.ts'
import { altered } from '../harness/clients/altered-client.ts'
import { behindKubeconfig, emptyList, flood, listsAndWatches } from '../harness/clients/hostile-api-server.ts'
import { base64 } from '../harness/clients/kubeconfig.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { lacks, matches } from '../harness/matches.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { compileCache } from '../harness/runner/compile-cache.ts'
import { standingRelayClock } from '../harness/standing-clock.ts'
import { eventually } from '../harness/until.ts'
import { type RecordingHost, recordingHost, relayToken } from '../shared/relay/recording-host.ts'
import { keptLog } from '../shared/relay/silent-log.ts'

const unique = randomBytes(4).toString('hex')
const group = `relay-${unique}.espalier.test`
const namespace = `relay-${unique}`
const fieldManager = 'person'
const hostToken = 'token-of-the-host'
const leaseSeconds = 3
/** Longer than a busy machine may stop for, also twice: where nobody is to lose a Lease that lives. */
const longLeaseSeconds = 10

const widgets = { apiVersion: `${group}/v1`, kind: 'Widget' }
const estates = { apiVersion: `${group}/v1`, kind: 'Estate' }
const self: WatchEventSettings = { ...widgets, namespace, on: ['generation', 'deletion'], map: 'self' }

type Cluster = Awaited<ReturnType<typeof anyCluster>>

t.test('a relay on a cluster calls functions for what happens there', async t => {
  const cluster = await anyCluster(t)
  const client = clientFor(t, cluster.kubeconfig)
  await prepare(t, client)
  const people = peopleAt(client)
  t.afterEach(() => tidiedUp(client))

  t.test('FN-30 an object is created, changed, deleted; events during a call lead to one call more', async t => {
    const { host } = await relayFor(t, client, [{ watch: self }])
    await people.create(widget('life'))
    await host.until(() => host.called().includes(`${namespace}/life`))
    const first = Promise.withResolvers<void>()
    host.forget()
    host.answer = async () => {
      await first.promise
      return { outcome: 'settled' }
    }
    await people.change(widget('life'), { spec: { size: 1 } })
    await host.until(() => host.calls.length === 1)
    for (let size = 2; size < 12; size++) await people.change(widget('life'), { spec: { size } })
    await people.create(widget('marker'))
    await host.until(() => host.called().includes(`${namespace}/marker`))
    first.resolve()
    await host.until(() => host.calls.length === 3 && host.calls.every(({ isOver }) => isOver))
    t.strictSame(host.called(), ['life', 'marker', 'life'].map(inNamespace), 'ten changes, one more call')
    await people.delete(widget('life'))
    await host.until(() => host.calls.length === 4)
  })

  t.test('FN-31 a status change is no event under `generation`, and one under `status`', async t => {
    const events = [{ watch: { ...self, on: ['generation'] } }] satisfies FunctionEvent[]
    const status = [{ watch: { ...self, on: ['status'] } }] satisfies FunctionEvent[]
    const { host } = await relayFor(t, client, { 'by-generation': events, 'by-status': status })
    await people.create(widget('filtered'))
    await host.until(() => host.calls.length === 2)
    host.forget()
    await people.change(widget('filtered'), { status: { phase: 'Ready' } }, 'status')
    await host.until(() => host.called('by-status').length === 1)
    await people.change(widget('filtered'), { spec: { size: 7 } })
    await host.until(() => host.called('by-generation').length === 1)
    t.strictSame([host.called('by-generation').length, host.called('by-status').length], [1, 1])
  })

  t.test('FN-32 owner, label, annotation and keys lead to the right keys, none twice', async t => {
    const configMaps = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace,
      labelSelector: 'story',
      on: ['any'],
    } satisfies Partial<WatchEventSettings>
    const { host } = await relayFor(t, client, {
      'by-owner': [{ watch: self }, { watch: { ...configMaps, map: 'owner' } }],
      'by-label': [{ watch: self }, { watch: { ...configMaps, map: { label: 'widget' } } }],
      'by-keys': [{ watch: self }, { watch: { ...configMaps, map: 'keys' } }],
      'by-estate': [{ watch: { ...estates, on: ['any'], map: 'self' } }, { watch: { ...configMaps, map: 'owner' } }],
    })
    host.keys = ({ object }) =>
      ['one', 'one', 'two'].map(name => ({ namespace, name: `${object.metadata.name}-${name}` }))
    const owner = await people.create(widget('owner'))
    const estate = await people.create({ ...estates, metadata: { name: `estate-${unique}` } })
    await host.until(() => ['by-owner', 'by-label', 'by-keys', 'by-estate'].every(name => host.called(name).length > 0))
    host.forget()
    await people.create(configMap('owned', { ownerReferences: [ownerReference(owner)] }))
    await host.until(() => host.called('by-owner').length === 1 && host.called('by-keys').length === 2)
    t.strictSame(host.called('by-owner'), [inNamespace('owner')])
    t.strictSame(host.called('by-keys'), [inNamespace('owned-one'), inNamespace('owned-two')])
    await people.create(configMap('labelled', { labels: { widget: 'one' } }))
    await host.until(() => host.called('by-label').length === 1)
    await people.change(configMap('labelled'), { metadata: { labels: { widget: 'two' } } })
    await host.until(() => host.called('by-label').length === 3)
    t.strictSame(host.called('by-label'), ['one', 'one', 'two'].map(inNamespace), 'the label moved: both are called')
    await people.create(configMap('of-the-estate', { ownerReferences: [ownerReference(estate)] }))
    await host.until(() => host.called('by-estate').length === 1)
    t.strictSame(host.called('by-estate'), [`estate-${unique}`], 'an owner without a namespace')
  })

  t.test('FN-32 the data of Secrets never leaves the relay', async t => {
    const canary = `canary-${unique}`
    const { host, lines } = await relayFor(t, client, [
      { watch: { apiVersion: 'v1', kind: 'Secret', namespace, on: ['any'], map: 'keys' } },
      { watch: self },
    ])
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"k":"${canary}"}}` }
    await people.create({ ...secret('kept', { annotations }), stringData: { k: canary } })
    const isAbout = (name: string) => host.questions.some(({ object }) => object.metadata.name === name)
    await host.until(() => isAbout('kept'))
    lacks(t, JSON.stringify(host.questions), new RegExp(`${canary}|${Buffer.from(canary).toString('base64')}`))
    lacks(t, JSON.stringify(lines), new RegExp(canary))
  })

  t.test('FN-33 RE-07 a call that fails is made again, others are not held up, Retry-After is obeyed', async t => {
    const { host, handOver } = await relayFor(t, client, [{ watch: self }])
    const replies = [{ status: 500 }, { outcome: 'failed' as const }, { status: 503, retryAfterSeconds: 1 }]
    host.answer = ({ key }) => (key.endsWith('bad') && replies.shift()) || { outcome: 'settled' }
    await handOver(['bad'])
    await host.until(() => host.calls.length === 1)
    await handOver(['good'])
    await host.until(() => host.called().includes(inNamespace('good')))
    await host.until(() => host.calls.length === 5)
    const bad = host.calls.filter(({ key }) => key.endsWith('bad'))
    t.equal(bad.length, 4)
    t.ok((bad[3]?.at ?? 0) - (bad[2]?.at ?? 0) >= 999, 'not before the host asked for it')
  })

  t.test('RE-07 30 % of the calls fail for a while: at most three times the attempts', async t => {
    const { host, handOver } = await relayFor(t, client, [{ watch: self }])
    const chance = seeded(7)
    host.answer = () => (chance() < 0.3 ? { status: chance() < 0.5 ? 500 : 503 } : { outcome: 'settled' })
    const names = Array.from({ length: 200 }, (_, n) => `flaky-${n}`)
    const done = new Set<string>()
    const { answer } = host
    host.answer = async call => {
      const reply = await answer(call)
      if ('outcome' in reply) done.add(call.key)
      return reply
    }
    await handOver(names)
    await host.until(() => done.size === names.length)
    t.ok(host.calls.length <= 3 * names.length, `${host.calls.length} calls for ${names.length} keys`)
  })

  t.test('FN-34 KY-182 requeueAfterSeconds is obeyed quietly once settled, and an event comes first, once', async t => {
    const { host, handOver } = await relayFor(t, client, [{ watch: self }])
    const answers = [
      { outcome: 'waiting' as const, requeueAfterSeconds: 0.3 },
      { outcome: 'settled' as const, requeueAfterSeconds: 0.3 },
      { outcome: 'settled' as const, requeueAfterSeconds: 600 },
    ]
    host.answer = () => answers.shift() ?? { outcome: 'settled' }
    await handOver(['again'])
    await host.until(() => host.calls.length === 3)
    await handOver(['again'])
    await host.until(() => host.calls.length === 4)
    t.equal(answers.length, 0)
    const areQuiet = host.calls.map(({ isQuiet }) => isQuiet)
    t.strictSame(areQuiet, [false, false, true, false])
  })

  t.test('FN-35 never more than n calls at once, never two for one key, no function starves', async t => {
    const { host, handOver } = await relayFor(t, client, { busy: [{ watch: self }], quiet: [{ watch: self }] })
    const running = new Set<string>()
    let doubled = 0
    host.answer = async ({ function: name, key }) => {
      if (running.has(`${name} ${key}`)) doubled++
      running.add(`${name} ${key}`)
      await wait(2)
      running.delete(`${name} ${key}`)
      return { outcome: 'settled' }
    }
    const names = Array.from({ length: 1000 }, (_, n) => `key-${n}`)
    await handOver(names)
    await handOver(names)
    await handOver(['mine'], 'quiet')
    await host.until(() => host.called('quiet').length === 1)
    t.ok(host.called('busy').length < 1000, 'the quiet function did not wait for the busy one')
    await host.until(() => new Set(host.called('busy')).size === 1000)
    t.ok(host.most <= 5 + 5, `${host.most} at once`)
    t.equal(doubled, 0)
    const firsts = [...new Set(host.called('busy'))]
    const shifts = names.map((name, place) => Math.abs(firsts.indexOf(inNamespace(name)) - place))
    t.ok(Math.max(...shifts) < 10, 'first come, first served, but for those under way at once')
  })

  t.test('FN-36 a schedule calls the function for every object of its kind', async t => {
    for (const name of ['tick-1', 'tick-2', 'tick-3']) await people.create(widget(name))
    const { host, relay } = await relayFor(t, client, [
      { watch: { ...self, labelSelector: 'none=here' } },
      { watch: { ...self, labelSelector: 'tick', on: ['generation'] } },
      { schedule: { cron: '* * * * * *', timeZone: 'Europe/Berlin', spreadSeconds: 0 } },
    ])
    for (const name of ['tick-1', 'tick-2'])
      await people.change(widget(name), { metadata: { labels: { tick: 'yes' } } })
    await relay.ready
    host.forget()
    await host.until(() => ['tick-1', 'tick-2'].every(name => timesOf(host, inNamespace(name)) >= 2))
    t.equal(timesOf(host, inNamespace('tick-3')), 0, 'only objects the function asked for')
  })

  t.test(
    'FN-37 RE-14 a restart lists everything again and calls it; two relays at once cost duplicates only',
    async t => {
      const names = ['again-1', 'again-2', 'again-3']
      for (const name of names) await people.create(widget(name))
      const first = await relayFor(t, client, [{ watch: self }])
      const isCalled = (host: RecordingHost) => names.every(name => host.called().includes(inNamespace(name)))
      await first.host.until(() => isCalled(first.host))
      const second = await relayFor(t, client, [{ watch: self }])
      await second.host.until(() => isCalled(second.host))
      first.host.forget()
      second.host.forget()
      await people.change(widget('again-1'), { spec: { size: 3 } })
      await Promise.all(
        [first, second].map(({ host }) => host.until(() => host.called().includes(inNamespace('again-1')))),
      )
      t.strictSame([first.host.calls.length, second.host.calls.length], [1, 1])
    },
  )

  t.test('FN-41 an access Secret appears, changes, goes: watches of its cluster start, move, end', async t => {
    const remotes = { runtimes: remoteGroup }
    const events: FunctionEvent[] = [
      { watch: { ...self, labelSelector: 'local=only' } },
      { watch: { ...self, cluster: 'runtimes', on: ['generation'], map: 'cluster' } },
    ]
    const { host, metrics } = await relayFor(t, client, events, { remotes })
    await people.create(widget('in-the-runtime'))
    const access = secret('access', { labels: { access: unique, owner: 'kyma-1' } })
    await people.create({ ...access, stringData: { config: cluster.kubeconfig } })
    await host.until(() => host.called().includes(inNamespace('kyma-1')))
    matches(t, await metrics(), /espalier_remote_cluster_up\{cluster="runtimes\/kyma-1"\} 1/)
    host.forget()
    await people.change(access, { stringData: { config: `# rotated\n${cluster.kubeconfig}` } })
    await host.until(() => host.calls.length > 0)
    host.forget()
    await people.change(widget('in-the-runtime'), { spec: { size: 5 } })
    await host.until(() => host.calls.length > 0)
    t.strictSame(host.called(), [inNamespace('kyma-1')], 'called once: nothing of the old credentials is left')
    await people.change(access, { stringData: { config: 'no kubeconfig' } })
    await until(async () => (await metrics()).includes('espalier_remote_cluster_up{cluster="runtimes/kyma-1"} 0'))
    await people.change(access, { stringData: { config: cluster.kubeconfig } })
    await until(async () => (await metrics()).includes('espalier_remote_cluster_up{cluster="runtimes/kyma-1"} 1'))
    await people.delete(access)
    await until(async () => !(await metrics()).includes('runtimes/kyma-1'))
  })

  t.test(
    'FN-43 kinds named in an inventory are watched, by owner label or by name, while somebody needs them',
    async t => {
      const labelled = { path: 'status.inventory', ownerLabel: 'owner-id', ownerAnnotation: 'owner' }
      const { host } = await relayFor(t, client, {
        labelled: [{ watch: self }, { inventory: labelled }],
        named: [{ watch: self }, { inventory: { path: 'status.inventory' } }],
      })
      const inventory = [{ group: '', version: 'v1', kind: 'ConfigMap', namespace, name: 'dependent' }]
      const dependent = configMap('dependent', {
        labels: { 'owner-id': 'x' },
        annotations: { owner: inNamespace('stock') },
      })
      await people.create(dependent)
      await people.create(widget('stock'))
      await people.change(widget('stock'), { status: { inventory } }, 'status')
      await host.until(() => ['labelled', 'named'].every(name => timesOf(host, inNamespace('stock'), name) >= 2))
      host.forget()
      await people.change(dependent, { data: { k: 'drift' } })
      await host.until(() => ['labelled', 'named'].every(name => host.called(name).length === 1))
      await people.delete(dependent)
      await host.until(() => ['labelled', 'named'].every(name => host.called(name).length === 2))
      t.ok(host.called().every(key => key === inNamespace('stock')))
    },
  )

  t.test('RE-28 a hostile remote cluster calls its own owners alone, and they have half of the slots', async t => {
    const named = ['bad-0', 'good', 'nobody', 'bad-0'].map(inNamespace)
    const metadata = (n: number) => ({
      labels: { 'owner-id': 'any' },
      annotations: { owner: named[n % named.length] ?? '' },
    })
    const hostile = await behindKubeconfig(t, listsAndWatches(emptyList, flood(metadata)))
    await client.create({ ...secret('hostile'), data: { value: base64(hostile.kubeconfig) } }, { fieldManager })
    const inventory = {
      path: 'status.inventory',
      ownerLabel: 'owner-id',
      ownerAnnotation: 'owner',
      kubeConfigPath: 'spec.kubeConfig',
      kubeConfigHosts: ['127.0.0.1'],
    }
    const over = Promise.withResolvers<void>()
    const { host } = await relayFor(t, client, [{ watch: self }, { inventory }], { timeout: 600 })
    host.answer = async ({ key }) => {
      if (key.includes('/bad-')) await over.promise
      return { outcome: 'settled' }
    }
    const running = () => host.calls.filter(({ key, isOver }) => key.includes('/bad-') && !isOver).length
    for (let n = 0; n < 6; n++) {
      const bad = { ...widget(`bad-${n}`), spec: { kubeConfig: { name: 'hostile' } } }
      await people.create(bad)
      const status = { inventory: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'any' }] }
      await people.change(bad, { status }, 'status')
    }
    await host.until(() => running() === 2)
    await until(async () => hostile.asked.some(path => path.includes('watch=true')) && hostile.sent() > 2 ** 20)
    await people.create(widget('good'))
    for (let size = 1; size <= 5; size++) {
      await host.until(() => timesOf(host, inNamespace('good')) === size)
      await people.change(widget('good'), { spec: { size } })
    }
    await host.until(() => timesOf(host, inNamespace('good')) === 6)
    t.equal(running(), 2)
    over.resolve()
    await host.until(() =>
      Array.from({ length: 6 }, (_, n) => inNamespace(`bad-${n}`)).every(key => timesOf(host, key)),
    )
    t.strictSame(
      host.called().filter(key => key.endsWith('/nobody')),
      [],
    )
    t.equal(timesOf(host, inNamespace('good')), 6, 'the hostile cluster does not call it')
  })

  t.test('FN-44 keys handed over: who may, what is unknown, and not while it starts or ends', async t => {
    const held = Promise.withResolvers<void>()
    // An owner of a kind in all namespaces: the relay asks for its scope before it begins.
    const events = [
      { watch: { ...self, namespace: undefined } },
      { watch: { ...self, kind: 'ConfigMap', apiVersion: 'v1', map: 'owner' } },
    ]
    const { host, relay, post } = await relayFor(t, slowed(client, held.promise), events as FunctionEvent[])
    const body = { function: 'widgets', keys: [{ namespace, name: 'handed' }] }
    t.equal((await post(body)).status, 503, 'while it starts')
    held.resolve()
    await relay.ready
    t.equal((await post(body, 'of somebody else')).status, 401)
    matches(t, await (await post({ ...body, function: 'nobody' })).json(), {
      code: 'unknownFunction',
      functions: ['widgets'],
    })
    t.equal((await post({ ...body, function: 'nobody' })).status, 404)
    for (const bad of [{ function: 'widgets' }, { ...body, keys: [{ name: 'x' }] }, { keys: [] }, []])
      t.equal((await post(bad)).status, 400)
    t.equal((await post({ ...body, padding: 'x'.repeat(2 ** 20) })).status, 413)
    t.equal((await post(body)).status, 202)
    await host.until(() => host.called().includes(inNamespace('handed')))
    const answered = Promise.withResolvers<void>()
    host.answer = async () => {
      await answered.promise
      return { outcome: 'settled' }
    }
    await post(body)
    await host.until(() => timesOf(host, inNamespace('handed')) === 2)
    const stopped = relay.stop()
    t.equal((await post(body)).status, 503, 'while it ends')
    answered.resolve()
    await stopped
    t.ok(
      host.calls.every(({ isOver }) => isOver),
      'calls under way were let end',
    )
  })

  t.test('RE-11 callbacks that come tenfold are coalesced', async t => {
    const { host, handOver } = await relayFor(t, client, [{ watch: self }])
    const handedOver = Promise.withResolvers<void>()
    host.answer = async () => {
      await handedOver.promise
      return { outcome: 'settled' }
    }
    const names = ['c-1', 'c-2', 'c-3']
    await Promise.all(Array.from({ length: 10 }, () => handOver(names)))
    handedOver.resolve()
    await handOver(['last'])
    await host.until(() => host.called().includes(inNamespace('last')))
    await host.until(() => host.calls.every(({ isOver }) => isOver))
    for (const name of names) t.ok(timesOf(host, inNamespace(name)) <= 2, `${timesOf(host, inNamespace(name))} calls`)
  })

  t.test('FN-12 the metrics carry the usual names', async t => {
    const { host, handOver, metrics } = await relayFor(t, client, [{ watch: self }])
    let failures = 1
    host.answer = ({ key }) => (key.endsWith('counted') && failures-- > 0 ? { status: 500 } : { outcome: 'settled' })
    await handOver(['counted'])
    await host.until(() => timesOf(host, inNamespace('counted')) === 2)
    await host.until(() => host.calls.every(({ isOver }) => isOver))
    const text = await metrics()
    for (const line of [
      /^workqueue_depth\{name="widgets"\} 0$/m,
      /^workqueue_adds_total\{name="widgets"\} [1-9]\d*$/m,
      /^workqueue_retries_total\{name="widgets"\} 1$/m,
      /^workqueue_queue_duration_seconds_count\{name="widgets"\} [1-9]\d*$/m,
      /^workqueue_work_duration_seconds_count\{name="widgets"\} [1-9]\d*$/m,
      /^workqueue_unfinished_work_seconds\{name="widgets"\} 0$/m,
      /^controller_runtime_max_concurrent_reconciles\{controller="widgets"\} [1-9]\d*$/m,
      /^# TYPE espalier_watch_resumes_total counter$/m,
      /^nodejs_eventloop_lag_seconds /m,
      /^process_resident_memory_bytes /m,
    ])
      matches(t, text, line)
  })

  t.test('what the network and the API server do on bad days loses no call', async t => {
    const token = await administratorToken(t, client)
    await badDays(t, { cluster, people, token })
  })
  t.test('several relays share the keys of one cluster', async t => severalRelays(t, cluster, client))
})

type BadDays = { cluster: Cluster; people: People; token: string }

/** What the network and the API server do on bad days, by a proxy in between. */
async function badDays(t: Test, { cluster, people, token }: BadDays): Promise<void> {
  const proxy = await faultProxy(cluster)
  const client = clientTo(proxy, { token })
  t.teardown(async () => {
    await client.close()
    await proxy.close()
  })
  const match = { group, resource: 'widgets' }
  const listed = () =>
    proxy.ledger.arrivals.filter(({ verb, resource }) => verb === 'list' && resource === 'widgets').length

  const cases = [
    { id: 'RE-06 FN-42', fault: { do: 'cut' }, cause: 'dropped', lists: 0 },
    { id: 'RE-06 FN-42', fault: { do: 'end' }, cause: 'ended', lists: 0 },
    { id: 'RE-06 FN-42', fault: { do: 'freeze' }, cause: 'silent', lists: 0 },
    { id: 'RE-06', fault: { do: 'garbage', text: '{"type":"ADDED","obj' }, cause: 'garbage', lists: 1 },
    { id: 'RE-05', fault: { do: 'gone' }, cause: 'gone', lists: 1 },
  ] as const
  for (const { id, fault, cause, lists } of cases) {
    t.test(`${id} ${fault.do}: what happens meanwhile is made up for`, async t => {
      // Only silence needs a short one: it also says how long a watch lasts before it ends as asked for.
      const idleSeconds = fault.do === 'freeze' ? 4 : 60
      const { host, relay, metrics } = await relayFor(t, client, [{ watch: self }], { tuning: { idleSeconds } })
      const resumed = new RegExp(`^espalier_watch_resumes_total\\{kind="Widget",cause="${cause}"\\} (\\d+)$`, 'm')
      const resumesIn = (text: string) => Number(resumed.exec(text)?.[1] ?? 0)
      await relay.ready
      const names = ['changed', 'gone', 'same'].map(name => `${fault.do}-${name}`)
      for (const name of names) await people.create(widget(name))
      await host.until(() => names.every(name => host.called().includes(inNamespace(name))))
      const before = { lists: listed(), resumes: resumesIn(await metrics()) }
      host.forget()
      // Between two watches there is none to strike.
      await until(async () => proxy.strikeWatches(match, fault) === 1)
      await people.change(widget(`${fault.do}-changed`), { spec: { size: 9 } })
      await people.delete(widget(`${fault.do}-gone`))
      await host.until(() =>
        [`${fault.do}-changed`, `${fault.do}-gone`].every(name => host.called().includes(inNamespace(name))),
      )
      t.equal(listed() - before.lists, lists, `${lists} lists`)
      t.equal(resumesIn(await metrics()) - before.resumes, 1, cause)
    })
  }

  t.test('RE-04 events that no watch ever told are made up for by the next list', async t => {
    const { host, relay } = await relayFor(t, client, [{ watch: self }])
    await relay.ready
    for (const name of ['lost-changed', 'lost-gone']) await people.create(widget(name))
    await host.until(() => host.calls.length >= 2)
    proxy.strikeWatches(match, { do: 'lose' })
    host.forget()
    await people.change(widget('lost-changed'), { spec: { size: 9 } })
    await people.delete(widget('lost-gone'))
    proxy.strikeWatches(match, { do: 'gone' })
    await host.until(() => ['lost-changed', 'lost-gone'].every(name => host.called().includes(inNamespace(name))))
  })

  t.test('RE-05 410 as an HTTP status: one list in pages, and deletions are noticed', async t => {
    const { host, relay } = await relayFor(t, client, [{ watch: self }])
    await relay.ready
    await people.create(widget('http-gone'))
    await host.until(() => host.called().includes(inNamespace('http-gone')))
    const answer = { do: 'answer', code: 410, reason: 'Expired' } as const
    const injected = proxy.inject({ match: { ...match, verbs: ['watch'] }, fault: answer })
    const before = listed()
    host.forget()
    proxy.strikeWatches(match, { do: 'cut' })
    await injected.strikes
    await people.delete(widget('http-gone'))
    await host.until(() => host.called().includes(inNamespace('http-gone')))
    t.equal(listed() - before, 1)
  })

  t.test('FN-42 429 and 5xx on a watch: resumed, never silent', async t => {
    const { host, relay, lines, metrics } = await relayFor(t, client, [{ watch: self }])
    await relay.ready
    for (const [code, reason] of [
      [429, 'TooManyRequests'],
      [500, 'InternalError'],
    ] as const) {
      const name = `answered-${code}`
      const fault = { do: 'answer', code, reason, retryAfterSeconds: 1 } as const
      const injected = proxy.inject({ match: { ...match, verbs: ['watch'] }, fault })
      proxy.strikeWatches(match, { do: 'cut' })
      await injected.strikes
      await people.create(widget(name))
      await host.until(() => host.called().includes(inNamespace(name)))
    }
    matches(t, await metrics(), /cause="throttled"\} 1[\s\S]*cause="unavailable"\} 1/)
    const said = lines.filter(({ level }) => level !== 'debug').map(({ message }) => message)
    t.ok(said.includes('watch interrupted') && said.includes('watch works again'))
  })

  t.test('RE-08 /readyz says when the API server cannot be asked, and when it can again', async t => {
    const { host, relay, ready } = await relayFor(t, client, [{ watch: self }])
    await relay.ready
    t.strictSame(await ready(), { ready: true, faults: {} })
    const injected = proxy.inject({ match: {}, times: 1000, fault: { do: 'answer', code: 503, reason: 'Away' } })
    proxy.strikeWatches({}, { do: 'cut' })
    await until(async () => 'apiServer' in (await ready()).faults)
    injected.remove()
    await until(async () => (await ready()).ready)
    await people.create(widget('after-it'))
    await host.until(() => host.called().includes(inNamespace('after-it')))
  })

  t.test('FN-43 a kind the relay may not watch is reported once and polled instead', async t => {
    const { host, relay, lines } = await relayFor(
      t,
      client,
      [{ watch: self }, { inventory: { path: 'status.inventory', ownerLabel: 'polled' } }],
      { tuning: { pollSeconds: 0.2 } },
    )
    await relay.ready
    const fault = { do: 'answer', code: 403, reason: 'Forbidden' } as const
    proxy.inject({ match: { resource: 'configmaps' }, times: 1000, fault })
    await people.create(widget('polled'))
    const inventory = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'any' }]
    await people.change(widget('polled'), { status: { inventory } }, 'status')
    await host.until(() => timesOf(host, inNamespace('polled')) >= 5)
    t.equal(lines.filter(({ message }) => message.startsWith('changes cannot be watched')).length, 1)
    proxy.clear()
  })
}

/** Relays that share the work, one of them in a process of its own that is killed. */
async function severalRelays(t: Test, cluster: Cluster, client: Client): Promise<void> {
  const people = peopleAt(client)
  const names = Array.from({ length: 40 }, (_, n) => `shared-${n}`)
  const createAll = () => Promise.all(names.map(name => people.create(widget(name))))

  t.test('FN-38 FN-37 each key is served by one relay; when one dies the other serves its keys', async t => {
    const sharing = { me: `a-${unique}`, address: 'http://127.0.0.1:1', count: 8 }
    await createAll()
    const here = await relayFor(t, client, [{ watch: self }], { sharing, tuning: { leaseSeconds: longLeaseSeconds } })
    const isCalled = (host: RecordingHost, names: readonly string[]) =>
      names.every(name => host.called().includes(inNamespace(name)))
    await here.host.until(() => isCalled(here.host, names))
    const there = await relayProcess(t, cluster, longLeaseSeconds)
    await there.host.until(() => there.host.calls.length >= names.length / 4)
    await until(async () => (await here.metrics()).includes('espalier_relay_shards_held 4'))
    await until(async () => (await there.metrics()).includes('espalier_relay_shards_held 4'))
    here.host.forget()
    there.host.forget()
    for (const name of names) await people.change(widget(name), { spec: { size: 2 } })
    await until(async () => here.host.calls.length + there.host.calls.length >= names.length)
    const both = here.host.called().filter(key => there.host.called().includes(key))
    t.strictSame(both, [], 'no key is served by both')
    const lost = there.host.called()
    t.ok(lost.length > 0)
    here.host.forget()
    there.kill()
    await here.host.until(() => lost.every(key => here.host.called().includes(key)))
  })

  t.test('FN-38 keys handed to the wrong relay are passed on to the right one', async t => {
    const host = await newHost(t)
    const relays = await Promise.all(
      ['b', 'c'].map(me => relayFor(t, client, [{ watch: self }], { host, sharingAs: me })),
    )
    await createAll()
    const held = async () => Promise.all(relays.map(async ({ metrics }) => /shards_held 4/.test(await metrics())))
    await until(async () => (await held()).every(Boolean))
    host.forget()
    const keys = names.map(name => ({ namespace, name }))
    await until(async () => (await relays[0]?.post({ function: 'widgets', keys }))?.status === 202)
    await host.until(() => names.every(name => host.called().includes(inNamespace(name))))
  })

  t.test('RE-14 killed after it took keys and while it calls: after its restart they are called', async t => {
    await people.create(widget('shared-7'))
    const first = await relayProcess(t, cluster)
    await first.ready
    const unanswered = Promise.withResolvers<never>()
    first.host.forget()
    first.host.answer = () => unanswered.promise
    const body = { function: 'widgets', keys: [{ namespace, name: 'shared-7' }] }
    await until(async () => (await first.post(body)).status === 202)
    await first.host.until(() => first.host.called().includes(inNamespace('shared-7')))
    first.kill()
    const second = await relayProcess(t, cluster)
    await second.host.until(() => second.host.called().includes(inNamespace('shared-7')))
  })
}

type Readiness = { ready: boolean; faults: Record<string, string> }

type People = ReturnType<typeof peopleAt>

function peopleAt(client: Client) {
  return {
    create: (object: KubeObject) => client.create(object, { fieldManager }),
    change: (object: KubeObject, merge: object, subresource?: string) =>
      client.patch(refOf(object), { type: 'merge', body: merge }, { fieldManager, subresource }),
    delete: (object: KubeObject) => client.delete(refOf(object), {}),
  }
}

type Extra = Partial<Pick<RelayOptions, 'sharing' | 'tuning'>> & {
  remotes?: Record<string, RemoteSettings>
  host?: RecordingHost
  /** Of calls, in seconds. */
  timeout?: number
  /** Shares the work under this name, by an address that is known once it listens. */
  sharingAs?: string
}

const remoteGroup: RemoteSettings = {
  namespace,
  optionalLabels: { access: unique },
  nameLabel: 'owner',
  kubeconfigKey: 'config',
  allowedHosts: ['127.0.0.1', 'localhost'],
}

const settingsFor = (events: FunctionEvent[], name: string, timeout = 10): FunctionSettings => ({
  handler: `functions/${name}/index.widgets`,
  description: 'Notes its calls',
  timeout,
  concurrency: 5,
  memorySize: 64,
  failureBaseSeconds: 0.05,
  failureMaxSeconds: 2,
  access: [{ apiGroups: [group], resources: ['widgets'], verbs: ['get', 'list', 'watch'], namespaces: [namespace] }],
  events,
})

const landscapeOf = (
  events: FunctionEvent[] | Record<string, FunctionEvent[]>,
  { remotes, timeout }: Extra,
): Landscape => {
  const named = Array.isArray(events) ? { widgets: events } : events
  return {
    service: 'espalier',
    provider: { name: 'espalier', namespace, sweepSeconds: 3600, ...(remotes ? { remotes } : {}) },
    functions: Object.fromEntries(
      Object.entries(named).map(([name, list]) => [name, settingsFor(list, name, timeout)]),
    ),
  }
}

const newHost = async (t: Test): Promise<RecordingHost> => {
  const host = await recordingHost()
  t.teardown(() => host.close())
  return host
}

/** A relay in this process, and the host it calls. */
async function relayFor(
  t: Test,
  local: Client,
  events: FunctionEvent[] | Record<string, FunctionEvent[]>,
  extra: Extra = {},
) {
  const host = extra.host ?? (await newHost(t))
  const { log, lines } = keptLog()
  const landscape = landscapeOf(events, extra)
  const [port = 0] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const relay: Relay = await startRelay({
    landscape,
    clock: standingRelayClock(),
    clusters: clusters({ local, remotes: landscape.provider.remotes }),
    host: { urlOf: () => host.url, token: async () => relayToken },
    listen: { host: '127.0.0.1', port },
    refuses: async authorization =>
      authorization === `Bearer ${hostToken}` || authorization === `Bearer ${relayToken}`
        ? undefined
        : { status: 401, code: 'unauthenticated', message: 'the caller is not authenticated' },
    log,
    sharing: extra.sharingAs === undefined ? extra.sharing : { me: `${extra.sharingAs}-${unique}`, address, count: 8 },
    tuning: { idleSeconds: 4, leaseSeconds, ...extra.tuning },
  })
  t.teardown(() => relay.stop(1))
  const post = (body: unknown, token = hostToken) => posted(address, body, token)
  const handOver = async (names: readonly string[], name = Object.keys(landscape.functions)[0]) => {
    await relay.ready
    const reply = await post({ function: name, keys: names.map(name => ({ namespace, name })) })
    if (reply.status !== 202) throw new Error(`the relay answered ${reply.status}`)
  }
  const ready = async () => (await fetch(`${address}/readyz`)).json() as Promise<Readiness>
  return { host, relay, lines, post, handOver, ready, metrics: () => metricsAt(address) }
}

/** A relay as it is deployed, but for the shared secret; it can be killed. */
async function relayProcess(t: Test, cluster: Cluster, ofLeases = leaseSeconds) {
  const host = await newHost(t)
  const folder = mkdtempSync(join(tmpdir(), 'espalier-relay-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const landscape = {
    ...landscapeOf([{ watch: self }], {}),
    frameworkVersion: '4',
    configValidationMode: 'error',
  }
  mkdirSync(join(folder, 'functions/widgets'), { recursive: true })
  writeFileSync(join(folder, 'functions/widgets/index.ts'), 'export const widgets = 0\n')
  writeFileSync(join(folder, 'serverless.yml'), stringify(landscape))
  writeFileSync(join(folder, 'kubeconfig'), cluster.kubeconfig, { mode: 0o600 })
  const [port = 0] = await freePorts(1)
  const address = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['shared/main/relay.ts'], {
    env: {
      ...compileCache,
      ESPALIER_LANDSCAPE: join(folder, 'serverless.yml'),
      KUBECONFIG: join(folder, 'kubeconfig'),
      ESPALIER_LISTEN: `127.0.0.1:${port}`,
      ESPALIER_ADDRESS: address,
      ESPALIER_HOST: host.url,
      ESPALIER_LEASE_SECONDS: String(ofLeases),
      ESPALIER_CALLER_PROOF: 'secret',
      ESPALIER_CALLER_SECRET: longSecret,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  return {
    host,
    ready: until(async () => (await fetch(`${address}/readyz`)).status === 200),
    kill: () => child.kill('SIGKILL'),
    exited,
    post: (body: unknown) => posted(address, body, longSecret),
    metrics: () => metricsAt(address),
  }
}

const longSecret = relayToken

const posted = (address: string, body: unknown, token: string) =>
  fetch(`${address}/relay/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const metricsAt = async (address: string): Promise<string> => (await fetch(`${address}/metrics`)).text()

const inNamespace = (name: string): string => keyText({ namespace, name })

const timesOf = (host: RecordingHost, key: string, functionName?: string): number =>
  host.called(functionName).filter(called => called === key).length

const widget = (name: string): KubeObject => ({ ...widgets, metadata: { namespace, name }, spec: { size: 0 } })

/** Its label tells it from those that others put into every namespace. */
const configMap = (name: string, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, ...metadata, labels: { story: unique, ...metadata.labels } },
})

/** The next story begins with nothing. */
async function tidiedUp(client: Client): Promise<void> {
  const ours = `labelSelector=story%3D${unique}`
  const paths = [
    `/apis/${group}/v1/namespaces/${namespace}/widgets`,
    `/apis/${group}/v1/estates`,
    ...['configmaps', 'secrets'].map(plural => `/api/v1/namespaces/${namespace}/${plural}?${ours}`),
  ]
  for (const path of paths) await client.raw({ method: 'DELETE', path })
}

const secret = (name: string, metadata: Partial<ObjectMeta> = {}): KubeObject => ({
  ...configMap(name, metadata),
  kind: 'Secret',
})

const ownerReference = ({ apiVersion, kind, metadata }: KubeObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
})

/** Lists and discovery wait for the test's word. */
function slowed(client: Client, word: Promise<void>): Client {
  return altered(client, real => ({
    raw: async request => {
      await word
      return real.raw(request)
    },
  }))
}

function clientFor(t: Test, kubeconfig: string): Client {
  const verdict = parseKubeconfig(kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const client = createClient(verdict.access)
  t.teardown(() => client.close())
  return client
}

/** Proxies hand on tokens only. */
async function administratorToken(t: Test, client: Client): Promise<string> {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'administrator' } }
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', namespace, name: 'administrator' }],
  }
  for (const object of [account, binding]) await client.create(object, { fieldManager })
  t.teardown(() => client.delete(refOf(binding), {}))
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/administrator/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
  const reply = (await client.raw({ method: 'POST', path, body })) as { status: { token: string } }
  return reply.status.token
}

const definition = (kind: string, plural: string, scope: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
})

async function prepare(t: Test, client: Client): Promise<void> {
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    definition('Widget', 'widgets', 'Namespaced'),
    definition('Estate', 'estates', 'Cluster'),
  ]
  for (const object of objects) await client.create(object, { fieldManager })
  t.teardown(async () => {
    for (const object of objects) await client.delete(refOf(object), {})
  })
  for (const kind of [widgets, estates]) await until(() => isServed(client, kind))
}

/** Discovery follows the CRD when it likes, and no event tells. */
const isServed = async (client: Client, kind: typeof widgets): Promise<boolean> => {
  try {
    await client.list(kind)
    return true
  } catch (error) {
    if (isNotServed(error) || isNotFound(error)) return false
    throw error
  }
}

/** For what no event tells: asked again and again. */
const until = (isSo: () => Promise<boolean>): Promise<void> => eventually(String(isSo), () => isSo().catch(() => false))

/** Numbers from 0 to 1, the same in every run. */
const seeded = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}
