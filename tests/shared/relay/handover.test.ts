// Keys handed over to a relay that serves only some of them: which are queued here, which others are asked to take, and what
// whoever brings them is told.
import t, { type Test } from 'tap'
import { type Calls, shardText } from '../../../shared/relay/calls/calls.ts'
import { HandedOverKeys } from '../../../shared/relay/server/handed-over-keys.ts'
import { allShards } from '../../../shared/relay/shards/shards.ts'
import { matches } from '../../harness/matches.ts'
import { scriptedServer } from '../kube/scripted-server.ts'
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

t.test('FN-44 keys of several relays are taken only once each of them has taken its own', async t => {
  const [one, two] = [await otherRelay(t, 202), await otherRelay(t, 202)]
  const { queued, brings } = handoverTo(t, { b: one.address, c: two.address })
  t.equal(await brings('a', 'b', 'c'), undefined)
  t.strictSame([queued, one.keys(), two.keys()], [['a'], ['b'], ['c']])
})

t.test('FN-44 one of several relays takes its keys, another does not: whoever brought them is told 503', async t => {
  const taking = await otherRelay(t, 202)
  for (const refusing of [(await otherRelay(t, 503)).address, 'http://127.0.0.1:1', undefined]) {
    const { brings } = handoverTo(t, { b: taking.address, c: refusing })
    matches(t, await brings('b', 'c'), { status: 503, code: 'notNow' }, String(refusing))
  }
})
