// When streams of events end, with a clock that the test moves.
import { mock } from 'node:test'
import t from 'tap'
import { type EventStream, liveEvents } from '../../../shared/console/live.ts'
import type { Caller } from '../../../shared/console/rights.ts'
import type { ObjectState } from '../../../shared/runtime/why/explanation.ts'

const caller = (id: string, mayList = true): Caller => ({
  id,
  name: id,
  mayList: async () => mayList,
  listable: async () => new Set(),
})

const stream = (isClosed = false) => {
  const texts: string[] = []
  const closings: (() => void)[] = []
  const made = { texts, ends: 0, waiting: 0 }
  const own: EventStream = {
    write: text => void texts.push(text),
    waitingBytes: () => made.waiting,
    end: () => {
      made.ends++
      for (const closing of closings.splice(0)) closing()
    },
    closed: then => (isClosed ? then() : void closings.push(then)),
  }
  return { ...own, made }
}

const followed = () => {
  const listeners = new Set<(state: ObjectState) => void>()
  const listen = (listener: (state: ObjectState) => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return { listen, listeners }
}

/** A moment for what was promised. */
const settle = async (): Promise<void> => {
  for (let at = 0; at < 20; at++) await Promise.resolve()
}

t.before(() => mock.timers.enable({ apis: ['setInterval', 'setTimeout'] }))
t.teardown(() => mock.timers.reset())

const beats = async (count: number): Promise<void> => {
  for (let at = 0; at < count; at++) {
    mock.timers.tick(15_000)
    await settle()
  }
}

t.test('SEE-75 a stream beats every 15 s, and ends when its token does', async t => {
  const known = new Map([['a', caller('a')]])
  const live = liveEvents({ states: followed(), callerOf: async token => known.get(token) })
  const one = stream()
  t.ok(live.begin({ token: 'a', caller: caller('a'), of: undefined }, one))
  await beats(2)
  t.strictSame(one.made.texts, ['retry: 5000\n\n', ': beat\n\n', ': beat\n\n'])
  known.set('a', caller('somebody else'))
  await beats(1)
  t.equal(one.made.ends, 1)
})

t.test(
  'SEE-75 a stream ends after an hour, when nobody fetches it, and when it was closed before it began',
  async t => {
    const states = followed()
    const live = liveEvents({ states, callerOf: async () => caller('a') })
    const [long, slow, gone] = [stream(), stream(), stream(true)]
    for (const one of [long, slow, gone]) live.begin({ token: 'a', caller: caller('a'), of: undefined }, one)
    slow.made.waiting = 20_000
    await beats(1)
    t.strictSame([long.made.ends, slow.made.ends], [0, 1])
    t.equal(gone.made.texts.length, 1, 'it has no beat')
    await beats(238)
    t.equal(long.made.ends, 0)
    await beats(1)
    t.equal(long.made.ends, 1)
    t.equal(states.listeners.size, 0, 'nobody listens any more')
  },
)

t.test('SEE-75 200 streams are open at once, ten of a user; places become free', async t => {
  const live = liveEvents({ states: followed(), callerOf: async () => undefined })
  const streams = Array.from({ length: 200 }, () => stream())
  const begun = streams.map((one, at) =>
    live.begin({ token: '', caller: caller(String(Math.floor(at / 10))), of: undefined }, one),
  )
  t.ok(begun.every(Boolean))
  t.notOk(live.begin({ token: '', caller: caller('new'), of: undefined }, stream()))
  streams[0]?.end()
  t.notOk(live.begin({ token: '', caller: caller('1'), of: undefined }, stream()), 'ten of this user are open')
  t.ok(live.begin({ token: '', caller: caller('new'), of: undefined }, stream()))
  live.stop()
  t.ok(streams.every(({ made }) => made.ends > 0))
})

t.test('FN-92 many changes are one event; whoever may not list the object gets none', async t => {
  const states = followed()
  const live = liveEvents({ states, callerOf: async () => undefined })
  const [all, blind, other] = [stream(), stream(), stream()]
  live.begin({ token: '', caller: caller('a'), of: undefined }, all)
  live.begin({ token: '', caller: caller('b', false), of: undefined }, blind)
  live.begin({ token: '', caller: caller('a'), of: 'g/v1/K/n/y' }, other)
  const ref = { apiVersion: 'g/v1', kind: 'K', namespace: 'n', name: 'x' }
  for (let at = 0; at < 5; at++) for (const tell of states.listeners) tell({ ref, is: 'ready', says: [] })
  mock.timers.tick(500)
  await settle()
  t.strictSame(
    [all, blind, other].map(({ made }) => made.texts.slice(1)),
    [['data: change\n\n'], [], []],
  )
  live.stop()
})
