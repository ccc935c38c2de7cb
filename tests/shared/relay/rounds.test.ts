// What the relay does by the clock: schedules, the sweep, and sharing the work with other relays; on clocks that stand
// still, so that an hour passes at once and a jump of the time of day can be made to happen.
import t from 'tap'
import type { FunctionSettings, ScheduleSettings, WatchEventSettings } from '../../../shared/api/serverless.ts'
import { type KubeObject, keyText } from '../../../shared/core/objects/object.ts'
import { KindNotServed } from '../../../shared/kube/errors.ts'
import { reconcilersOf } from '../../../shared/relay/reconcilers.ts'
import { Rounds, startSchedules, startSweep, startTicking } from '../../../shared/relay/rounds.ts'
import { Leases } from '../../../shared/relay/shards/leases.ts'
import { SharedShards } from '../../../shared/relay/shards/shards.ts'
import { sharesOf } from '../../../shared/relay/shards/shares.ts'
import { type FakeClock, fakeClock } from './fake-clock.ts'
import { apiError, type FakeCluster, fakeCluster } from './fake-cluster.ts'
import { silentLog } from './silent-log.ts'

const garden = (name: string): KubeObject => ({ apiVersion: 'example/v1', kind: 'Garden', metadata: { name } })

const own: WatchEventSettings = { apiVersion: 'example/v1', kind: 'Garden', on: ['generation'], map: 'self' }

const reconcilerFor = (events: FunctionSettings['events']) => {
  const settings: FunctionSettings = {
    handler: 'functions/care/index.care',
    description: '',
    timeout: 30,
    concurrency: 5,
    memorySize: 128,
    failureBaseSeconds: 1,
    failureMaxSeconds: 300,
    access: [],
    events,
  }
  const provider = { name: 'espalier' as const, namespace: 'espalier-system', sweepSeconds: 3600 }
  return reconcilersOf({ service: 'test', provider, functions: { care: settings } })
}

/** Rounds over the Gardens of a cluster, and when which of them was called, in seconds. */
const roundsOf = (cluster: FakeCluster, clock: FakeClock) => {
  const calls: { key: string; at: number; isRoutine?: boolean }[] = []
  const rounds = new Rounds({
    client: cluster.client,
    clock,
    log: silentLog,
    enqueue: (_, key, trigger) => void calls.push({ key: keyText(key), at: clock.monotonic() / 1000, ...trigger }),
  })
  return { rounds, calls }
}

/** Who names none has that of the machine, which is another one on each. */
const timeZone = 'UTC'

const ticksOf = async (settings: ScheduleSettings, from: string, hours: number): Promise<string[]> => {
  const clock = fakeClock(new Date(from))
  const ticks: string[] = []
  const stop = startTicking(settings, clock, () => void ticks.push(clock.today().toISOString()))
  await clock.advance(hours * 3600)
  stop()
  return ticks
}

t.test('FN-36 a schedule ticks by the calendar of its time zone', async t => {
  t.strictSame(await ticksOf({ cron: '0 * * * *', timeZone }, '2030-01-01T00:30:00Z', 2), [
    '2030-01-01T01:00:00.000Z',
    '2030-01-01T02:00:00.000Z',
  ])
  const berlin = { cron: '0 8 * * *', timeZone: 'Europe/Berlin' }
  t.strictSame(await ticksOf(berlin, '2030-01-01T00:00:00Z', 24), ['2030-01-01T07:00:00.000Z'])
  t.strictSame(await ticksOf(berlin, '2030-07-01T00:00:00Z', 24), ['2030-07-01T06:00:00.000Z'], 'in summer time')
})

t.test('RE-15 FN-36 a schedule goes on when the time of day is set back', async t => {
  const clock = fakeClock(new Date('2030-01-01T12:05:00Z'))
  const ticks: string[] = []
  const stop = startTicking(
    { cron: '*/10 * * * *', timeZone },
    clock,
    () => void ticks.push(clock.today().toISOString()),
  )
  clock.setToday(new Date('2030-01-02T12:05:00Z'))
  await clock.advance(120)
  clock.setToday(new Date('2030-01-01T12:07:00Z'))
  ticks.length = 0
  await clock.advance(900)
  stop()
  t.strictSame(ticks, ['2030-01-01T12:10:00.000Z', '2030-01-01T12:20:00.000Z'])
})

t.test('FN-36 a schedule calls every object of the kind, spread over the interval', async t => {
  const clock = fakeClock(new Date('2030-01-01T00:59:00Z'))
  const cluster = fakeCluster({ pageSize: 50 })
  const names = Array.from({ length: 200 }, (_, n) => `garden-${n}`)
  for (const name of names) cluster.put(garden(name))
  const { rounds, calls } = roundsOf(cluster, clock)
  const schedule = { cron: '0 * * * *', timeZone, spreadSeconds: 600 }
  const stop = startSchedules(reconcilerFor([{ watch: own }, { schedule }]), { clock, rounds })
  await clock.advance(60 + 600)
  stop()
  t.strictSame(calls.map(({ key }) => key).sort(), names.sort())
  const tenths = new Set(calls.map(({ at }) => Math.floor((at - 60) / 60)))
  t.equal(tenths.size, 10, 'some in every tenth of the interval')
  t.ok(calls.every(({ at }) => at >= 60 && at <= 660))
  t.ok(
    calls.every(({ isRoutine }) => isRoutine),
    'FN-101 nothing says that they have changed',
  )
})

t.test('FN-36 a schedule whose list fails tries again until it has listed everything', async t => {
  const clock = fakeClock()
  const cluster = fakeCluster()
  cluster.put(garden('a'))
  const heal = cluster.fail(
    () => true,
    () => apiError(503),
  )
  const { rounds, calls } = roundsOf(cluster, clock)
  startSchedules(reconcilerFor([{ watch: own }, { schedule: { cron: '*/10 * * * *' } }]), { clock, rounds })
  await clock.advance(600)
  heal()
  await clock.advance(60)
  t.strictSame(
    calls.map(({ key }) => key),
    ['a'],
  )
})

t.test('RE-14 the sweep calls every object again within its time, also one created right after a list', async t => {
  const clock = fakeClock()
  const cluster = fakeCluster({ pageSize: 100 })
  const { rounds, calls } = roundsOf(cluster, clock)
  const stop = startSweep(reconcilerFor([{ watch: own }]), { sweepSeconds: 3600, clock, rounds })
  const created = new Map<string, number>()
  for (let n = 0; n < 100; n++) {
    created.set(`garden-${n}`, n * 60)
    cluster.put(garden(`garden-${n}`))
    await clock.advance(60)
  }
  await clock.advance(3600)
  stop()
  const end = clock.monotonic() / 1000
  for (const [name, at] of created) {
    const times = [at, ...calls.filter(({ key }) => key === name).map(call => call.at), end]
    const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0))
    t.ok(Math.max(...gaps) <= 3600.001, `${name}: ${Math.max(...gaps)} s`)
  }
})

t.test('RE-14 the sweep leaves out a kind that is not served, and calls what there is of the others', async t => {
  const clock = fakeClock()
  const cluster = fakeCluster()
  const orchard = { apiVersion: 'example/v1', kind: 'Orchard' }
  cluster.put(garden('a'))
  const install = cluster.fail(
    ({ kind }) => kind === 'Orchard',
    () => new KindNotServed(orchard),
  )
  const { rounds, calls } = roundsOf(cluster, clock)
  const reconcilers = reconcilerFor([{ watch: { ...own, ...orchard } }, { watch: own }])
  const stop = startSweep(reconcilers, { sweepSeconds: 3600, clock, rounds })
  await clock.advance(3700)
  const lists = () => cluster.requests.filter(({ kind }) => kind === 'Orchard').length
  t.equal(lists(), 7, 'one list a slice: none is tried again')
  t.ok(
    calls.some(({ key }) => key === 'a'),
    'a kind beside it is called',
  )
  cluster.put({ ...orchard, metadata: { name: 'b' } })
  install()
  await clock.advance(3700)
  t.ok(
    calls.some(({ key }) => key === 'b'),
    'and the kind itself once it is served',
  )
  stop()
})

t.test('RE-14 rounds whose list fails for long do not pile up, and none is lost', async t => {
  const clock = fakeClock()
  const cluster = fakeCluster({ pageSize: 100 })
  const names = Array.from({ length: 100 }, (_, n) => `garden-${n}`)
  for (const name of names) cluster.put(garden(name))
  const allow = cluster.fail(
    () => true,
    () => apiError(403),
  )
  const { rounds, calls } = roundsOf(cluster, clock)
  const stop = startSweep(reconcilerFor([{ watch: own }]), { sweepSeconds: 3600, clock, rounds })
  await clock.advance(12 * 3600)
  t.ok(clock.timers <= 7, `${clock.timers} timers: one per slice, one for the next`)
  const before = cluster.requests.length
  allow()
  await clock.advance(66 + 3600 / 7)
  stop()
  t.ok(cluster.requests.length - before <= 8, `${cluster.requests.length - before} lists make up for the day`)
  t.strictSame([...new Set(calls.map(({ key }) => key))].sort(), names.sort())
})

t.test('FN-38 shards are shared evenly, and move only when relays come or go', async t => {
  const live = (...names: string[]) => new Set(names)
  const shares = (me: string, holders: (string | undefined)[], relays: string[]) => {
    const held = new Set(holders.flatMap((holder, shard) => (holder === me ? [shard] : [])))
    return sharesOf({ me, live: live(...relays), holders, held })
  }
  const none = [undefined, undefined, undefined, undefined]
  t.strictSame(shares('a', none, ['a']), { take: [0, 1, 2, 3], giveBack: [] })
  t.strictSame(shares('a', none, ['a', 'b']), { take: [0, 1], giveBack: [] })
  t.strictSame(shares('a', ['a', 'a', 'a', 'a'], ['a', 'b']), { take: [], giveBack: [2, 3] })
  t.strictSame(shares('a', ['a', 'a', 'b', 'b'], ['a', 'b']), { take: [], giveBack: [] })
  t.strictSame(shares('a', ['a', 'a', 'b', 'b'], ['a']), { take: [2, 3], giveBack: [] }, 'b is dead')
  const forgotten = sharesOf({ me: 'a', live: live('a'), holders: ['a', 'a'], held: new Set() })
  t.strictSame(forgotten, { take: [0, 1], giveBack: [] }, 'what a lease says is ours must be won again')
})

t.test('FN-38 a Lease names a relay that does not hold its shard: it takes it again or gives it back', async t => {
  const cases = [
    { what: 'it forgot all of them', holders: 'aaaaaaaa', held: [], take: [0, 1, 2, 3], giveBack: [4, 5, 6, 7] },
    { what: 'it has its share', holders: 'aaaabbba', held: [0, 1, 2, 3], take: [], giveBack: [7] },
    { what: 'it has more than its share', holders: 'aaaaaabb', held: [0, 1, 2, 3, 4], take: [], giveBack: [4, 5] },
    { what: 'others are free too', holders: 'ccccaaab', held: [], take: [4, 5, 6, 0], giveBack: [] },
    { what: 'free ones alone', holders: 'aaabcbbb', held: [0, 1, 2], take: [4], giveBack: [] },
  ]
  for (const { what, holders, held, take, giveBack } of cases) {
    const view = { me: 'a', live: new Set(['a', 'b']), holders: [...holders], held: new Set(held) }
    t.strictSame(sharesOf(view), { take, giveBack }, what)
  }
})

const texts = Array.from({ length: 400 }, (_, n) => `care garden-${n}`)

/** A relay's shards on a clock of its own. */
const relayOf = (t: { teardown(cleanUp: () => unknown): void }, me: string, cluster: FakeCluster, clock: FakeClock) => {
  const gained: string[] = []
  const leases = new Leases({
    client: cluster.client,
    namespace: 'espalier-system',
    me,
    address: `http://${me}`,
    leaseSeconds: 9,
    today: clock.today,
  })
  const shards = new SharedShards({
    me,
    count: 8,
    leases,
    clock,
    log: silentLog,
    leaseSeconds: 9,
    renewSeconds: 2,
    gained: (_, isGained) => void gained.push(...texts.filter(isGained)),
  })
  t.teardown(() => Promise.all([shards.leave(), clock.advance(3)]))
  return { me, shards, clock, gained, holds: () => texts.filter(text => shards.holds(text)) }
}

type TestRelay = ReturnType<typeof relayOf>

/** All clocks go on together, in small steps. */
const advance = async (relays: readonly { clock: FakeClock }[], seconds: number): Promise<void> => {
  for (let step = 0; step < seconds * 2; step++) for (const { clock } of relays) await clock.advance(0.5)
}

/** Keys that nobody holds, and keys that more than one holds. */
const faultsOf = (relays: readonly TestRelay[]) => {
  const holders = texts.map(text => relays.filter(({ shards }) => shards.holds(text)).length)
  return { unheld: holders.filter(n => n === 0).length, doubled: holders.filter(n => n > 1).length }
}

t.test('FN-38 each key is served by one relay; when one dies the other serves its keys within 15 s', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await a.shards.join()
  t.equal(a.holds().length, texts.length, 'alone it serves everything at once')
  await b.shards.join()
  await advance([a, b], 10)
  t.strictSame(faultsOf([a, b]), { unheld: 0, doubled: 0 })
  t.strictSame([a.shards.held, b.shards.held], [4, 4])
  const lost = a.holds()
  await advance([b], 15)
  t.equal(b.holds().length, texts.length)
  t.ok(
    lost.every(text => b.gained.includes(text)),
    'and calls them all',
  )
})

t.test('FN-37 a paused relay that wakes up serves nothing until it has won shards again', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await Promise.all([a.shards.join(), b.shards.join()])
  await advance([a, b], 10)
  a.clock.freeze(20)
  t.strictSame(a.holds(), [], 'its own renewal is too old, before it has looked at anything')
  await advance([b], 20)
  t.equal(b.holds().length, texts.length)
  await advance([a, b], 10)
  t.strictSame(faultsOf([a, b]), { unheld: 0, doubled: 0 })
})

/** The versions of all Leases, by name. */
const leaseVersions = async ({ client }: FakeCluster): Promise<Map<string, string | undefined>> => {
  const leases = await client.list({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' })
  return new Map(leases.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
}

t.test('FN-37 a paused relay writes each Lease again before it serves, though no other relay took one', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  await a.shards.join()
  await advance([a], 10)
  const writtenDuring = async (act: () => Promise<void>): Promise<number> => {
    const before = await leaseVersions(cluster)
    await act()
    const after = await leaseVersions(cluster)
    return [...after].filter(([name, version]) => version !== before.get(name)).length
  }
  t.equal(await writtenDuring(() => advance([a], 10)), 1, 'a relay that renews in time writes its own Lease alone')
  a.clock.freeze(20)
  t.equal(await writtenDuring(() => advance([a], 10)), 9)
  t.equal(a.holds().length, texts.length)
})

t.test('FN-38 a relay that stalls while another joins leaves no key unserved', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await a.shards.join()
  a.clock.freeze(10)
  await b.shards.join()
  await advance([a, b], 10)
  t.strictSame(faultsOf([a, b]), { unheld: 0, doubled: 0 })
  t.strictSame([a.shards.held, b.shards.held], [4, 4])
})

t.test('FN-38 a shard whose Lease could not be given back is given back later', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await a.shards.join()
  const heal = cluster.fail(
    ({ verb, name }) => verb === 'patch' && name === 'espalier-relay-shard-7',
    () => apiError(503),
  )
  await b.shards.join()
  await advance([a, b], 10)
  t.ok(faultsOf([a, b]).unheld > 0, 'neither may serve it now')
  heal()
  await advance([a, b], 10)
  t.strictSame(faultsOf([a, b]), { unheld: 0, doubled: 0 })
})

t.test('FN-38 the keys of gained shards are called even while the Lease of a dead relay cannot be deleted', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  const c = relayOf(t, 'c', cluster, fakeClock())
  await Promise.all([a.shards.join(), b.shards.join(), c.shards.join()])
  await advance([a, b, c], 10)
  const heal = cluster.fail(
    ({ verb }) => verb === 'delete',
    () => apiError(503),
  )
  await advance([a, b], 200)
  a.gained.length = 0
  const lost = b.holds()
  await advance([a], 15)
  t.ok(
    lost.every(text => a.gained.includes(text)),
    'although a third one, long dead, still has its Lease',
  )
  heal()
})

t.test('FN-37 two relays never serve the same key, even when one of them pauses again and again', async t => {
  const cluster = fakeCluster()
  const relays = ['a', 'b', 'c'].map(me => relayOf(t, me, cluster, fakeClock()))
  for (const { shards } of relays) await shards.join()
  for (let n = 0; n < 60; n++) {
    const awake = relays.filter((_, at) => (n + at) % 5 !== 0)
    await advance(awake, 1)
    const asleep = relays.filter(relay => !awake.includes(relay))
    for (const { clock } of asleep) clock.freeze(1)
    t.equal(faultsOf(relays).doubled, 0)
  }
  await advance(relays, 15)
  t.strictSame(faultsOf(relays), { unheld: 0, doubled: 0 })
})

t.test('FN-38 a relay that ends gives its shards back at once', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await Promise.all([a.shards.join(), b.shards.join()])
  await advance([a, b], 10)
  const left = a.shards.leave()
  await a.clock.advance(0)
  await left
  await advance([b], 3)
  t.equal(b.holds().length, texts.length)
})

t.test('RE-15 the time of day jumps an hour, either way: no shard moves or is lost', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await Promise.all([a.shards.join(), b.shards.join()])
  await advance([a, b], 10)
  const before = a.holds()
  for (const hours of [1, -1]) {
    b.clock.setToday(new Date(b.clock.today().getTime() + hours * 3_600_000))
    for (let n = 0; n < 20; n++) {
      await advance([a, b], 1)
      t.strictSame(faultsOf([a, b]), { unheld: 0, doubled: 0 })
    }
  }
  t.strictSame(a.holds(), before)
})

t.test('FN-38 keys of another relay are passed on to its address, as long as it lives', async t => {
  const cluster = fakeCluster()
  const a = relayOf(t, 'a', cluster, fakeClock())
  const b = relayOf(t, 'b', cluster, fakeClock())
  await Promise.all([a.shards.join(), b.shards.join()])
  await advance([a, b], 10)
  const [foreign = ''] = b.holds()
  t.equal(a.shards.addressOf(foreign), 'http://b')
  t.equal(b.shards.addressOf(foreign), undefined, 'its own it serves itself')
  const heal = cluster.fail(
    ({ verb }) => verb === 'patch',
    () => apiError(503),
  )
  await advance([a], 12)
  t.equal(a.shards.addressOf(foreign), undefined, 'nothing was seen of it for too long')
  heal()
})
