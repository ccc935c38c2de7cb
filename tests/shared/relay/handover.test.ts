// Keys handed over to a relay that serves only some of them: which are queued here, which others are asked to take, and what
// whoever brings them is told.
import t, { type Test } from 'tap'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { type Calls, createCalls, shardText } from '../../../shared/relay/calls/calls.ts'
import type { Host, HostReply } from '../../../shared/relay/calls/function-host.ts'
import { reconcilersOf } from '../../../shared/relay/reconcilers.ts'
import { HandedOverKeys } from '../../../shared/relay/server.ts'
import { allShards } from '../../../shared/relay/shards/shards.ts'
import { matches } from '../../harness/matches.ts'
import { scriptedServer } from '../kube/scripted-server.ts'
import { fakeClock } from './fake-clock.ts'
import { silentLog } from './silent-log.ts'

const keyOf = (name: string) => ({ namespace: 'x', name })

/** Another relay, which answers keys so. */
const otherRelay = async (t: Test, code: number) => {
  const server = await scriptedServer(t, (_, answer) => answer.writeHead(code).end())
  const keys = () => server.asked.flatMap(({ body }) => (body as { keys: { name: string }[] }).keys)
  return { address: `http://127.0.0.1:${server.port}`, keys: () => keys().map(({ name }) => name) }
}

/** A relay that serves itself what is not named here: keys of others by name, with where that relay is. */
const handoverTo = (t: Test, others: Readonly<Record<string, string | undefined>>) => {
  const queued: string[] = []
  const addresses = new Map(Object.entries(others).map(([name, at]) => [shardText('maps', keyOf(name)), at]))
  const handover = new HandedOverKeys({
    functions: ['maps'],
    calls: { call: (_, { name }) => void queued.push(name) } as Partial<Calls> as Calls,
    shards: { ...allShards, holds: text => !addresses.has(text), addressOf: text => addresses.get(text) },
    closedBecause: () => undefined,
    token: async () => 'ours',
    log: silentLog,
  })
  t.teardown(() => handover.close())
  const brings = (...names: string[]) =>
    handover.accept({ function: 'maps', keys: names.map(keyOf), isPassedOn: false })
  return { queued, brings }
}

t.test('FN-44 keys of several relays are answered 202 only when each relay has queued its own', async t => {
  const [one, two] = [await otherRelay(t, 202), await otherRelay(t, 202)]
  const { queued, brings } = handoverTo(t, { b: one.address, c: two.address })
  t.equal(await brings('a', 'b', 'c'), undefined)
  t.strictSame([queued, one.keys(), two.keys()], [['a'], ['b'], ['c']])
})

t.test('FN-44 one relay queues its keys and another does not: the answer is 503', async t => {
  const taking = await otherRelay(t, 202)
  for (const refusing of [(await otherRelay(t, 503)).address, 'http://127.0.0.1:1', undefined]) {
    const { brings } = handoverTo(t, { b: taking.address, c: refusing })
    matches(t, await brings('b', 'c'), { status: 503, code: 'notNow' }, String(refusing))
  }
})

const landscape: Landscape = {
  service: 'espalier',
  provider: { name: 'espalier', namespace: 'espalier-system', sweepSeconds: 3600 },
  functions: {
    maps: {
      handler: 'functions/maps/index.maps',
      description: 'Is called for ConfigMaps',
      timeout: 10,
      concurrency: 5,
      memorySize: 64,
      failureBaseSeconds: 1,
      failureMaxSeconds: 10,
      access: [],
      events: [{ watch: { apiVersion: 'v1', kind: 'ConfigMap', on: ['any'], map: 'self' } }],
    },
  },
}

t.test('FN-44 each key answered 202 is called until its call succeeds, and a quiet minute later no more', async t => {
  const clock = fakeClock()
  const called: string[] = []
  const areTaken = Promise.withResolvers<void>()
  const replies: HostReply[] = [
    { status: 503, body: {}, retryAfterSeconds: 5 },
    { status: 500, body: {} },
  ]
  const call = async (_: string, { name }: { name: string }): Promise<HostReply> => {
    called.push(name)
    await areTaken.promise
    return replies.shift() ?? { status: 200, body: { outcome: 'settled' } }
  }
  const calls = createCalls({
    reconcilers: reconcilersOf(landscape),
    host: { call } as Partial<Host> as Host,
    shards: allShards,
    homeOf: () => undefined,
    isBeginning: () => false,
    clock,
    log: silentLog,
    maxInFlight: 10,
    taken: () => {},
    ended: () => {},
  })
  const handover = new HandedOverKeys({
    functions: ['maps'],
    calls,
    shards: allShards,
    log: silentLog,
    closedBecause: () => undefined,
    token: async () => 'ours',
  })
  t.teardown(() => handover.close())
  for (let n = 0; n < 10; n++)
    t.equal(await handover.accept({ function: 'maps', keys: ['a', 'b'].map(keyOf), isPassedOn: false }), undefined)
  areTaken.resolve()
  await clock.advance(30)
  t.strictSame(called.toSorted(), ['a', 'a', 'b', 'b'], 'the calls that failed are made again, once for all that came')
  called.splice(0)
  await clock.advance(60)
  t.strictSame(called, [])
  await calls.stop(0)
})
