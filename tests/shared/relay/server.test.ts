import t, { type Test } from 'tap'
import { type ListenerLimit, type ListenerLimits, usualLimits } from '../../../shared/listener/server.ts'
import { listen } from '../../../shared/relay/server.ts'
import { matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { type Attacker, attacker, attackers, says, type Target } from '../../http/attackers.ts'
import { silentLog } from './silent-log.ts'

/** Limits that callers reached. */
const reached: ListenerLimit[] = []
t.beforeEach(() => void reached.splice(0))

/** A relay's listener to which `Bearer ours` may hand over keys. */
const relayThat = async (t: Test, limits: Partial<ListenerLimits>): Promise<Target> => {
  const listening = await listen(
    {
      refuses: async header => (header === 'Bearer ours' ? undefined : { status: 401, code: 'x', message: 'x' }),
      accept: async () => undefined,
      faults: () => ({}),
      metrics: { text: async () => '', contentType: 'text/plain', limitReached: limit => void reached.push(limit) },
      log: silentLog,
      limits: { ...usualLimits, ...limits },
    },
    { host: '127.0.0.1', port: 0 },
  )
  t.teardown(listening.close)
  return { port: listening.port }
}

const head = (length: number): string =>
  `POST /relay/keys HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ours\r\ncontent-length: ${length}\r\n\r\n`

const keys = JSON.stringify({ function: 'widget', keys: [{ namespace: 'n', name: 'a' }] })

const hears = (one: Attacker, expected: RegExp): Promise<void> =>
  eventually(`${expected} is heard`, async () => expected.test(one.heard()), 60)

t.test('RE-27 bodies share bounded memory: who stopped sending is told 503, keys of others are taken', async t => {
  const target = await relayThat(t, { bodyBytes: 1.5 * 2 ** 20 })
  const stopped = await attackers(t, 3, target)
  for (const one of stopped) await says(one, head(2 ** 20), Buffer.alloc(2 ** 20 - 1, ' '))
  await eventually('one has room', async () => stopped.filter(({ socket }) => socket.destroyed).length === 2, 60)
  for (const one of stopped.filter(({ socket }) => socket.destroyed))
    matches(t, one.heard(), /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*\{"code":"noRoom"/s)
  const host = await attacker(t, target)
  void says(host, `${head(keys.length)}${keys}`)
  await hears(host, /^HTTP\/1\.1 202 .*\{"queued":1\}/s)
  t.strictSame(reached, ['bodyBytes', 'bodyBytes'])
})

t.test('RE-27 the relay takes no body in chunks, none that is too large, and none that breaks off', async t => {
  const target = await relayThat(t, { arrivalSeconds: 0.2 })
  const chunked = head(9).replace('content-length: 9', 'transfer-encoding: chunked')
  const cases: [string, RegExp][] = [
    [`${chunked}1\r\n{\r\n`, /^HTTP\/1\.1 411 .*\{"code":"noLength"/s],
    [head(2 ** 20 + 1), /^HTTP\/1\.1 413 .*\{"code":"tooLarge"/s],
    [`${head(9)}{`, /^HTTP\/1\.1 408 /],
    [`${head(9)}{"keys":}`, /^HTTP\/1\.1 400 .*\{"code":"badJson"/s],
  ]
  for (const [text, expected] of cases) {
    const one = await attacker(t, target)
    void says(one, text)
    await hears(one, expected)
  }
  t.strictSame(reached, ['arrivalSeconds'])
})

t.test('RE-27 all connections of a relay are taken: the next one takes the place of a silent one', async t => {
  const target = await relayThat(t, { connections: 2, arrivalSeconds: 120 })
  const silent = await attackers(t, 2, target)
  const host = await attacker(t, target)
  void says(host, `${head(keys.length)}${keys}`)
  await hears(host, /^HTTP\/1\.1 202 /)
  await eventually('a silent one is over', async () => silent.some(({ socket }) => socket.destroyed), 60)
  t.strictSame(reached, ['connections'])
})

t.test('RE-27 a body in chunks is refused before its caller is checked', async t => {
  const target = await relayThat(t, {})
  const one = await attacker(t, target)
  const anonymous = head(9).replace('authorization: Bearer ours\r\n', '')
  void says(one, anonymous.replace('content-length: 9', 'transfer-encoding: chunked'))
  await hears(one, /^HTTP\/1\.1 411 /)
  const other = await attacker(t, target)
  void says(other, anonymous)
  await hears(other, /^HTTP\/1\.1 401 /)
})

t.test('RE-27 text that is no HTTP is answered 400, endless headers 431, and both are cut off', async t => {
  const target = await relayThat(t, {})
  for (const [text, expected] of [
    ['no http\r\n\r\n', /^HTTP\/1\.1 400 /],
    [`GET /livez HTTP/1.1\r\nx: ${'y'.repeat(100_000)}`, /^HTTP\/1\.1 431 /],
  ] as const) {
    const one = await attacker(t, target)
    void says(one, text)
    await one.over
    matches(t, one.heard(), expected)
  }
})
