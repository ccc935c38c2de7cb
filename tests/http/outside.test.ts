// A call that waits for a registry or another cluster: the host says so to the relay, whichever way the other side keeps it waiting.
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { outsideWait } from '../../shared/http/call-limits.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { artifactSettings, artifactsOf } from '../../shared/http/settings/host-settings.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Outside, ReadClient } from '../../shared/kube/client-types.ts'
import { createHost } from '../../shared/relay/calls/function-host.ts'
import { type RenderingTask, renderedObjects } from '../../shared/runtime/component/rendering/rendering.ts'
import type { BegunCall } from '../../shared/runtime/context.ts'
import { processMemory } from '../../shared/runtime/process-memory.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { base64, kubeconfig } from '../harness/clients/kubeconfig.ts'
import { landscape, secret, testHost, widget, widgetFunction } from './host-parts.ts'
import { MemoryCluster } from './memory-cluster.ts'

/** `host:port` of a server that does this with every connection. */
const server = async (t: Test, behaves: (socket: Socket) => void): Promise<string> => {
  const open = new Set<Socket>()
  const listening = createServer(socket => {
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.resume()
    behaves(socket)
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    listening.close()
  })
  return `127.0.0.1:${(listening.address() as AddressInfo).port}`
}

const answering = (lines: readonly string[]) => (socket: Socket) =>
  void socket.once('data', () => socket.write([...lines, '', ''].join('\r\n')))

const silent = () => undefined

/** A function whose call does this, and whether the relay is told that the call waits before it ends. */
const saysThatItWaits = async (
  t: Test,
  gather: (call: BegunCall) => Promise<unknown>,
  plainRegistries: readonly string[] = [],
): Promise<boolean> => {
  const environment = { ESPALIER_REGISTRIES: '127.0.0.1', ESPALIER_PLAIN_REGISTRIES: plainRegistries.join() }
  const reading = settingsFrom(artifactSettings, { program: 'test', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  const cluster = new MemoryCluster([widget()])
  const context = hostContext(landscape(), { clusters: cluster.clusters, artifacts: artifactsOf(reading.settings) })
  const asks = async (_: unknown, call: BegunCall) => {
    await gather(call)
    return widget()
  }
  const host = testHost({ context, functions: [widgetFunction({ gather: asks })] }, cluster)
  await host.functions.listen({ host: '127.0.0.1', port: 0 })
  const { port } = host.functions.server.address() as AddressInfo
  const relay = createHost({ urlOf: () => `http://127.0.0.1:${port}`, token: async () => secret })
  const ending = new AbortController()
  t.teardown(async () => {
    ending.abort()
    await Promise.all([relay.close(), host.functions.close()])
  })
  const { promise: waits, resolve } = Promise.withResolvers<void>()
  const key = { namespace: 'n', name: 'a', isQuiet: false, waiting: 0 }
  const call = relay.call('widget', key, { signal: ending.signal, waits: resolve })
  return Promise.race([waits.then(() => true), call.then(() => false)])
}

const pulling =
  (repository: string) =>
  ({ artifacts, signal }: BegunCall) =>
    artifacts?.pull({ reference: { repository, tag: '1' }, kind: 'files', signal }) ?? Promise.reject(new Error('none'))

t.test('RE-73 the host says that a call waits, however a registry keeps it waiting', async t => {
  const mute = await server(t, silent)
  const registries: Record<string, string> = {
    'it never answers': mute,
    'it sends a byte and no more': await server(t, answering(['HTTP/1.1 200 OK', 'content-length: 9', '', ' '])),
    'it redirects to one that never answers': await server(
      t,
      answering(['HTTP/1.1 307 Moved', `location: http://${mute}/v2/`, 'content-length: 0']),
    ),
    'the issuer of its tokens never answers': await server(
      t,
      answering([
        'HTTP/1.1 401 No',
        `www-authenticate: Bearer realm="http://${mute}/token",service="x"`,
        'content-length: 0',
      ]),
    ),
  }
  for (const [manner, host] of Object.entries(registries))
    t.equal(await saysThatItWaits(t, pulling(`${host}/a`), [mute, host]), true, manner)
  t.equal(await saysThatItWaits(t, pulling(`${mute}/a`)), true, 'the TLS handshake never ends')
})

t.test('RE-73 the host says that a call waits for the API server of a kubeconfig', async t => {
  const { certificate } = await newAuthority('test')
  const text = kubeconfig({ url: `https://${await server(t, silent)}`, caData: base64(certificate) }, { token: 'x' })
  const reading = async ({ memory, bounds }: BegunCall) => {
    const remote = await memory.remoteClient({ text, called: 'the kubeconfig', allowedHosts: ['127.0.0.1'] })
    await remote.bound(bounds).get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'default' })
  }
  t.equal(await saysThatItWaits(t, reading), true)
})

t.test('RE-73 a call that waits for its own API server, or computes, keeps its place', async t => {
  const ownClient = createClient({ server: `https://${await server(t, silent)}`, credentials: () => ({}) })
  t.teardown(ownClient.close)
  const reading = ({ bounds }: BegunCall) =>
    ownClient
      .bound({ ...bounds, signal: AbortSignal.timeout(400) })
      .list({ apiVersion: 'v1', kind: 'Secret' })
      .catch(() => undefined)
  t.equal(await saysThatItWaits(t, reading), false)
  t.equal(await saysThatItWaits(t, () => pause(400)), false)
})

t.test('RE-73 hints that a proxy sends before the answer do not say that a call waits', async t => {
  const proxy = createHttpServer((_, response) => {
    response.writeEarlyHints({ link: '</a>; rel=preload' })
    response.end('{"outcome":"settled"}')
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const { port } = proxy.address() as AddressInfo
  const relay = createHost({ urlOf: () => `http://127.0.0.1:${port}`, token: async () => secret })
  t.teardown(() => Promise.all([relay.close(), proxy.close()]))
  const waits = () => t.fail('it waits')
  const asking = { signal: AbortSignal.timeout(9_000), waits }
  t.equal((await relay.call('widget', { namespace: 'n', name: 'a', isQuiet: false, waiting: 0 }, asking)).status, 200)
})

t.test('RE-73 several waits of a call add up, and it is said once', async t => {
  let told = 0
  const outside = outsideWait(() => told++)
  t.equal(await outside(Promise.resolve('answer')), 'answer')
  await outside(pause(5))
  await outside(Promise.reject(new Error('lost'))).catch(() => undefined)
  t.equal(told, 0)
  for (let n = 0; n < 3; n++) await outside(pause(30))
  t.equal(told, 1)
  await outside(pause(300))
  t.equal(told, 1)
})

t.test('RE-73 a call that waits for an answer which another call asked for says so, too', async t => {
  const memory = processMemory()
  const never = new Promise<never>(() => undefined)
  const client = { raw: () => never, list: () => never } as unknown as ReadClient
  const told: string[] = []
  for (const name of ['local', 'far', 'far']) {
    const outside: Outside = answer => {
      told.push(name)
      return answer
    }
    const call = { memory, bounds: { outside }, renderKey: () => never } as unknown as RenderingTask['call']
    const target = { name, client, local: client }
    const context = { component: widget() } as unknown as RenderingTask['context']
    void renderedObjects(
      () => ({ objects: [] }),
      { namespace: 'n', name: 'a', parameters: {} },
      {
        call,
        target,
        context,
        elsewhere: { allowedHosts: [] },
      },
    )
  }
  await pause(10)
  t.strictSame(told, ['far', 'far'])
})
