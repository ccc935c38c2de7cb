// What may break around the relay, told scenario by scenario with nobody but a relay calling the function.
import type { Test } from 'tap'
import { runsHere } from '../../harness/runner/behaviour.ts'
import { type Moment, thisMoment } from '../../harness/standing-clock.ts'
import { until } from '../../harness/until.ts'
import { type Arrival, hasWaited } from '../proxy/ledger.ts'
import type { FaultProxy } from '../proxy/proxy.ts'
import { isWrite } from '../proxy/request.ts'
import { fits, type Injected, type Match } from '../proxy/rules.ts'
import type { StreamFault } from '../proxy/stream.ts'
import type { Trying } from '../trying.ts'
import { lostIn } from './nothing-lost.ts'
import {
  type Course,
  callsOf,
  clear,
  newRelay,
  newSubject,
  type Relay,
  restOf,
  type Subject,
  tellByRelay,
  untilCalled,
  untilEqual,
} from './relay-story.ts'

/** Requests of any sort that it took to tell the scenario without faults. */
type Rehearsed = Subject & { attempts: number }

const attemptsOf = ({ ground }: Subject, { api, calls }: Relay): number =>
  [ground.proxy, api, calls].reduce((sum, { ledger }) => sum + ledger.arrivals.length, 0)

const lists = ({ api }: Relay): number => api.ledger.count({ verbs: ['list'] })

const rehearse = async (t: Test, subject: Subject): Promise<Rehearsed> => {
  let attempts = 0
  const run = await tellByRelay(t, subject, {
    after: (_stage, relay) => {
      attempts = attemptsOf(subject, relay)
    },
  })
  t.strictSame(lostIn(run, subject.clean), [], 'nothing is lost without faults either')
  for (const sign of ['"outcome"', 'workqueue_adds_total', 'controller_runtime_reconcile_total']) {
    const isHeard = run.said.some(text => text.includes(sign))
    t.ok(isHeard, `${sign} is heard`)
  }
  return { ...subject, attempts }
}

const neverSeen: StreamFault = { do: 'lose' }

const loseEverything = ({ api }: Relay) => {
  const fault = { do: 'stream', afterEvents: 0, strike: neverSeen } as const
  api.strikeWatches({}, neverSeen)
  api.inject({ match: { verbs: ['watch'] }, times: Infinity, fault })
}

const lostUntilSweep = async (t: Test, subject: Subject) => {
  const before = (stage: number, relay: Relay) => (stage === 0 ? loseEverything(relay) : undefined)
  t.strictSame(lostIn(await tellByRelay(t, subject, { options: { sweepSeconds: 0.5 }, before }), subject.clean), [])
}

type Expire = (relay: Relay) => unknown

/** In each stage what happens is not seen, and then the resourceVersion of every watch turns out to be too old. */
const tooOld = async (t: Test, subject: Subject, expire: Expire) => {
  let before = 0
  const run = await tellByRelay(t, subject, {
    isNewEachStage: true,
    before: (_stage, relay) => {
      loseEverything(relay)
      before = lists(relay)
    },
    during: (_stage, relay) => {
      relay.api.clear()
      expire(relay)
    },
    after: async (stage, relay) => {
      const listed = await untilEqual(() => lists(relay) - before, relay.watches)
      t.equal(listed, relay.watches, `stage ${stage + 1}: each kind is listed once more`)
    },
  })
  t.strictSame(lostIn(run, subject.clean), [])
  await deletionNoticed(t, subject, expire)
}

const expiredByEvent: Expire = ({ api }) => api.strikeWatches({}, { do: 'gone' })

const expiredByStatus: Expire = ({ api, watches }) => {
  api.inject({ match: { verbs: ['watch'] }, times: watches, fault: { do: 'answer', code: 410, reason: 'Expired' } })
  api.strikeWatches({}, { do: 'cut' })
}

/** Something the function cares for goes while nobody can see it. */
const deletionNoticed = async (t: Test, subject: Subject, expire: Expire) => {
  const { scenario, ground } = subject
  const { world } = ground
  const relay = await newRelay(t, subject)
  await scenario.stages[0]?.change(world.people)
  await restOf(subject, 0)
  loseEverything(relay)
  await world.remove(scenario.dependent)
  const calls = callsOf(subject)
  relay.api.clear()
  expire(relay)
  t.ok((await untilCalled(subject, calls)) > calls, 'the function is called about what is gone')
  await relay.kill()
  await clear(subject)
}

type Interruption = { strike: StreamFault; relists: boolean }

const interruptions: readonly Interruption[] = [
  { strike: { do: 'cut' }, relists: false },
  { strike: { do: 'end' }, relists: false },
  { strike: { do: 'freeze' }, relists: false },
  { strike: { do: 'halve' }, relists: false },
  { strike: { do: 'garbage', text: '{"type":"ADDED","object":' }, relists: true },
  { strike: { do: 'garbage', text: 'upstream connect error' }, relists: true },
]

/** Each stage meets the next of the interruptions, until every one has been met. */
const interrupted = async (t: Test, subject: Subject) => {
  const left = [...interruptions]
  while (left.length > 0)
    t.strictSame(lostIn(await tellByRelay(t, subject, meeting(t, { subject, left })), subject.clean), [])
}

const meeting = (t: Test, { subject, left }: { subject: Subject; left: Interruption[] }): Course => {
  const state = { begun: thisMoment(), lists: 0, current: left[0] }
  return {
    options: { tuning: { idleSeconds: 3 } },
    before: async (_stage, relay) => {
      await untilEqual(() => relay.api.watches({}), relay.watches)
      Object.assign(state, { begun: thisMoment(), lists: lists(relay), current: left.shift() })
      if (state.current)
        t.equal(relay.api.strikeWatches({}, state.current.strike), relay.watches, 'every watch is struck')
    },
    after: async (stage, relay) => {
      const what = `stage ${stage + 1}, ${JSON.stringify(state.current?.strike ?? 'nothing')}`
      const seen = await until(() => timeToSee(subject, state.begun), Number.isFinite)
      t.ok(seen < 10_000, `${what}: seen within 10 s, after ${Math.round(seen)} ms`)
      const wanted = state.current?.relists ? relay.watches : 0
      const listed = await untilEqual(() => lists(relay) - state.lists, wanted)
      t.equal(listed, wanted, `${what}: listed again only after garbage`)
    },
  }
}

/** Milliseconds from then to the last that the function wrote, or to its first read where it had nothing to write. */
const timeToSee = ({ ground }: Subject, then: Moment): number => {
  const arrivals = ground.proxy.ledger.arrivals.filter(({ milliseconds }) => milliseconds > then.milliseconds)
  const writes = arrivals.filter(arrival => isWrite(arrival) && arrival.resource !== 'events')
  return ((writes.at(-1) ?? arrivals[0])?.ownMilliseconds ?? Infinity) - then.ownMilliseconds
}

/** For a while at least three in ten requests fail on every way to the API server. */
const badMinute = async (t: Test, subject: Rehearsed) => {
  const failures = [500, 503].map(code => ({
    match: {},
    times: 20,
    share: 0.3,
    fault: { do: 'answer' as const, code, reason: 'Unknown' },
  }))
  const injected: Injected[] = []
  let attempts = 0
  const run = await tellByRelay(t, subject, {
    before: (stage, { api }) => {
      if (stage > 0) return
      injected.push(...failures.flatMap(failure => [api.inject(failure), subject.ground.proxy.inject(failure)]))
      // A quiet relay asks for nothing.
      api.strikeWatches({}, { do: 'cut' })
    },
    after: (_stage, relay) => {
      attempts = attemptsOf(subject, relay)
    },
  })
  subject.ground.proxy.clear()
  const struck = injected.map(rule => rule.struck())
  t.ok(Math.min(...struck.slice(0, 2)) > 0, `struck ${struck} times, on either way`)
  t.strictSame(lostIn(run, subject.clean), [])
  t.ok(attempts <= 3 * subject.attempts, `${attempts} requests, ${subject.attempts} in the run without faults`)
}

/** The host and the API server say when to come back, once to each call and watch. */
const turnedAway = async (t: Test, subject: Subject) => {
  const refusal = { do: 'answer', reason: 'TooManyRequests', retryAfterSeconds: 1 } as const
  const ofCalls = { name: `functions/${subject.definition.name}` }
  const ofWatches: Match = { verbs: ['watch'] }
  const run = await tellByRelay(t, subject, {
    before: (stage, { api, calls, watches }) => {
      if (stage !== 0) return
      calls.inject({ match: ofCalls, fault: { ...refusal, code: 503 } })
      api.inject({ match: ofWatches, times: watches, fault: { ...refusal, code: 429 } })
      calls.ledger.reset()
      api.ledger.reset()
      api.strikeWatches({}, { do: 'cut' })
    },
    after: async (stage, { api, calls, watches }) => {
      if (stage !== 0) return
      t.strictSame((await waits(calls, ofCalls, 1)).map(isLongEnough), [true])
      t.strictSame((await waits(api, ofWatches, watches)).map(isLongEnough), Array(watches).fill(true))
    },
  })
  t.strictSame(lostIn(run, subject.clean), [])
}

/** So many seconds pass at once for a relay: it looks again whatever happened before. */
const lookSeconds = 30

/** At first the API server says nothing, then nobody is there for a minute, then it is back, while the first stage has changed. */
const away = async (t: Test, subject: Subject) => {
  const { proxy } = subject.ground
  const always = { match: {}, times: Infinity }
  const isReady = async ({ url }: Relay) => (await fetch(`${url}/readyz`)).status === 200
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  let [silent, listed]: [readonly Injected[], number] = [[], 0]
  const run = await tellByRelay(t, subject, {
    before: (stage, { api }) => {
      if (stage > 0) return
      silent = [api, proxy].map(way => way.inject({ ...always, fault: { do: 'hold', until: gone.promise } }))
      api.strikeWatches({}, { do: 'freeze' })
    },
    during: async (stage, relay) => {
      if (stage > 0) return
      await handOver(subject, relay)
      relay.pass(lookSeconds)
      await Promise.all(silent.map(({ strikes }) => strikes))
      const nobody = [relay.api, proxy].map(way => way.inject({ ...always, fault: { do: 'drop' } }))
      for (const rule of silent) rule.remove()
      gone.reject(new DOMException('the API server is gone', 'AbortError'))
      t.equal(
        await until(
          () => isReady(relay),
          ready => !ready,
        ),
        false,
        'it says so',
      )
      for (let seconds = 0; seconds < 60; seconds += lookSeconds) {
        const tries = nobody[0]?.struck() ?? 0
        relay.pass(lookSeconds)
        t.ok(
          (await until(
            () => nobody[0]?.struck() ?? 0,
            count => count > tries,
          )) > tries,
          'it goes on trying',
        )
      }
      listed = lists(relay)
      for (const rule of nobody) rule.remove()
      relay.pass(60)
    },
    after: async (stage, relay) => {
      if (stage > 0) return
      t.equal(await until(() => isReady(relay), Boolean), true, 'it is back within a minute')
      t.ok(lists(relay) - listed <= relay.watches, 'and nothing is listed twice')
    },
  })
  t.strictSame(lostIn(run, subject.clean), [])
}

/** Milliseconds between the first two tries at each place. */
const waitsSoFar = ({ ledger }: FaultProxy, match: Match): number[] =>
  [
    ...Map.groupBy(
      ledger.arrivals.filter(arrival => fits(match, arrival)),
      placeText,
    ).values(),
  ].map(([first, second]) => (second?.milliseconds ?? 0) - (first?.milliseconds ?? 0))

/** The same, once there were two at so many places: the stage may be at its end before that. */
const waits = (proxy: FaultProxy, match: Match, places: number): Promise<number[]> =>
  until(
    () => waitsSoFar(proxy, match),
    all => all.length === places && all.every(milliseconds => milliseconds > 0),
  )

const isLongEnough = (milliseconds: number) => hasWaited(milliseconds, 1)

const placeText = ({ resource, namespace, name, selectors }: Arrival) => `${namespace} ${resource} ${name} ${selectors}`

/** In each stage the first call of the host is the last thing a relay does, and another relay begins. */
const killedAtCall = async (t: Test, subject: Subject, at: 'before' | 'after') => {
  const successors: Promise<unknown>[] = []
  const run = await tellByRelay(t, subject, {
    before: async (_stage, _relay, crew) => {
      const { calls, kill } = await crew.latest()
      const onKill = () => void successors.push(Promise.all([kill(), crew.add()]))
      calls.inject({ match: {}, fault: { do: 'kill', at, onKill } })
    },
    after: async stage => {
      await untilEqual(() => successors.length, stage + 1)
      await successors.at(-1)
      // It calls for what is there already; a call amid the next change would see half of it.
      await subject.host.idle()
    },
  })
  t.equal(successors.length, subject.scenario.stages.length, 'one was killed in each stage')
  t.strictSame(lostIn(run, subject.clean), [])
}

const handOver = async ({ scenario, definition }: Subject, { url }: Relay): Promise<number> => {
  const body = JSON.stringify({ function: definition.name, keys: [scenario.key] })
  return (await fetch(`${url}/relay/keys`, { method: 'POST', body })).status
}

/** Keys that the relay has taken, and then it is dead. */
const keysHandedOver = async (t: Test, subject: Subject) => {
  const run = await tellByRelay(t, subject, {
    after: async (stage, relay, crew) => {
      if (stage !== 0) return
      t.equal(await handOver(subject, relay), 202)
      const calls = callsOf(subject)
      await Promise.all([relay.kill(), crew.add()])
      t.ok((await untilCalled(subject, calls)) > calls, 'the function is called all the same')
    },
  })
  t.strictSame(lostIn(run, subject.clean), [])
}

const twoRelays = async (t: Test, subject: Subject) => {
  const made: Relay[] = []
  const run = await tellByRelay(t, subject, {
    before: async (stage, relay, crew) => {
      if (stage === 0) made.push(relay, await crew.add())
    },
  })
  t.strictSame(lostIn(run, subject.clean), [])
  for (const { calls } of made) t.ok(calls.ledger.arrivals.length > 0, 'both have called')
}

type Row = readonly [title: string, prove: (t: Test, subject: Rehearsed) => Promise<void>]

const missed: Row = ['RE-04 events between two lists are never seen', lostUntilSweep]

const rows: readonly Row[] = [
  missed,
  ['RE-05 410 as an event of the stream', (t, subject) => tooOld(t, subject, expiredByEvent)],
  ['RE-05 410 as an HTTP status', (t, subject) => tooOld(t, subject, expiredByStatus)],
  ['RE-06 watches break, hang, carry half lines and garbage', interrupted],
  ['RE-07 three in ten requests fail for a while', badMinute],
  ['RE-07 Retry-After is honoured', turnedAway],
  ['RE-08 the API server hangs, then is away for a minute', away],
  ['RE-14 the relay is killed before a call', (t, subject) => killedAtCall(t, subject, 'before')],
  ['RE-14 the relay is killed before it hears of the end of a call', (t, subject) => killedAtCall(t, subject, 'after')],
  ['RE-14 the relay is killed after it took keys', keysHandedOver],
  ['RE-14 two relays live at once', twoRelays],
]

const telling =
  (chosen: readonly Row[]) =>
  async (t: Test, trying: Trying): Promise<void> => {
    const subject = await rehearse(t, await newSubject(t, trying))
    for (const [title, prove] of chosen.filter(([title]) => runsHere(title)))
      await t.test(title, t => prove(t, subject))
  }

export const aroundTheRelay = telling(rows)

/** The undisturbed run through the relay, and one in which events get lost. */
export const missedEvents = telling([missed])
