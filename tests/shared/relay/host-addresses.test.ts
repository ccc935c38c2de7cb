import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { issueCertificates } from '../../../shared/outside/certificates.ts'
import { createHost } from '../../../shared/relay/calls/function-host.ts'
import { HostAddresses } from '../../../shared/relay/calls/host-addresses.ts'
import { rejects } from '../../harness/matches.ts'

const names = ['component.espalier-system.svc', 'kyma.espalier-system.svc']

const certificate = await issueCertificates(
  { renew: ['authority', 'serving'], commonName: 'hosts', names, authorityDays: 2, servingDays: 1 },
  undefined,
)
const pem = (key: string): string => Buffer.from(certificate[key] ?? '', 'base64').toString()

type Listener = { address: string; port: number; calls: number; connections: number; server: Server }

/** Answers every call after a moment. */
const listenAt = async (t: Test, address: string, port = 0): Promise<Listener> => {
  const server = createServer({ cert: pem('tls.crt'), key: pem('tls.key') }, (_, response) => {
    listener.calls++
    setTimeout(() => response.end('{"outcome":"settled"}'), 5)
  })
  server.on('secureConnection', () => void listener.connections++)
  await once(server.listen(port, address), 'listening')
  const listener = { address, port: (server.address() as AddressInfo).port, calls: 0, connections: 0, server }
  t.teardown(() => server.close().closeAllConnections())
  return listener
}

/** Hosts behind one name, and who calls them. `addresses` and `clock` may change. */
const spread = (t: Test, port: number, addresses: string[]) => {
  const clock = { now: 0 }
  const state = { addresses, lookUps: 0, fails: false }
  const lookUp = async (name: string) => {
    state.lookUps++
    t.ok(names.includes(name), name)
    if (state.fails) throw new Error('no answer of DNS')
    return [...state.addresses]
  }
  const host = createHost(
    {
      urlOf: name => `https://${name}.espalier-system.svc:${port}`,
      token: async () => 'x',
      authorities: pem('ca.crt'),
    },
    new HostAddresses(lookUp, () => clock.now),
  )
  t.teardown(host.close)
  const call = async (name: string) => {
    const { status } = await host.call(
      name,
      { namespace: '', name: 'a', isQuiet: false, waiting: 0 },
      { signal: AbortSignal.timeout(9_000) },
    )
    t.equal(status, 200)
  }
  const calls = async (count: number, atOnce: number, name = 'component') => {
    const each = async () => {
      for (let at = 0; at < count / atOnce; at++) await call(name)
    }
    await Promise.all(Array.from({ length: atOnce }, each))
  }
  return { clock, state, call, calls }
}

const within = (t: Test, listeners: readonly Listener[]): void => {
  const counts = listeners.map(({ calls }) => calls)
  t.ok(Math.max(...counts) <= (4 / 3) * Math.min(...counts), `${counts}`)
}

t.test(
  'RE-93 three hosts behind one name get equal shares, by one certificate, at any number of calls at once',
  async t => {
    const first = await listenAt(t, '127.0.0.1')
    const others = await Promise.all(['127.0.0.2', '127.0.0.3'].map(address => listenAt(t, address, first.port)))
    const listeners = [first, ...others]
    const { calls } = spread(t, first.port, ['127.0.0.1', '127.0.0.2', '127.0.0.3'])
    for (const atOnce of [1, 4, 10]) {
      for (const listener of listeners) listener.calls = 0
      await calls(60, atOnce)
      within(t, listeners)
    }
  },
)

t.test(
  'RE-93 a host that starts later gets its share within seconds, though connections to the others are kept',
  async t => {
    const first = await listenAt(t, '127.0.0.1')
    const second = await listenAt(t, '127.0.0.2', first.port)
    const { calls, clock, state } = spread(t, first.port, ['127.0.0.1', '127.0.0.2'])
    await calls(40, 4)
    const third = await listenAt(t, '127.0.0.3', first.port)
    state.addresses.push('127.0.0.3')
    state.lookUps = 0
    clock.now += 5_000
    await calls(4, 4)
    for (const listener of [first, second, third]) listener.calls = 0
    await calls(60, 4)
    within(t, [first, second, third])
    t.equal(state.lookUps, 1, 'no look-up for each call')
  },
)

t.test('RE-93 functions of one host share its load, and keep connections of their own', async t => {
  const first = await listenAt(t, '127.0.0.1')
  const second = await listenAt(t, '127.0.0.2', first.port)
  const { call } = spread(t, first.port, ['127.0.0.1', '127.0.0.2'])
  for (let at = 0; at < 10; at++) for (const name of ['component', 'kyma', 'kyma']) await call(name)
  within(t, [first, second])
  t.equal(first.connections + second.connections, 4)
})

t.test('RE-93 a busy host gets no calls while another has less to do', async t => {
  const addresses = new HostAddresses(async () => ['a', 'b', 'c'])
  const slow = Promise.withResolvers<void>()
  const called: string[] = []
  const call = (until?: Promise<void>) =>
    addresses.call('x', address => {
      called.push(address)
      return until ?? Promise.resolve()
    })
  const first = call(slow.promise)
  for (let at = 0; at < 4; at++) await call()
  t.strictSame(called, ['a', 'b', 'c', 'b', 'c'])
  slow.resolve()
  await first
  await call()
  t.equal(called.at(-1), 'a')
})

t.test('RE-93 a call goes to another host when a host is gone, and fails when all are', async t => {
  const first = await listenAt(t, '127.0.0.1')
  const { call, calls, state } = spread(t, first.port, ['127.0.0.2', '127.0.0.1'])
  await calls(6, 1)
  t.equal(first.calls, 6)
  first.server.close().closeAllConnections()
  const second = await listenAt(t, '127.0.0.3', first.port)
  await rejects(t, call('component'), { name: String })
  await rejects(t, call('component'), { code: 'ECONNREFUSED' })
  state.addresses = ['127.0.0.3']
  await call('component')
  t.equal(second.calls, 1, 'the name is looked up again at once')
})

t.test('RE-93 while DNS fails, calls go to the addresses known before', async t => {
  const first = await listenAt(t, '127.0.0.1')
  const { calls, clock, state } = spread(t, first.port, ['127.0.0.1'])
  await calls(2, 1)
  state.fails = true
  clock.now += 60_000
  await calls(2, 1)
  t.equal(state.lookUps, 2)
  t.equal(first.calls, 4)
})

t.test('RE-93 a certificate for another name is refused, wherever the name leads', async t => {
  const first = await listenAt(t, '127.0.0.1')
  const host = createHost(
    { urlOf: () => `https://localhost:${first.port}`, token: async () => 'x', authorities: pem('ca.crt') },
    new HostAddresses(async () => ['127.0.0.1']),
  )
  t.teardown(host.close)
  const call = host.call(
    'component',
    { namespace: '', name: 'a', isQuiet: false, waiting: 0 },
    { signal: AbortSignal.timeout(9_000) },
  )
  await rejects(t, call, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
})

t.test('RE-93 a host that is gone is forgotten when its last call has ended', async t => {
  const clock = { now: 0 }
  const state = { addresses: ['10.0.0.1'] }
  const hosts = new HostAddresses(
    async () => state.addresses,
    () => clock.now,
  )
  const ends: (() => void)[] = []
  const slow = hosts.call('a', () => new Promise<void>(resolve => void ends.push(resolve)))
  await hosts.call('b', async () => undefined)
  const renewed = async () => {
    clock.now += 5_001
    await hosts.call('a', async () => undefined)
    await hosts.call('b', async () => undefined)
    await turn()
    await hosts.call('a', async () => undefined)
    await hosts.call('b', async () => undefined)
  }
  for (let n = 2; n < 100; n++) {
    state.addresses = [`10.0.0.${n}`]
    await renewed()
  }
  t.ok(hosts.counted <= 4, `of 99 it remembers ${hosts.counted}`)
  state.addresses = ['10.0.0.1', '10.0.0.99']
  await renewed()
  const called = await hosts.call('a', async address => address)
  t.equal(called, '10.0.0.99', 'a call under way counts, also at a host that was away')
  for (const end of ends) end()
  await slow
})
