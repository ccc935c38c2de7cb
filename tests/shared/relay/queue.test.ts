// The relay's queues and the workers that empty them, on a clock that stands still: order, delays, backoff, fairness.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { resultOfReply } from '../../../shared/relay/calls/function-host.ts'
import { Dispatch, type Lane } from '../../../shared/relay/queue/dispatch.ts'
import { OwnWriteEvents } from '../../../shared/relay/queue/own-write-events.ts'
import { Queue, type WorkResult } from '../../../shared/relay/queue/queue.ts'
import { ReadyEntries } from '../../../shared/relay/queue/ready-entries.ts'
import { DueHeap, type Timed } from '../../../shared/relay/time/due-heap.ts'
import { fakeClock, settled } from './fake-clock.ts'
import { silentLog } from './silent-log.ts'

const patience = { failureBaseSeconds: 1, failureMaxSeconds: 1000 }
const newQueue = (chance = 0) => new Queue(patience, () => chance)
const second = 1000

/** Takes everything that is ready at that time. */
const takeAll = (queue: Queue, now: number): string[] => {
  const ids: string[] = []
  for (let taken = queue.take(now); taken; taken = queue.take(now)) ids.push(taken.id)
  return ids
}

t.test('a heap gives back what is due in order, whatever was taken out of it meanwhile', async t => {
  fc.assert(
    fc.property(fc.array(fc.record({ at: fc.nat(1000), isRemoved: fc.boolean() })), given => {
      const heap = new DueHeap<Timed & { at: number }>()
      const items = given.map(({ at, isRemoved }) => ({ at, isRemoved, place: -1 }))
      for (const item of items) heap.push(item)
      for (const item of items) if (item.isRemoved) heap.remove(item)
      const popped: number[] = []
      for (let item = heap.popDue(1000); item; item = heap.popDue(1000)) popped.push(item.at)
      const expected = items.filter(({ isRemoved }) => !isRemoved).map(({ at }) => at)
      return isDeepStrictEqual(
        popped,
        expected.sort((a, b) => a - b),
      )
    }),
    { seed: 30 },
  )
  t.equal(new DueHeap().popDue(1), undefined)
})

t.test('a fifo keeps the order over many thousands', async t => {
  const fifo = new ReadyEntries<number, string>()
  let next = 0
  for (let n = 0; n < 10_000; n++) {
    fifo.push(n, 'a')
    if (n % 3 === 0)
      t.equal(
        fifo.shift(() => true),
        next++,
      ) || t.bailout('the order is lost')
  }
  t.equal(fifo.size, 10_000 - next)
})

t.test('FN-30 events that arrive while a call is under way lead to one call more', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  queue.add('a', 0)
  t.strictSame(takeAll(queue, 0), ['a'])
  for (let n = 0; n < 100; n++) queue.add('a', 0)
  t.strictSame(takeAll(queue, 0), [], 'not while it is under way')
  queue.done('a', { is: 'done' }, 0)
  t.strictSame(takeAll(queue, 0), ['a'])
  queue.done('a', { is: 'done' }, 0)
  t.strictSame(takeAll(queue, 0), [])
  t.equal(queue.size, 0, 'nothing is kept of a settled key')
})

t.test('FN-33 a failed call backs off from base to max, a success resets it', async t => {
  const queue = newQueue()
  const delays: number[] = []
  let now = 0
  queue.add('a', now)
  for (let n = 0; n < 13; n++) {
    queue.take(now)
    queue.done('a', { is: 'failed' }, now)
    const at = queue.nextAt(now) ?? Number.NaN
    delays.push((at - now) / second)
    now = at
  }
  t.strictSame(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000, 1000])
  queue.take(now)
  queue.done('a', { is: 'done' }, now)
  queue.add('a', now)
  queue.take(now)
  queue.done('a', { is: 'failed' }, now)
  t.equal((queue.nextAt(now) ?? 0) - now, 1 * second, 'from the beginning after a success')
})

/** A queue of one id, and after how many seconds the id is ready again when its call fails at this time. */
const failing = (t: Test) => {
  const queue = newQueue()
  const failed = (now: number): number => {
    t.strictSame(takeAll(queue, now), ['a'])
    queue.done('a', { is: 'failed' }, now)
    return ((queue.nextAt(now) ?? Number.NaN) - now) / second
  }
  return { queue, failed }
}

t.test('FN-33 a failed call that an event had made early does not lengthen the wait', async t => {
  const { queue, failed } = failing(t)
  queue.add('a', 0)
  t.equal(failed(0), 1)
  queue.add('a', 100)
  t.equal(failed(100), 1, 'called off its wait by an event')
  queue.add('a', 200)
  queue.take(200)
  queue.add('a', 300)
  queue.done('a', { is: 'failed' }, 300)
  t.equal(failed(550), 1, 'an event came while it was under way, and the rest is over')
  t.equal(failed(550 + second), 2, 'the wait was over')
})

t.test('FN-33 the jitter is at most 10 % and never shortens a delay', async t => {
  for (const chance of [0, 0.5, 0.999]) {
    const queue = newQueue(chance)
    queue.add('a', 0)
    queue.take(0)
    queue.done('a', { is: 'failed' }, 0)
    t.equal(queue.nextAt(0), second * (1 + chance / 10))
  }
})

t.test('FN-33 a key that fails delays no other key', async t => {
  const queue = newQueue()
  queue.add('bad', 0)
  queue.take(0)
  queue.done('bad', { is: 'failed' }, 0)
  queue.add('good', 1)
  t.strictSame(takeAll(queue, 1), ['good'])
})

t.test('FN-34 a key is called again after requeueAfterSeconds, earlier if an event comes, once', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  queue.take(0)
  queue.done('a', { is: 'again', seconds: 30 }, 0)
  t.strictSame(takeAll(queue, 29 * second), [])
  t.equal(queue.nextAt(0), 30 * second)
  queue.add('a', 10 * second)
  t.strictSame(takeAll(queue, 10 * second), ['a'])
  queue.done('a', { is: 'done' }, 11 * second)
  t.strictSame(takeAll(queue, 1000 * second), [], 'the delayed call is not made as well')
})

t.test('KY-182 a call is quiet when the last one settled and no event arrived for its key since', async t => {
  const queue = newQueue()
  const settles: WorkResult = { is: 'again', seconds: 10, isSettled: true }
  const waits: WorkResult = { is: 'again', seconds: 10 }
  let now = 0
  const later = () => {
    now += 11 * second
    return now
  }
  const isQuiet = (): boolean | undefined => queue.take(now)?.isQuiet
  queue.add('a', now)
  t.equal(isQuiet(), false, 'an event')
  queue.done('a', settles, now)
  later()
  t.equal(isQuiet(), true, 'the time has come')
  queue.add('a', now)
  queue.done('a', settles, now)
  t.equal(isQuiet(), false, 'an event came during the call')
  queue.done('a', settles, now)
  queue.add('a', now)
  t.equal(isQuiet(), false, 'an event came before the time')
  queue.done('a', settles, now)
  later()
  const [other] = [queue.take(now)]
  t.equal(other?.isQuiet, true)
  queue.done('a', waits, now)
  later()
  t.equal(isQuiet(), false, 'the last call waited for something')
  queue.done('a', { is: 'failed' }, now)
  later()
  t.equal(isQuiet(), false, 'the last call failed')
  queue.done('a', { is: 'again', seconds: 0, isSettled: true }, now)
  queue.add('a', now)
  t.equal(isQuiet(), false, 'an event came when the key was ready already')
})

t.test('FN-34 requeueAfterSeconds 0: called again at once, behind the keys that are ready', async t => {
  const queue = newQueue()
  for (const id of ['a', 'b', 'c']) queue.add(id, 0)
  queue.take(0)
  queue.done('a', { is: 'again', seconds: 0 }, 0)
  t.strictSame(takeAll(queue, 0), ['b', 'c', 'a'])
})

t.test('RE-84 after a call an id rests four times as long, at most 250 ms: events meanwhile are one call', async t => {
  for (const { took, rest } of [
    { took: 0, rest: 0 },
    { took: 20, rest: 80 },
    { took: 3_000, rest: 250 },
  ])
    for (const comes of ['during the call', 'during the rest'] as const) {
      const queue = newQueue()
      queue.add('a', 0)
      t.strictSame(takeAll(queue, 0), ['a'], 'the first event calls at once')
      if (comes === 'during the call') queue.add('a', took)
      queue.done('a', { is: 'again', seconds: 300 }, took)
      for (let n = 0; n < 3; n++) queue.add('a', took)
      if (rest > 0) t.strictSame(takeAll(queue, took + rest - 1), [], `${comes}, ${took} ms`)
      t.strictSame(takeAll(queue, took + rest), ['a'], `${comes}, ${took} ms`)
      t.strictSame(takeAll(queue, took + rest), [])
    }
})

t.test('RE-84 a delay that ends before the rest is not lengthened; routine triggers do not rest', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  queue.take(0)
  queue.done('a', { is: 'again', seconds: 0.1 }, 1 * second)
  queue.add('a', 1 * second)
  t.strictSame(takeAll(queue, 1.1 * second), ['a'])
  queue.done('a', { is: 'again', seconds: 300 }, 2 * second)
  queue.add('a', 2 * second, { isRoutine: true })
  t.strictSame(takeAll(queue, 2 * second), ['a'])
})

t.test(
  'RE-84 RE-07 a call after a rest that fails does not lengthen the delay, as any that an event began',
  async t => {
    const queue = newQueue()
    queue.add('a', 0)
    for (const at of [0, 1, 2]) {
      t.strictSame(takeAll(queue, at * second + 250), ['a'])
      queue.add('a', at * second + 250)
      queue.done('a', { is: 'failed' }, (at + 1) * second)
    }
    t.strictSame(takeAll(queue, 3.25 * second), ['a'])
    queue.done('a', { is: 'failed' }, 4 * second)
    t.strictSame(takeAll(queue, 4.9 * second), [])
    t.strictSame(takeAll(queue, 5 * second), ['a'], 'one failure, so one second')
  },
)

t.test('RE-07 an event does not shorten the delay that the host asked for', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  queue.take(0)
  queue.add('a', 0)
  queue.done('a', { is: 'failed', heldSeconds: 5 }, 0)
  queue.add('a', 1 * second)
  t.strictSame(takeAll(queue, 4.9 * second), [])
  t.strictSame(takeAll(queue, 5 * second), ['a'])
})

t.test('FN-33 RE-07 a host that asks for the same second each time is called ever more seldom', async t => {
  const queue = newQueue()
  const turnedAway = { is: 'failed', heldSeconds: 1 } satisfies WorkResult
  const delayAfter = (now: number): number => {
    t.strictSame(takeAll(queue, now), ['a'])
    queue.done('a', turnedAway, now)
    return ((queue.nextAt(now) ?? Number.NaN) - now) / second
  }
  queue.add('a', 0)
  t.strictSame(
    [0, 1, 3, 7].map(at => delayAfter(at * second)),
    [1, 2, 4, 8],
  )
  queue.add('a', 9 * second)
  t.strictSame(takeAll(queue, 9 * second), ['a'], 'an event need not wait so long')
  queue.done('a', turnedAway, 10 * second)
  queue.add('a', 10.5 * second)
  t.strictSame(takeAll(queue, 10.9 * second), [], 'but for the second that was asked for')
  t.strictSame(takeAll(queue, 11 * second), ['a'])
  queue.add('a', 12 * second)
  queue.done('a', turnedAway, 13 * second)
  t.strictSame(takeAll(queue, 13.9 * second), [])
  t.strictSame(takeAll(queue, 14 * second), ['a'], 'one that came while it was under way is no other')
})

t.test('FN-101 an id is changed that waits though nothing was new: it is called first', async t => {
  const queue = newQueue()
  for (let n = 0; n < 5; n++) queue.add(`found-${n}`, 0, { isRoutine: true })
  t.equal(queue.depth, 5)
  queue.add('found-3', 1)
  queue.add('new', 1)
  queue.add('found-3', 1, { isRoutine: true })
  t.strictSame(takeAll(queue, 1), ['found-3', 'new', 'found-0', 'found-1', 'found-2', 'found-4'])
  t.equal(queue.depth, 0)
})

t.test(
  'RE-73 ids that were in order go first in half of all turns, before new ones and those that wait outside',
  async t => {
    const queue = newQueue()
    const settles: WorkResult = { is: 'again', seconds: 1000, isSettled: true }
    const ids = ['steady-0', 'steady-1', 'steady-2', 'outside', 'failing', 'at-once']
    for (const id of ids) queue.add(id, 0)
    t.strictSame(takeAll(queue, 0), ids)
    for (const id of ids.slice(0, 3)) queue.done(id, settles, 0)
    queue.waits('outside')
    queue.done('outside', settles, 0)
    queue.done('failing', { is: 'failed', seconds: 1000 }, 0)
    queue.done('at-once', { is: 'again', seconds: 1000 }, 0)
    t.equal(queue.take(0), undefined)
    for (const id of ['new', 'outside', 'failing', 'at-once', 'steady-0', 'steady-1', 'steady-2']) queue.add(id, 1)
    const order = ['new', 'steady-0', 'steady-1', 'steady-2', 'outside', 'failing', 'at-once']
    t.strictSame(takeAll(queue, 1), order)
  },
)

t.test('FN-101 of four calls one is for what waits though nothing was new', async t => {
  const queue = newQueue()
  for (const id of ['x', 'y']) queue.add(id, 0, { isRoutine: true })
  for (let n = 0; n < 7; n++) queue.add(`new-${n}`, 0)
  const order = ['new-0', 'new-1', 'new-2', 'x', 'new-3', 'new-4', 'new-5', 'y', 'new-6']
  t.strictSame(takeAll(queue, 0), order)
})

t.test(
  'FN-101 an id with a delay is called in its turn, no later than the delay, and not while it is held',
  async t => {
    const queue = newQueue()
    queue.add('a', 0)
    takeAll(queue, 0)
    queue.done('a', { is: 'again', seconds: 300 }, 0)
    queue.add('a', second, { isRoutine: true })
    t.equal(queue.nextAt(second), second)
    t.strictSame(takeAll(queue, second), ['a'])
    queue.done('a', { is: 'failed', heldSeconds: 60 }, second)
    queue.add('a', second, { isRoutine: true })
    t.strictSame(takeAll(queue, second), [])
    t.strictSame(takeAll(queue, 61 * second), ['a'])
  },
)

t.test('FN-101 an id with a delay is found while news never ends: it is called when its delay is over', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  takeAll(queue, 0)
  queue.done('a', { is: 'again', seconds: 5 }, 0)
  for (let n = 0; n < 10; n++) queue.add(`found-${n}`, second, { isRoutine: true })
  queue.add('a', second, { isRoutine: true })
  for (let n = 0; n < 4; n++) queue.add(`new-${n}`, 4 * second)
  t.strictSame(takeAll(queue, 5 * second).slice(0, 6), ['new-0', 'new-1', 'found-0', 'new-2', 'new-3', 'a'])
  queue.done('a', { is: 'done' }, 6 * second)
  t.strictSame(takeAll(queue, 1000 * second), [], 'and once')
})

t.test('RE-107 a settled id whose delay is over waits behind ids that were found, and news goes first', async t => {
  const queue = newQueue()
  const settles: WorkResult = { is: 'again', seconds: 5, isSettled: true }
  for (const id of ['settled', 'waiting']) queue.add(id, 0)
  takeAll(queue, 0)
  queue.done('settled', settles, 0)
  queue.done('waiting', { ...settles, isSettled: false }, 0)
  for (let n = 0; n < 4; n++) queue.add(`found-${n}`, second, { isRoutine: true })
  const [first, ...others] = takeAll(queue, 5 * second)
  t.equal(first, 'waiting', 'its last call did not settle')
  t.strictSame(others, ['found-0', 'found-1', 'found-2', 'found-3', 'settled'])
  queue.done('settled', settles, 5 * second)
  for (let n = 4; n < 8; n++) queue.add(`found-${n}`, 6 * second, { isRoutine: true })
  queue.take(10 * second)
  queue.add('settled', 10 * second)
  t.strictSame(takeAll(queue, 10 * second), ['settled', 'found-5', 'found-6', 'found-7'], 'an event brings it forward')
})

t.test('FN-101 an id is found while its call is under way: the call after it waits for its turn', async t => {
  const settles: WorkResult = { is: 'again', seconds: 10, isSettled: true }
  for (const order of ['found', 'found and changed', 'changed and found']) {
    const queue = newQueue()
    queue.add('a', 0)
    queue.take(0)
    for (const word of order.split(' and ')) queue.add('a', 0, { isRoutine: word === 'found' })
    queue.done('a', settles, 0)
    queue.add('new', 0)
    const [first, next] = [queue.take(0), queue.take(0)]
    t.strictSame([first?.id, next?.id], order === 'found' ? ['new', 'a'] : ['a', 'new'], order)
    t.strictSame([first?.isQuiet, next?.isQuiet], [false, false])
    t.strictSame(takeAll(queue, second), [])
  }
})

t.test('FN-101 an id whose delay ends while it is called because it was found is not called beside that', async t => {
  const queue = newQueue()
  queue.add('a', 0)
  takeAll(queue, 0)
  queue.done('a', { is: 'again', seconds: 5 }, 0)
  queue.add('a', second, { isRoutine: true })
  t.strictSame(takeAll(queue, second), ['a'])
  t.equal(queue.take(6 * second), undefined)
  queue.done('a', { is: 'done' }, 6 * second)
  t.equal(queue.size, 0)
})

t.test('FN-101 FN-33 a call of an id that was found fails: that does not lengthen the wait', async t => {
  const { queue, failed } = failing(t)
  queue.add('a', 0)
  t.equal(failed(0), 1)
  t.equal(failed(second), 2, 'the wait was over')
  queue.add('a', 1.1 * second, { isRoutine: true })
  t.equal(failed(1.1 * second), 2)
})

t.test('FN-101 an id that is found and then changed is added once, and that it was found is forgotten', async t => {
  const queue = newQueue()
  queue.add('a', 0, { isRoutine: true })
  queue.add('a', 1)
  t.strictSame(queue.counts.adds, 1)
  t.strictSame(takeAll(queue, 1), ['a'])
  queue.done('a', { is: 'done' }, 1)
  t.strictSame([takeAll(queue, 1), queue.depth, queue.size], [[], 0, 0])
})

t.test('a thousand changes a second leave nothing behind in memory', async t => {
  const queue = newQueue()
  for (let now = 0; now < 60_000; now += 1) {
    const id = `key-${now % 500}`
    queue.add(id, now)
    const taken = queue.take(now)
    if (taken) queue.done(taken.id, { is: 'again', seconds: 300 }, now)
  }
  t.equal(queue.size, 500, 'one entry per key, however often it was called')
  t.equal(takeAll(queue, 1_000_000).length, 500)
})

t.test('whatever happens, a key is never under way twice and no event is forgotten', async () => {
  const command = fc.record({
    id: fc.constantFrom('a', 'b', 'c'),
    act: fc.constantFrom('event', 'done', 'again', 'failed'),
    version: fc.constantFrom(undefined, 'foreign', 'own'),
    isRoutine: fc.boolean(),
    seconds: fc.nat(3),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 60 }), async commands => {
      const clock = fakeClock()
      const underWay = new Map<string, (verdict: WorkResult) => void>()
      const owed = new Set<string>()
      let isTwice = false
      const perform: Lane['perform'] = ({ id }) => {
        isTwice ||= underWay.has(id)
        owed.delete(id)
        return new Promise(resolve => underWay.set(id, resolve))
      }
      const limits = { concurrency: 2, timeoutSeconds: 1_000_000 }
      const lane: Lane = { name: 'f', ...limits, queue: newQueue(), isOurs: () => true, perform }
      const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock, log: silentLog })
      const end = (id: string, verdict: WorkResult): void => {
        const answer = underWay.get(id)
        underWay.delete(id)
        answer?.(verdict)
      }
      for (const { id, act, version, isRoutine, seconds } of commands) {
        await clock.advance(seconds)
        if (act !== 'event') end(id, verdicts[act])
        if (act !== 'event') continue
        if (version !== 'own') owed.add(id)
        dispatch.add(lane, id, { version, isRoutine })
      }
      for (let more = 0; more < 5; more++) {
        for (const id of underWay.keys()) end(id, { is: 'done' })
        await clock.advance(1000)
      }
      return !isTwice && owed.size === 0 && underWay.size === 0
    }),
    { seed: 30 },
  )
})

const verdicts: Record<'done' | 'again' | 'failed', WorkResult> = {
  done: { is: 'done', wrote: ['own'] },
  again: { is: 'again', seconds: 2, wrote: ['own'] },
  failed: { is: 'failed' },
}

t.test('what each reply means for its key', async t => {
  const cases: { reply: Outcome | string | number; verdict: WorkResult }[] = [
    { reply: { outcome: 'settled' }, verdict: { is: 'done' } },
    { reply: { outcome: 'settled', requeueAfterSeconds: 9 }, verdict: { is: 'again', seconds: 9, isSettled: true } },
    { reply: { outcome: 'waiting', requeueAfterSeconds: 0 }, verdict: { is: 'again', seconds: 0 } },
    { reply: { outcome: 'waiting' }, verdict: { is: 'failed' } },
    { reply: { outcome: 'stalled', reason: 'x' }, verdict: { is: 'done' } },
    { reply: { outcome: 'failed' }, verdict: { is: 'failed' } },
    { reply: { outcome: 'failed', requeueAfterSeconds: 7 }, verdict: { is: 'failed', seconds: 7 } },
    { reply: { outcome: 'settled', wrote: ['u 1'] }, verdict: { is: 'done', wrote: ['u 1'] } },
    {
      reply: { outcome: 'waiting', requeueAfterSeconds: 5, wrote: ['u 1'] },
      verdict: { is: 'again', seconds: 5, wrote: ['u 1'] },
    },
    { reply: { outcome: 'failed', wrote: ['u 1'] }, verdict: { is: 'failed' } },
    { reply: { outcome: 'settled', wrote: 'u 1' as never }, verdict: { is: 'failed' } },
    { reply: { outcome: 'settled', wrote: ['u 1', 2 as never] }, verdict: { is: 'failed' } },
    { reply: 'nonsense', verdict: { is: 'failed' } },
    { reply: { outcome: 'toString' as 'settled' }, verdict: { is: 'failed' } },
    { reply: { outcome: 'waiting', requeueAfterSeconds: -1 }, verdict: { is: 'failed' } },
    { reply: 500, verdict: { is: 'failed' } },
    { reply: 404, verdict: { is: 'failed' } },
  ]
  for (const { reply, verdict } of cases) {
    const answer = typeof reply === 'number' ? { status: reply, body: undefined } : { status: 200, body: reply }
    t.strictSame(resultOfReply(answer).verdict, verdict, JSON.stringify(reply))
  }
  const asked = resultOfReply({ status: 503, body: undefined, retryAfterSeconds: 4 }).verdict
  t.strictSame(asked, { is: 'failed', heldSeconds: 4 })
})

/** A lane whose work ends when the test says so. */
const laneOf = (name: string, concurrency: number) => {
  const open = new Map<string, (verdict: WorkResult) => void>()
  const begun: string[] = []
  const quiet: boolean[] = []
  const lane: Lane = {
    name,
    concurrency,
    timeoutSeconds: 30,
    queue: newQueue(),
    isOurs: () => true,
    perform: ({ id, isQuiet }, signal) => {
      begun.push(id)
      quiet.push(isQuiet)
      return new Promise((resolve, reject) => {
        open.set(id, resolve)
        signal.addEventListener('abort', () => reject(new Error('called off')))
      })
    },
  }
  const finish = async (id: string, verdict: WorkResult = { is: 'done' }) => {
    open.get(id)?.(verdict)
    open.delete(id)
    await settled()
  }
  return { lane, open, begun, quiet, finish }
}

t.test('FN-30 an event that shows what the call wrote is skipped, any other event leads to a call', async t => {
  const wrote = ['u 1', 'u 2']
  /** Called once, while `events` come; whether there is another call. */
  const calledAgain = async (events: readonly (string | undefined)[], verdict: WorkResult): Promise<boolean> => {
    const { lane, begun, finish } = laneOf('f', 5)
    const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock: fakeClock(), log: silentLog })
    dispatch.add(lane, 'a')
    for (const version of events) dispatch.add(lane, 'a', { version })
    await finish('a', verdict)
    return begun.length > 1
  }
  const settles = { is: 'done', wrote } satisfies WorkResult
  t.notOk(await calledAgain(['u 1', 'u 2', 'u 1'], settles))
  t.notOk(await calledAgain(['u 2'], { is: 'again', seconds: 30, wrote }))
  t.ok(await calledAgain(['u 1', 'u 3', 'u 2'], settles), 'somebody else wrote too')
  t.ok(await calledAgain(['v 1'], settles), 'another object')
  t.ok(await calledAgain(['u 1', undefined], settles), 'what is no event of a watch')
  t.ok(await calledAgain(['u 1'], { is: 'done' }), 'a call that does not say what it wrote')
})

t.test('KY-182 an event that shows what the call wrote leaves the next call quiet', async t => {
  const clock = fakeClock()
  const { lane, quiet, finish } = laneOf('f', 5)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock, log: silentLog })
  dispatch.add(lane, 'a')
  for (const version of ['own', 'foreign']) {
    dispatch.add(lane, 'a', { version })
    await finish('a', { is: 'again', seconds: 10, isSettled: true, wrote: ['own'] })
    await clock.advance(11)
  }
  t.strictSame(quiet, [false, true, false])
})

t.test('FN-30 events of own writes are skipped for ten seconds after the call, for the key that wrote', async t => {
  const clock = fakeClock()
  const { lane, begun, finish } = laneOf('f', 5)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock, log: silentLog })
  const begunBy = (id: string, version?: string): readonly string[] => {
    dispatch.add(lane, id, { version })
    return begun.splice(0)
  }
  for (const id of ['a', 'waits']) begunBy(id)
  await finish('a', { is: 'done', wrote: ['u 1'] })
  await finish('waits', { is: 'again', seconds: 30, wrote: ['v 1'] })
  await clock.advance(9)
  t.strictSame(begunBy('a', 'u 1'), [])
  t.strictSame(begunBy('waits', 'v 1'), [])
  t.strictSame(begunBy('b', 'u 1'), ['b'], 'news to another key')
  t.strictSame(begunBy('a', 'u 2'), ['a'])
  t.strictSame(begunBy('a', 'u 1'), [])
  await finish('a')
  t.strictSame(begun, [], 'written by the call before')
  await clock.advance(1)
  t.strictSame(begunBy('a', 'u 1'), ['a'], 'nobody remembers')
})

t.test('RE-28 a flood of events during a call is remembered up to a bound, and the key is called again', async t => {
  const own = new OwnWriteEvents()
  own.callBegins('a')
  const flood = Array.from({ length: 1_001 }, (_, n) => `u ${n}`)
  t.strictSame(
    flood.filter(version => own.isNews('a', version, 1)),
    ['u 1000'],
  )
  t.equal(own.callEnds('a', flood, 2), false)

  const { lane, begun, finish } = laneOf('f', 5)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock: fakeClock(), log: silentLog })
  dispatch.add(lane, 'a')
  for (const version of flood) dispatch.add(lane, 'a', { version })
  await finish('a', { is: 'done', wrote: flood })
  t.strictSame(begun, ['a', 'a'], 'one event was too many to remember')
})

t.test('own writes are remembered for ten seconds, up to a bound', async t => {
  const own = new OwnWriteEvents(3)
  own.callEnds('a', ['1', '2'], 0)
  own.callEnds('b', ['1', '2'], second)
  t.strictSame(
    ['a 1', 'a 2', 'b 1', 'b 2'].filter(text => !own.isNews(text.charAt(0), text.charAt(2), second)),
    ['a 2', 'b 1', 'b 2'],
    'the oldest go first',
  )
  own.callEnds('a', ['2'], 5 * second)
  own.callEnds('c', [], 12 * second)
  t.equal(own.size, 1)
  t.notOk(own.isNews('a', '2', 12 * second), 'written once more')
  own.callEnds('c', [], 15 * second)
  t.equal(own.size, 0)
})

t.test('FN-35 never more than n calls of a function at once, first come first served', async t => {
  const clock = fakeClock()
  const { lane, open, begun, finish } = laneOf('f', 5)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 100, clock, log: silentLog })
  const ids = Array.from({ length: 1000 }, (_, n) => `key-${n}`)
  for (const id of ids) dispatch.add(lane, id)
  let most = 0
  while (open.size > 0) {
    most = Math.max(most, open.size)
    const [first = ''] = open.keys()
    await finish(first)
  }
  t.equal(most, 5)
  t.strictSame(begun, ids)
})

t.test('FN-35 no function starves another, also when all calls together reach their bound', async t => {
  const clock = fakeClock()
  const [busy, quiet] = [laneOf('busy', 50), laneOf('quiet', 5)]
  const dispatch = new Dispatch({ lanes: [busy.lane, quiet.lane], maxInFlight: 10, clock, log: silentLog })
  for (let n = 0; n < 1000; n++) dispatch.add(busy.lane, `key-${n}`)
  t.equal(busy.open.size, 10)
  dispatch.add(quiet.lane, 'mine')
  dispatch.add(quiet.lane, 'mine too')
  t.strictSame([...quiet.open.keys()], ['mine'], 'one call is always granted')
  for (const id of ['key-0', 'key-1', 'key-2']) await busy.finish(id)
  t.ok(quiet.open.has('mine too'), 'and then the lanes take turns')
})

t.test('FN-33 a call that takes too long is aborted and tried again', async t => {
  const clock = fakeClock()
  const { lane, begun } = laneOf('f', 1)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 10, clock, log: silentLog })
  dispatch.add(lane, 'a')
  await clock.advance(29)
  t.strictSame(begun, ['a'])
  await clock.advance(1)
  t.equal(lane.queue.counts.retries, 1)
  await clock.advance(1)
  t.strictSame(begun, ['a', 'a'])
})

t.test('a key whose shard is no longer ours is not called', async t => {
  const clock = fakeClock()
  const { lane, begun } = laneOf('f', 1)
  lane.isOurs = () => false
  new Dispatch({ lanes: [lane], maxInFlight: 10, clock, log: silentLog }).add(lane, 'a')
  t.strictSame(begun, [])
  t.equal(lane.queue.size, 0)
})

t.test('at a stop calls under way may finish, and no new call begins', async t => {
  const clock = fakeClock()
  const { lane, begun, finish } = laneOf('f', 2)
  const dispatch = new Dispatch({ lanes: [lane], maxInFlight: 10, clock, log: silentLog })
  for (const id of ['a', 'b', 'c']) dispatch.add(lane, id)
  const stopped = dispatch.stop(10)
  await finish('a')
  t.strictSame(begun, ['a', 'b'])
  await clock.advance(10)
  await stopped
  t.equal(clock.timers, 0, 'b was called off after the grace period')
})
