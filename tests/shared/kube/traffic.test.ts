// An API server that sends much and answers little loses its connections; one that answers keeps them, however much it sends.
import { EventEmitter, once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Credentials } from '../../../shared/kube/clusters/access.ts'
import { Traffic } from '../../../shared/kube/connection/traffic.ts'
import { isExcess } from '../../../shared/kube/errors.ts'
import { type Limits, localLimits, remoteLimits } from '../../../shared/kube/limits.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { emptyFrames, frameFlood } from '../../harness/clients/frame-flood.ts'
import { endlessChunkExtension, hostileApiServer } from '../../harness/clients/hostile-api-server.ts'
import { keptOf } from '../../harness/kept-in-memory.ts'
import { matches } from '../../harness/matches.ts'
import { until } from '../../harness/until.ts'
import { configMap } from './scripted-server.ts'

type Test = { teardown(cleanUp: () => unknown): unknown }

const mebibyte = 2 ** 20
const authority = await newAuthority('somebody')
const certified = await authority.serving({ ip: ['127.0.0.1'] })
const { certificate: cert, key } = certified
const credentials = { ca: authority.certificate, token: 'token' }
const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' }

const clientOf = (t: Test, server: string, limits: Limits, given: Credentials = credentials) => {
  const client = createClient({ server, credentials: () => given, called: 'it' }, { limits })
  t.teardown(client.close)
  return client
}

type Counted = { readonly events: number; readonly error?: unknown }

const watched = async (client: ReturnType<typeof clientOf>, most = Number.POSITIVE_INFINITY): Promise<Counted> => {
  let events = 0
  try {
    for await (const _ of client.watch({ ...configMaps, resourceVersion: '7' })) if (++events === most) break
    return { events }
  } catch (error) {
    return { events, error }
  }
}

const sentence = 'more than 1 MiB arrived that belong to no response'
const limits = { ...remoteLimits, emptyBytes: mebibyte }

t.test(
  'RE-43 HTTP/2 frames that belong to no answer, without end: the watch ends and its connection closes',
  async t => {
    const floods = Object.entries(emptyFrames).map(async ([name, frame]) => {
      const server = await frameFlood(t, frame, certified)
      const { error } = await watched(clientOf(t, server.url, limits))
      matches(t, error, { name: 'StreamError', fault: 'excess', message: `the watch of ConfigMap: ${sentence}` }, name)
      t.ok(isExcess(error))
      t.equal(await until(server.open, open => open === 0), 0, `${name}: closed`)
    })
    await Promise.all(floods)
  },
)

t.test(
  'RE-43 chunk extensions without end (HTTP/1.1): the watch and the call end, and both connections close',
  async t => {
    const server = await hostileApiServer(t, endlessChunkExtension, certified)
    const client = clientOf(t, server.url, limits)
    const [{ error }, answer] = await Promise.all([
      watched(client),
      client.get({ ...configMaps, namespace: 'default', name: 'a' }).catch(error => error),
    ])
    matches(t, error, { name: 'StreamError', fault: 'excess', message: `the watch of ConfigMap: ${sentence}` })
    const path = '/api/v1/namespaces/default/configmaps/a'
    matches(t, answer, { loss: 'excess', code: 'TOO_EMPTY', message: `GET ${path} with it: ${sentence} (TOO_EMPTY)` })
    t.equal(await until(server.open, open => open === 0), 0)
  },
)

t.test('RE-43 a server of TLS 1.2 asks for one handshake after another: none is made', async t => {
  let handshakes = 0
  const server = createServer({ cert, key, maxVersion: 'TLSv1.2' }, (_, answer) => {
    const { socket } = answer
    const renegotiate = (error?: Error | null): void => {
      if (!error && ++handshakes < 10) (socket as TLSSocket).renegotiate({}, renegotiate)
      else answer.end('{}')
    }
    socket?.on('error', () => {})
    ;(socket as TLSSocket).renegotiate({}, renegotiate)
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = { method: 'GET', path: '/version' } as const
  for (const given of [credentials, { acceptsAnyCertificate: true }]) {
    const error = await clientOf(t, url, limits, given)
      .raw(ask)
      .catch(error => error)
    matches(t, error, { name: 'ConnectionError' })
  }
  t.equal(handshakes, 0)
})

/** The types of Node know HTTP/2 and HTTP/1.1 apart; what answers with a head and a body is alike. */
type Create = (options: object, answer: (request: IncomingMessage, answer: ServerResponse) => void) => Server

/** So many events in a second, each in a frame or chunk of its own; lists of 5 MiB. */
const busyServer = async (t: Test, create: Create) => {
  const list = JSON.stringify({ metadata: {}, items: [configMap('a', { data: { text: 'x'.repeat(5 * mebibyte) } })] })
  const event = `${JSON.stringify({ type: 'MODIFIED', object: configMap('a') })}\n`
  const server = create({ cert, key, allowHTTP1: true }, (request: IncomingMessage, answer: ServerResponse) => {
    answer.writeHead(200, { 'content-type': 'application/json' })
    if (!request.url?.includes('watch=')) return answer.end(list)
    const timer = setInterval(() => {
      for (let n = 0; n < eventsPerSecond / 100; n++) answer.write(event)
    }, 10)
    answer.once('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const eventsPerSecond = 5_000
const servers: Record<string, Create> = { 'HTTP/2': createSecureServer as unknown as Create, 'HTTP/1.1': createServer }

t.test('RE-43 a watch of 5,000 events a second and lists of 5 MiB are answers, and are never cut', async t => {
  const busy = Object.entries(servers).map(async ([protocol, create]) => {
    const url = await busyServer(t, create)
    const client = clientOf(t, url, { ...localLimits, emptyBytes: mebibyte / 4 })
    const lists = async () => {
      for (let times = 0; times < 4; times++) await client.list(configMaps)
    }
    const [seen] = await Promise.all([watched(client, 1.5 * eventsPerSecond), lists()])
    t.strictSame(seen, { events: 1.5 * eventsPerSecond }, protocol)
  })
  await Promise.all(busy)
})

/** A socket that has read so many bytes, of a connector that never dials. */
const counted = (traffic: Traffic) => {
  const socket = Object.assign(new EventEmitter(), { bytesRead: 0, end: '', destroy: (_: Error) => {} })
  socket.destroy = error => {
    socket.end = error.message
    socket.emit('close')
  }
  const connect = traffic.counting((_, callback) => callback(null, socket as unknown as Socket))
  connect({ hostname: '', protocol: 'https:', port: '' }, () => {})
  t.teardown(() => socket.emit('close'))
  return socket
}

t.test('RE-43 after a flood, the next connection is kept as long as requests and answers account for its bytes', t => {
  const traffic = new Traffic(mebibyte)
  const flooded = counted(traffic)
  flooded.bytesRead = 100 * mebibyte
  traffic.check()
  t.equal(flooded.end, sentence)
  traffic.asked()
  const next = counted(traffic)
  next.bytesRead = 1_000
  traffic.check()
  t.equal(next.end, '', 'the request that dialled accounts for the head of its answer')
  traffic.answered(5 * mebibyte)
  next.bytesRead = 5 * mebibyte + 1_000
  traffic.check()
  t.equal(next.end, '')
  next.bytesRead += 11 * mebibyte
  traffic.check()
  t.equal(next.end, sentence)
  t.end()
})

t.test('RE-43 after a flood, the next connection may not read as much that belongs to no answer', t => {
  const traffic = new Traffic(mebibyte)
  counted(traffic).bytesRead = 100 * mebibyte
  traffic.check()
  traffic.asked()
  const next = counted(traffic)
  next.bytesRead = mebibyte / 2
  traffic.check()
  t.equal(next.end, sentence)
  t.end()
})

t.test('RE-43 frames may be as long as the pieces of answers in them; answers earn nothing for later', t => {
  const traffic = new Traffic(mebibyte)
  const socket = counted(traffic)
  for (let times = 0; times < 10; times++) {
    traffic.answered(mebibyte)
    socket.bytesRead += 2 * mebibyte
    traffic.check()
  }
  traffic.answered(100 * mebibyte)
  traffic.check()
  t.equal(socket.end, '')
  socket.bytesRead += 2 * mebibyte
  traffic.check()
  t.equal(socket.end, sentence)
  t.end()
})

t.test('RE-43 a hundred answers without content, but with headers, are no flood', t => {
  const traffic = new Traffic(mebibyte)
  const socket = counted(traffic)
  for (let n = 0; n < 100; n++) traffic.asked()
  socket.bytesRead = 100 * 64 * 1024
  traffic.check()
  t.equal(socket.end, '')
  t.end()
})

t.test('RE-43 a server that floods and hangs up before it is noticed loses its next connection', t => {
  const traffic = new Traffic(mebibyte)
  const first = counted(traffic)
  first.bytesRead = 2 * mebibyte
  first.emit('close')
  const second = counted(traffic)
  traffic.check()
  t.equal(second.end, sentence)
  t.end()
})

t.test('RE-43 requests to a server that cannot be dialled earn it nothing', t => {
  const traffic = new Traffic(mebibyte)
  for (let n = 0; n < 1_000; n++) traffic.asked()
  const socket = counted(traffic)
  socket.bytesRead = 2 * mebibyte
  traffic.check()
  t.equal(socket.end, sentence)
  t.end()
})

t.test('RE-42 nothing is kept of API servers whose connections have all ended', async t => {
  const begunAndEnded = (): WeakRef<Traffic> => {
    const traffic = new Traffic(mebibyte)
    counted(traffic).emit('close')
    return new WeakRef(traffic)
  }
  const ended = Array.from({ length: 5 }, begunAndEnded)
  t.ok((await keptOf(ended)) <= 1)
})
