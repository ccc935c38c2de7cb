// What a slow remote cluster keeps waiting: its own keys and questions, and those of others that are slow. On a clock that is
// moved by hand.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { GetOptions } from '../../../shared/kube/client-types.ts'
import type { Host } from '../../../shared/relay/calls/function-host.ts'
import { keyQuestions } from '../../../shared/relay/calls/key-questions.ts'
import { Dispatch, type Lane, type Trigger } from '../../../shared/relay/queue/dispatch.ts'
import { HomeSlots } from '../../../shared/relay/queue/home-slots.ts'
import { Queue, type WorkResult } from '../../../shared/relay/queue/queue.ts'
import { ReadyEntries } from '../../../shared/relay/queue/ready-entries.ts'
import { reconcilersOf } from '../../../shared/relay/reconcilers.ts'
import type { KeysQuestion } from '../../../shared/relay/watches/subscription.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { fakeClock, settled } from './fake-clock.ts'
import { fakeCluster } from './fake-cluster.ts'
import { silentLog } from './silent-log.ts'

const patience = { failureBaseSeconds: 1, failureMaxSeconds: 60 }

/** Ids are `cluster/key`. */
const homeOf = (id: string) => (id.startsWith('local/') ? undefined : id.split('/')[0])

const idsOf = (cluster: string, count: number) => Array.from({ length: count }, (_, n) => `${cluster}/${n}`)

/** A lane whose work ends when the test says so. */
const laneOf = (concurrency: number, { maxInFlight = 100, isBeginning = (_home: string): boolean => false } = {}) => {
  const clock = fakeClock()
  const open = new Map<string, (verdict: WorkResult) => void>()
  const outside = new Map<string, () => void>()
  const begun: string[] = []
  const lane: Lane = {
    name: 'f',
    concurrency,
    timeoutSeconds: 1e6,
    queue: new Queue(patience, () => 0, new HomeSlots({ concurrency, homeOf, isBeginning })),
    isOurs: () => true,
    perform: ({ id }, _signal, waits) => {
      begun.push(id)
      outside.set(id, waits)
      return new Promise(resolve => open.set(id, resolve))
    },
  }
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight, clock, log: silentLog })
  const finish = async (...ids: string[]) => {
    for (const id of ids) {
      open.get(id)?.({ is: 'done' })
      open.delete(id)
      await settled()
    }
  }
  const add = (...ids: string[]) => {
    for (const id of ids) dispatch.add(lane, id)
  }
  /** The calls wait for something outside. */
  const wait = (...ids: string[]) => {
    for (const id of ids) outside.get(id)?.()
  }
  return {
    clock,
    lane,
    dispatch,
    add,
    finish,
    wait,
    outside,
    running: () => [...open.keys()],
    begun: () => begun.splice(0),
  }
}

t.test('RE-28 RE-16 one remote cluster has at most half of a function’s slots, however many keys wait', async t => {
  const { add, finish, running, begun, lane } = laneOf(10)
  add(...idsOf('bad', 100))
  t.strictSame(running(), idsOf('bad', 5))
  add(...idsOf('good', 2), ...idsOf('local', 4))
  t.strictSame(running().slice(5), ['good/0', 'good/1', 'local/0', 'local/1', 'local/2'], 'nobody else waits behind it')
  begun()
  await finish('local/0', 'bad/0', 'local/1')
  t.strictSame(begun(), ['local/3', 'bad/5'], 'its place goes to the next of its own, as first come first served')
  t.equal(lane.queue.depth, 94)
  t.equal(lane.queue.nextAt(0), undefined, 'and nobody is woken up for those who have to wait')
  add('bad/0')
  t.strictSame(begun(), [])
})

t.test('RE-28 RE-16 all slow clusters together have at most half of a function’s slots', async t => {
  const { clock, add, finish, running, begun } = laneOf(10)
  const slow = Array.from({ length: 10 }, (_, n) => `bad-${n}/0`)
  add(...slow)
  t.equal(running().length, 10, 'nobody knows yet')
  await clock.advance(6)
  await finish(...slow)
  begun()
  add(...slow)
  t.strictSame(begun(), slow.slice(0, 5))
  add('good/0', 'local/0')
  t.strictSame(begun(), ['good/0', 'local/0'])
  await finish('bad-0/0', 'bad-1/0')
  t.strictSame(begun(), ['bad-5/0', 'bad-6/0'])
  await finish(...slow, 'good/0', 'local/0')
  t.strictSame(running(), [])
  begun()
  const quick = ['bad-0/0', 'bad-1/0', 'bad-2/0', 'bad-3/0', 'bad-4/0', 'bad-5/0', 'bad-6/0']
  add(...quick)
  t.strictSame(begun(), quick, 'one that was quick again is slow no more')
})

t.test('RE-73 a call that waits for something outside gives its place to another call', async t => {
  const { clock, add, finish, wait, outside, begun } = laneOf(2)
  add('a/0', 'b/0', 'c/0', 'd/0', 'e/0')
  t.strictSame(begun(), ['a/0', 'b/0'])
  wait('a/0')
  t.strictSame(begun(), ['c/0'])
  wait('a/0', 'a/0')
  t.strictSame(begun(), [], 'it gives back one place')
  await clock.advance(6)
  await finish('a/0')
  t.strictSame(begun(), [], 'and none when it ends')
  const tooLate = outside.get('a/0')
  add('a/0', 'f/0')
  await finish('b/0', 'c/0', 'd/0')
  tooLate?.()
  t.strictSame(begun(), ['d/0', 'e/0', 'a/0'], 'what comes too late counts for no later call')
})

t.test('RE-73 a call that waited for something outside does not make its home slow', async t => {
  const { clock, add, finish, wait, begun } = laneOf(2)
  add('a/0', 'b/0')
  wait('a/0', 'b/0')
  add('a/0', 'b/0')
  await clock.advance(6)
  begun()
  await finish('a/0', 'b/0')
  await clock.advance(0.25)
  t.strictSame(begun(), ['a/0', 'b/0'])
  await clock.advance(6)
  await finish('a/0', 'b/0')
  add('a/0', 'b/0')
  t.strictSame(begun(), ['a/0'], 'the call after it does, if it has a place so long')
  wait('a/0')
  t.strictSame(begun(), ['b/0'], 'and slow homes share places alone')
})

t.test('RE-73 a call that waits for something outside leaves its place to other functions, too', async t => {
  const { add, wait, begun } = laneOf(4, { maxInFlight: 2 })
  add('a/0', 'b/0', 'c/0')
  t.strictSame(begun(), ['a/0', 'b/0'])
  wait('a/0')
  t.strictSame(begun(), ['c/0'])
})

t.test('RE-73 a namespace has half as many calls under way as there are places, those that wait included', async t => {
  const { add, wait, begun } = laneOf(4)
  add(...idsOf('bad', 60))
  wait('bad/0', 'bad/1')
  t.strictSame(begun(), ['bad/0', 'bad/1'])
})

t.test('RE-73 kubeconfigs of one namespace have as many calls under way as there are places', async t => {
  const slots = new HomeSlots({ concurrency: 4, homeOf })
  const begin = (home: string) => {
    if (!slots.roomAt(0, [])(home)) return false
    slots.begins(home)
    return true
  }
  const of = (namespace: string, n: number) => `kubeconfig/${namespace}/secret-${n}/`
  t.strictSame(
    [0, 1, 2, 3, 4, 5].map(n => begin(of('bad', n))),
    [true, true, true, true, false, false],
  )
  t.strictSame([begin(of('good', 0)), begin('namespace bad')], [true, true], 'nobody else is held back')
  slots.ends(of('bad', 0), { since: 0, now: 1, hadPlace: false })
  t.strictSame([begin(of('bad', 1)), begin(of('bad', 4))], [true, false])
})

t.test('RE-73 ten times as many calls wait as there are places, and further ones keep their places', async t => {
  const { add, wait, begun, finish } = laneOf(2)
  const ids = Array.from({ length: 30 }, (_, n) => `bad-${n}/0`)
  add(...ids)
  for (const id of ids) wait(id)
  t.strictSame(begun(), ids.slice(0, 22))
  await finish('bad-0/0')
  wait('bad-20/0')
  t.strictSame(begun(), ['bad-22/0'], 'until one of those that wait has ended')
})

t.test('a cluster is slow when its calls take long, not when they wait long', async t => {
  const { clock, add, finish, begun } = laneOf(2)
  add('bad/0', 'bad/1')
  await clock.advance(60)
  await finish('bad/0', 'bad/1')
  add('slow/0')
  await clock.advance(60)
  await finish('slow/0')
  begun()
  add('bad/0', 'slow/0')
  t.strictSame(begun(), ['bad/0', 'slow/0'])
})

t.test('a slow cluster is forgotten after an hour', async t => {
  const { clock, add, finish, begun } = laneOf(2)
  add('bad-0/0', 'bad-1/0')
  await clock.advance(6)
  await finish('bad-0/0', 'bad-1/0')
  await clock.advance(3_599)
  begun()
  add('bad-0/0', 'bad-1/0')
  t.strictSame(begun(), ['bad-0/0'])
  const later = laneOf(2)
  later.add('bad-0/0', 'bad-1/0')
  await later.clock.advance(6)
  await later.finish('bad-0/0', 'bad-1/0')
  await later.clock.advance(3_601)
  later.begun()
  later.add('bad-0/0', 'bad-1/0')
  t.strictSame(later.begun(), ['bad-0/0', 'bad-1/0'])
})

t.test(
  'RE-28 of ten thousand clusters that were slow for a moment none is remembered for longer than an hour',
  async t => {
    const slots = new HomeSlots({ concurrency: 2, homeOf })
    const hour = 3_600_000
    for (let n = 0; n < 10_000; n++) slots.ends(`bad-${n}`, { since: n - 6_000, now: n, hadPlace: true })
    t.equal(slots.slowHomes, 10_000)
    slots.ends('good', { since: hour, now: hour + 5_000, hadPlace: true })
    t.equal(slots.slowHomes, 4_999)
    slots.ends('good', { since: hour, now: 2 * hour, hadPlace: true })
    t.equal(slots.slowHomes, 1)
  },
)

t.test('RE-28 a function with one slot is called for remote clusters too', async t => {
  const { add, finish, begun } = laneOf(1)
  add('bad/0', 'bad/1', 'local/0')
  await finish('bad/0', 'bad/1', 'local/0')
  t.strictSame(begun(), ['bad/0', 'bad/1', 'local/0'])
})

t.test('RE-28 a key whose shard is no longer ours frees its slot', async t => {
  const { lane, add, begun } = laneOf(4)
  lane.isOurs = () => false
  add(...idsOf('bad', 10))
  lane.isOurs = () => true
  add('bad/10', 'bad/11', 'bad/12')
  t.strictSame(begun(), ['bad/10', 'bad/11'])
})

t.test('ready keys are taken in order, and those of clusters without room are passed over', async t => {
  const ready = new ReadyEntries<string, string>()
  for (const item of ['a1', 'b1', 'a2', 'c1', 'b2']) ready.push(item, item[0] ?? '')
  const all = () => true
  const notA = (group: string) => group !== 'a'
  t.equal(ready.shift(notA), 'b1')
  t.equal(ready.shift(all), 'a1')
  t.strictSame([ready.shift(notA), ready.shift(notA), ready.shift(notA)], ['c1', 'b2', undefined])
  t.strictSame([ready.size, ready.peek(notA), ready.peek(all)], [1, undefined, 'a2'])
  t.strictSame([ready.shift(all), ready.size, ready.peek(all)], ['a2', 0, undefined])
})

t.test('ready keys that are taken out are skipped, also where they were passed over', async t => {
  const ready = new ReadyEntries<string, string>()
  for (const item of ['a1', 'a2', 'b1', 'b2']) ready.push(item, item[0] ?? '')
  const [all, notA] = [() => true, (group: string) => group !== 'a']
  for (const item of ['a1', 'b1', 'gone']) ready.remove(item)
  t.strictSame([ready.size, ready.shift(notA), ready.peek(notA), ready.peek(all)], [2, 'b2', undefined, 'a2'])
  ready.remove('a2')
  t.strictSame([ready.size, ready.peek(all), ready.shift(all)], [0, undefined, undefined])
  ready.push('a1', 'a')
  t.strictSame([ready.shift(all), ready.shift(all)], ['a1', undefined])
})

t.test('FN-101 what a first list found of a cluster without room does not go before news', async t => {
  const queue = new Queue(patience, () => 0, new HomeSlots({ concurrency: 4, homeOf }))
  const take = () => queue.take(0)?.id
  for (const id of idsOf('bad', 5)) queue.add(id, 0, { isRoutine: true })
  t.strictSame([take(), take(), take()], ['bad/0', 'bad/1', undefined])
  t.equal(queue.nextAt(0), undefined, 'nobody is woken up for those who have to wait')
  for (const id of ['good/0', 'bad/4', 'good/1', 'bad/5']) queue.add(id, 0)
  t.strictSame([take(), take(), queue.depth], ['good/0', 'good/1', 4])
  for (const id of ['bad/0', 'bad/1']) queue.done(id, { is: 'done' }, 0)
  t.strictSame([take(), take()], ['bad/4', 'bad/5'])
  for (const id of ['bad/4', 'bad/5']) queue.done(id, { is: 'done' }, 0)
  t.strictSame([take(), take(), queue.depth], ['bad/2', 'bad/3', 0])
})

t.test('RE-101 what a first list found waits until its remote cluster is listed; news does not wait', async t => {
  const beginning = new Set(['far'])
  const isBeginning = (home: string) => beginning.has(home)
  const queue = new Queue(patience, () => 0, new HomeSlots({ concurrency: 4, homeOf, isBeginning }))
  const take = () => queue.take(0)?.id
  for (const id of ['far/0', 'far/1', 'near/0', 'local/0']) queue.add(id, 0, { isRoutine: true })
  t.strictSame([take(), take(), take()], ['near/0', 'local/0', undefined])
  t.equal(queue.nextAt(0), undefined, 'nobody is woken up for those who have to wait')
  queue.add('far/1', 0)
  t.strictSame([take(), take()], ['far/1', undefined])
  queue.add('far/0', 0, { isRoutine: true })
  beginning.clear()
  queue.wake()
  t.strictSame([queue.nextAt(0), take(), take()], [0, 'far/0', undefined])
})

t.test('RE-102 calls for one remote cluster begin together once it is listed, if there is room soon', async t => {
  const beginning = new Set(['far', 'wide'])
  const isBeginning = (home: string) => beginning.has(home)
  const { lane, dispatch, add, finish, begun } = laneOf(8, { isBeginning })
  const found = (...ids: string[]) => {
    for (const id of ids) dispatch.add(lane, id, { isRoutine: true })
  }
  const listed = (cluster: string) => {
    beginning.delete(cluster)
    dispatch.wake()
  }
  found(...idsOf('far', 3), ...idsOf('wide', 6))
  add(...idsOf('local', 6))
  begun()
  listed('far')
  t.strictSame(begun(), [], 'two places are free for three calls')
  found('near/0')
  t.strictSame(begun(), [], 'other routine calls come later')
  add('near/1')
  t.strictSame(begun(), ['near/1'], 'news does not wait')
  await finish('local/0')
  await finish('local/1')
  t.strictSame(begun(), ['far/0', 'far/1', 'far/2'])
  await finish('local/2')
  t.strictSame(begun(), ['near/0'])
  listed('wide')
  await finish('local/3', 'local/4', 'local/5')
  t.strictSame(begun(), [], 'a cluster has four places at most, and waits for no more')
  await finish('near/0')
  t.strictSame(begun(), idsOf('wide', 4))
  await finish('wide/0')
  t.strictSame(begun(), ['wide/4'], 'its next call needs no room for more')
})

t.test('RE-102 calls that should begin together wait for a tenth of a second at most', async t => {
  const beginning = new Set(['far'])
  const { clock, lane, dispatch, add, finish, begun } = laneOf(8, { isBeginning: home => beginning.has(home) })
  for (const id of idsOf('far', 3)) dispatch.add(lane, id, { isRoutine: true })
  add(...idsOf('local', 7))
  begun()
  beginning.clear()
  dispatch.wake()
  await clock.advance(0.099)
  t.strictSame(begun(), [])
  await clock.advance(0.001)
  t.strictSame(begun(), ['far/0'])
  await finish('local/0')
  t.strictSame(begun(), ['far/1'])
})

t.test('RE-102 a group waits for a tenth of a second, whatever group comes first meanwhile', async t => {
  const beginning = new Set(['far', 'wide'])
  const isBeginning = (home: string) => beginning.has(home)
  const queue = new Queue(patience, () => 0, new HomeSlots({ concurrency: 4, homeOf, isBeginning }))
  const take = (now: number) => queue.take(now, 1)?.id
  for (const id of [...idsOf('far', 2), ...idsOf('wide', 2)]) queue.add(id, 0, { isRoutine: true })
  beginning.clear()
  queue.wake()
  t.equal(take(0), undefined, 'one place is free for two calls')
  for (const id of ['far/news', 'far/more']) queue.add(id, 60)
  t.strictSame([take(60), take(60), take(60)], ['far/news', 'far/more', undefined], 'now the other cluster is first')
  for (const id of ['far/news', 'far/more']) queue.done(id, { is: 'done' }, 90)
  t.equal(take(90), undefined)
  t.strictSame([queue.nextAt(90, 1), take(100)], [100, 'far/0'])
})

t.test('RE-106 a call that began after an object was found needs no repetition for its sake', async t => {
  const queue = new Queue(patience, () => 0)
  const take = (now: number) => queue.take(now)?.id
  queue.add('a', 10)
  t.equal(take(20), 'a')
  queue.add('a', 30, { isRoutine: true, foundAt: 15 })
  queue.done('a', { is: 'again', seconds: 60 }, 40)
  queue.add('a', 50, { isRoutine: true, foundAt: 15 })
  t.equal(take(1_000), undefined)
  queue.add('a', 1_000, { isRoutine: true, foundAt: 25 })
  t.equal(take(1_000), 'a', 'it was found during the call')
  queue.done('a', { is: 'again', seconds: 60 }, 1_001)
  queue.add('a', 2_000, { foundAt: 15 })
  t.equal(take(2_000), 'a', 'news is called in any case')
})

/** Questions of clusters, to a host that answers when the test lets it. */
const asking = (concurrency = 4) => {
  const clock = fakeClock()
  const reads: (GetOptions | undefined)[] = []
  const client = altered(fakeCluster().client, () => ({
    get: async (ref, options) => {
      reads.push(options)
      return { ...ref, metadata: { name: ref.name } }
    },
  }))
  const asked: string[] = []
  const open: (() => void)[] = []
  const host: Host = {
    call: async () => ({ status: 500, body: undefined }),
    keys: async (_, { object }) => {
      asked.push(object.metadata.name)
      await new Promise<void>(resolve => open.push(resolve))
      return { status: 200, body: { keys: [] } }
    },
    close: async () => {},
  }
  const queue = new Queue(patience, () => 0, new HomeSlots({ concurrency, homeOf: id => asks.homeOf(id) }))
  const add = (lane: Lane, id: string, trigger: Trigger) => running.add(lane, id, trigger)
  const parts = { functionName: 'f', concurrency, timeoutSeconds: 30, queue, host, log: silentLog, add }
  const asks = keyQuestions(parts)
  const running = new Dispatch({ lanes: [asks.lane], maxInFlight: 100, clock, log: silentLog })
  const answers: (boolean | undefined)[] = []
  const put = (cluster: string, name: string, { metadataOnly = false, isRoutine = false } = {}) => {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'x', name }
    const object: KubeObject = { ...ref, metadata: { name } }
    const question = { object, type: 'MODIFIED' as const, ref, cluster, metadataOnly, client }
    const answered: KeysQuestion['answered'] = (_, wasRoutine) => void answers.push(wasRoutine)
    asks.put({ ...question, id: `${cluster} ${name}`, isRoutine, answered })
  }
  const finish = async () => {
    while (open.length > 0) {
      open.shift()?.()
      await settled()
    }
  }
  return { put, finish, asked, reads, queue, answers }
}

t.test('FN-101 questions about objects that were only found wait for those about objects that changed', async t => {
  const { put, finish, asked } = asking(1)
  put('local', 'first')
  put('local', 'found', { isRoutine: true })
  put('local', 'changed')
  await settled()
  await finish()
  t.strictSame(asked, ['first', 'changed', 'found'])
})

t.test('FN-101 a question that had news keeps it when another one takes its place', async t => {
  for (const [rounds, isRoutine] of [
    [[true, true], true],
    [[true, false], false],
    [[false, true], false],
  ] as const) {
    const { put, finish, answers } = asking(1)
    put('local', 'first')
    for (const isRoutine of rounds) put('local', 'b', { isRoutine })
    await settled()
    await finish()
    t.strictSame(answers, [false, isRoutine], `${rounds}`)
  }
})

t.test('RE-28 questions about objects of a remote cluster are bounded, and nothing of the objects is held', async t => {
  const { put, finish, asked, reads, queue } = asking()
  for (let n = 0; n < 3_000; n++) put('bad', `b${n}`)
  put('good', 'g')
  put('local', 'l')
  await settled()
  t.equal(queue.size, 1_002)
  t.strictSame(asked.toSorted(), ['b0', 'b1', 'g', 'l'], 'and others do not wait for them')
  t.equal(reads.length, 3, 'what is of our own cluster is held')
  await finish()
  t.equal(asked.length, 1_002)
  put('bad', 'again')
  await finish()
  t.equal(queue.size, 1)
})

t.test('RE-31 a Secret that is read again is read as metadata only', async t => {
  const { put, reads } = asking()
  put('far', 's', { metadataOnly: true })
  await settled()
  t.strictSame(reads, [{ metadataOnly: true }])
})

t.test('RE-31 Secrets are watched as metadata only, unless the function’s event says otherwise', async t => {
  const events = [{ kind: 'Secret' }, { kind: 'Secret', metadataOnly: false }, { kind: 'ConfigMap' }].map(change => ({
    watch: { apiVersion: 'v1', on: ['any' as const], map: 'keys' as const, ...change },
  }))
  const settings = { handler: '', description: '', timeout: 1, concurrency: 1, memorySize: 1, access: [], ...patience }
  const [reconciler] = reconcilersOf({
    service: 's',
    provider: { name: 'espalier', namespace: 'n', sweepSeconds: 1 },
    functions: { f: { ...settings, events } },
  })
  t.strictSame(
    reconciler?.watches.map(({ metadataOnly }) => metadataOnly),
    [true, false, false],
  )
})
