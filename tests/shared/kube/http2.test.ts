// Watches of an API server that speaks HTTP/2: they share connections, and what ends a connection costs none of them an event.
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { constants, createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer as createTlsServer, type TLSSocket, connect as tlsConnect } from 'node:tls'
import t from 'tap'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client, WatchEvent } from '../../../shared/kube/client-types.ts'
import { connectorFor } from '../../../shared/kube/connection/connector.ts'
import { Http2Session } from '../../../shared/kube/connection/http2-session.ts'
import { Streams } from '../../../shared/kube/connection/streams.ts'
import { type ConnectionError, isExcess, isGone, type StreamError } from '../../../shared/kube/errors.ts'
import { remoteLimits } from '../../../shared/kube/limits.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { keptOf } from '../../harness/kept-in-memory.ts'
import { configMap, scriptedServer, status } from './scripted-server.ts'

type Test = { teardown(cleanUp: () => unknown): unknown }
type Script = (answer: Http2ServerResponse, times: number, request: Http2ServerRequest) => void
type Options = { readonly streamsMost?: number }

const authority = await newAuthority('somebody')
const { certificate: cert, key } = await authority.serving({ ip: ['127.0.0.1'] })
const credentials = { ca: authority.certificate, token: 'scripted-token' }
const connector = connectorFor({ ca: authority.certificate })
const query = { apiVersion: 'v1', kind: 'ConfigMap', resourceVersion: '7' }
const times = {
  answerMilliseconds: 5_000,
  signOfLifeMilliseconds: 5_000,
  pingMilliseconds: 5_000,
  idleMilliseconds: 5_000,
}

const line = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: configMap(name) })}\n`

/** Streams for ever what the script writes. */
const server = async (t: Test, script: Script, { streamsMost }: Options = {}) => {
  let asked = 0
  const settings = streamsMost === undefined ? {} : { maxConcurrentStreams: streamsMost }
  const listener = createSecureServer({ cert, key, settings }, (request, answer) => {
    if (!/watch=/.test(request.url)) answer.writeHead(404).end(JSON.stringify(status(404, 'NotFound')))
    else script(answer, ++asked, request)
  })
  const sockets = new Set<TLSSocket>()
  let dials = 0
  listener.on('secureConnection', (socket: TLSSocket) => {
    dials++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    listener.close()
  })
  const url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return { url, sockets, dials: () => dials }
}

/** A connection to it leads on to the port, as the script joins the two. */
const lineTo = async (t: Test, port: number, join: (near: Socket, far: Socket, times: number) => void) => {
  const open: Socket[] = []
  const listener = createServer(near => {
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) open.push(socket.on('error', () => {}))
    join(near, far, open.length / 2)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    listener.close()
  })
  return { url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`, open }
}

/** What passes through it arrives, until it is severed without a word. */
const severableLine = async (t: Test, port: number) => {
  const { url, open } = await lineTo(t, port, (near, far) => near.pipe(far).pipe(near))
  const sever = () => {
    for (const socket of open) socket.unpipe()
  }
  return { url, sever }
}

/** Its first connection is reset as soon as the handshake is over. */
const lineResetOnce = async (t: Test, port: number) => {
  const { url } = await lineTo(t, port, (near, far, times) => {
    near.pipe(far)
    far.once('data', handshake => {
      near.write(handshake)
      if (times === 1) near.resetAndDestroy()
      else far.pipe(near)
    })
  })
  return url
}

const clientOf = (t: Test, url: string, options = {}): Client => {
  const client = createClient({ server: url, credentials: () => credentials }, options)
  t.teardown(client.close)
  return client
}

const asked = { method: 'GET', path: '/api/v1/configmaps?watch=true', headers: {} } as const

/** Its streams alone, which keep the usual times of this test unless others are given. */
const streamsTo = (t: Test, url: string, other: Partial<typeof times> = {}): Streams => {
  const streams = new Streams(url, { connector, ...times, ...other })
  t.teardown(() => streams.destroy())
  return streams
}

const begins: Script = (answer, times) => {
  answer.writeHead(200)
  answer.write(line(`of-${times}`))
}

const followed = (client: Client, more: { signal?: AbortSignal; idleSeconds?: number } = {}) =>
  client.watch({ ...query, ...more })[Symbol.asyncIterator]()

/** The name that its first event tells, and how it goes on. */
const begun = async (client: Client, more: { signal?: AbortSignal; idleSeconds?: number } = {}) => {
  const events = followed(client, more)
  const { value } = (await events.next()) as IteratorResult<WatchEvent, WatchEvent>
  return { name: value.object.metadata.name, events }
}

const allBegun = (client: Client, count: number) => Promise.all(Array.from({ length: count }, () => begun(client)))

const fallen = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work
  } catch (error) {
    return error
  }
}

t.test('FN-42 watches of an API server that speaks HTTP/2 share one connection', async t => {
  const { url, dials } = await server(t, begins)
  const streams = streamsTo(t, url)
  const answers = await Promise.all(Array.from({ length: 30 }, () => streams.request(asked)))
  const names = await Promise.all(
    answers.map(async ({ body }) => String((await once(body, 'data'))[0]).match(/of-\d+/)?.[0]),
  )
  t.equal(new Set(names).size, 30)
  t.equal(dials(), 1)
})

t.test('FN-42 an API server that allows two streams on a connection gets more connections', async t => {
  const { url, dials } = await server(t, begins, { streamsMost: 2 })
  const streams = streamsTo(t, url)
  const answers = await Promise.all(Array.from({ length: 5 }, () => streams.request(asked)))
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200, 200],
  )
  t.equal(dials(), 3)
})

t.test('FN-42 an API server that allows any number of streams gets a hundred on a connection', async t => {
  const { url, dials } = await server(t, begins, { streamsMost: 1_000 })
  const streams = streamsTo(t, url)
  await Promise.all(Array.from({ length: 101 }, () => streams.request(asked)))
  t.equal(dials(), 2)
})

t.test(
  'FN-41 streams go on when credentials are replaced, none begins later, and the last one ends the wait',
  async t => {
    let end = () => {}
    const { url } = await server(t, answer => {
      answer.writeHead(200).write('begun')
      end = () => answer.end()
    })
    const streams = streamsTo(t, url, { idleMilliseconds: 3_600_000 })
    const { body } = await streams.request(asked)
    let isClosed = false
    const closed = streams.close().then(() => {
      isClosed = true
    })
    t.equal(((await fallen(streams.request(asked))) as { code: string }).code, 'UND_ERR_CLOSED')
    t.notOk(isClosed)
    body.resume()
    end()
    await closed
    t.ok(body.destroyed)
  },
)

t.test('FN-42 a watch that is given up ends on the server, before its head and after', async t => {
  const seen = new EventEmitter()
  const { url } = await server(t, (answer, times) => {
    if (times === 2) answer.writeHead(200).write('begun')
    answer.stream.once('close', () => seen.emit('ended', answer.stream.rstCode))
    seen.emit('asked')
  })
  const streams = streamsTo(t, url)
  for (const hasHead of [false, true]) {
    const stopped = new AbortController()
    const stoppable = { ...asked, signal: stopped.signal }
    const [reached, ended] = [once(seen, 'asked'), once(seen, 'ended')]
    const request = fallen(streams.request(stoppable).then(({ body }) => body.on('error', () => {})))
    await (hasHead ? request : reached)
    stopped.abort()
    t.strictSame(await ended, [constants.NGHTTP2_CANCEL])
  }
})

t.test('FN-42 an API server that speaks no HTTP/2 gets a connection for each watch', async t => {
  let asked = 0
  const write = (_: unknown, answer: ServerResponse) => answer.writeHead(200).write(line(`of-${++asked}`))
  const { url, dials } = await scriptedServer(t, write, { tls: { certificate: cert, key } })
  const all = await allBegun(clientOf(t, url), 3)
  t.strictSame(all.map(({ name }) => name).sort(), ['of-1', 'of-2', 'of-3'])
  t.equal(dials(), 4, 'the first told that it speaks none')
})

t.test('RE-06 streams of a server that is about to end (GOAWAY) go on, and the next one begins elsewhere', async t => {
  let goOn = () => {}
  const { url, dials } = await server(t, (answer, times) => {
    begins(answer, times, answer.req)
    goOn = () => answer.write(line('later'))
    if (times === 1) answer.stream.session?.goaway(constants.NGHTTP2_NO_ERROR)
  })
  const client = clientOf(t, url)
  const first = await begun(client)
  const later = goOn
  await begun(client)
  t.equal(dials(), 2)
  later()
  t.equal(((await first.events.next()).value as WatchEvent).object.metadata.name, 'later')
})

t.test('RE-06 a connection that breaks drops its streams, and the next one dials', async t => {
  const { url, sockets } = await server(t, begins)
  const client = clientOf(t, url)
  const all = await allBegun(client, 2)
  for (const socket of sockets) socket.destroy()
  for (const { events } of all) t.equal(((await fallen(events.next())) as StreamError).fault, 'dropped')
  t.equal((await begun(client)).name, 'of-3')
})

t.test('RE-06 a connection on which nobody answers ends once a stream on it was given up', async t => {
  const { url, dials } = await server(t, begins)
  const line = await severableLine(t, Number(new URL(url).port))
  const streams = streamsTo(t, line.url, { signOfLifeMilliseconds: 100 })
  const [first, second] = await Promise.all([streams.request(asked), streams.request(asked)])
  for (const { body } of [first, second]) await once(body, 'data')
  line.sever()
  first.body.destroy()
  await new Promise(resolve => second.body.on('error', () => {}).once('close', resolve))
  t.equal((await streams.request(asked)).statusCode, 200)
  t.equal(dials(), 2)
})

t.test('RE-06 a connection that has answered a ping before, and answers no more, ends in the same way', async t => {
  const { url } = await server(t, begins)
  const line = await severableLine(t, Number(new URL(url).port))
  const streams = streamsTo(t, line.url, { signOfLifeMilliseconds: 100 })
  const [first, second, third] = await Promise.all([
    streams.request(asked),
    streams.request(asked),
    streams.request(asked),
  ])
  for (const answer of [first, second, third])
    await once(
      answer.body.on('error', () => {}),
      'data',
    )
  first.body.destroy()
  await once(first.body, 'close')
  t.equal((await streams.request(asked)).statusCode, 200, 'asked after the ping, and so answered after it')
  line.sever()
  second.body.destroy()
  const ended = new Promise(resolve => third.body.once('close', () => resolve('ended')))
  t.equal(await Promise.race([ended, pause(5_000, 'still open', { ref: false })]), 'ended')
})

t.test('RE-103 quiet streams of a connection on which nobody answers end, and those of another one go on', async t => {
  const { url, dials } = await server(t, begins)
  const line = await severableLine(t, Number(new URL(url).port))
  const often = { pingMilliseconds: 50, signOfLifeMilliseconds: 100 }
  const [dead, well] = [streamsTo(t, line.url, often), streamsTo(t, url, often)]
  const [first, second] = await Promise.all([dead.request(asked), dead.request(asked)])
  const other = await well.request(asked)
  for (const { body } of [first, second, other]) await once(body, 'data')
  line.sever()
  const closed = ({ body }: typeof first) => new Promise(resolve => body.on('error', () => {}).once('close', resolve))
  await Promise.all([closed(first), closed(second)])
  t.notOk(other.body.closed)
  t.equal((await dead.request(asked)).statusCode, 200)
  t.equal(dials(), 3)
})

t.test('RE-44 an API server may push nothing on a connection for watches', async t => {
  let isAllowed: boolean | undefined
  const { url } = await server(t, answer => {
    isAllowed = answer.stream.pushAllowed
    answer.end()
  })
  await streamsTo(t, url).request(asked)
  t.equal(isAllowed, false)
})

t.test('RE-41 a connection that is reset as soon as it stands is given up, and the next one dials', async t => {
  const { url } = await server(t, begins)
  const line = await lineResetOnce(t, Number(new URL(url).port))
  const streams = streamsTo(t, line, { signOfLifeMilliseconds: 200 })
  t.ok((await fallen(streams.request(asked))) instanceof Error)
  t.equal((await streams.request(asked)).statusCode, 200)
})

t.test('RE-06 a connection that answers keeps its streams when one of them is given up', async t => {
  let goOn = () => {}
  const { url, dials } = await server(t, (answer, times) => {
    begins(answer, times, answer.req)
    if (times === 1) goOn = () => answer.write(line('later'))
  })
  const client = clientOf(t, url)
  const first = await begun(client)
  for (let turn = 0; turn < 3; turn++) await (await begun(client)).events.return?.()
  goOn()
  t.equal(((await first.events.next()).value as WatchEvent).object.metadata.name, 'later')
  t.ok(dials() <= 2, 'one for calls, one for watches')
})

t.test('RE-06 a server that does not answer a request, or sends nothing at all, counts as silent', async t => {
  const { url } = await server(t, () => {})
  const mute = createTlsServer({ cert, key, ALPNProtocols: ['h2'] }, socket => socket.on('error', () => {}))
  mute.listen(0, '127.0.0.1')
  await once(mute, 'listening')
  t.teardown(() => mute.close())
  const short = { connector, ...times, answerMilliseconds: 20, signOfLifeMilliseconds: 100 }
  for (const address of [url, `https://127.0.0.1:${(mute.address() as AddressInfo).port}`]) {
    const streams = new Streams(address, short)
    t.equal(((await fallen(streams.request(asked))) as { code: string }).code, 'OVERDUE')
    await streams.destroy()
  }
})

t.test('a refusal over HTTP/2 is the same error as over HTTP/1.1', async t => {
  const { url } = await server(t, answer => answer.writeHead(410).end(JSON.stringify(status(410, 'Expired'))))
  t.ok(isGone(await fallen(followed(clientOf(t, url)).next())))
})

t.test('RE-28 interim answers without end, and a line without end, are an excess', async t => {
  const interim = await server(t, answer => {
    for (let turn = 0; turn < 20; turn++) answer.stream.additionalHeaders({ ':status': 103 })
  })
  t.ok(isExcess(await fallen(followed(clientOf(t, interim.url)).next())))
  const endless = await server(t, answer => {
    answer.writeHead(200)
    const piece = Buffer.alloc(2 ** 20, 'x')
    const more = () => answer.stream.destroyed || answer.write(piece, more)
    more()
  })
  t.ok(isExcess(await fallen(followed(clientOf(t, endless.url, { limits: remoteLimits })).next())))
})

t.test('a certificate of somebody else is not trusted', async t => {
  const { url } = await server(t, begins)
  const stranger = await newAuthority('a stranger')
  const client = createClient({ server: url, credentials: () => ({ ca: stranger.certificate }) })
  t.teardown(client.close)
  t.equal(((await fallen(followed(client).next())) as ConnectionError).loss, 'untrusted')
})

t.test('a request that is stopped while its server is dialled ends at once', async t => {
  const silent = createServer(socket => socket.on('error', () => {}))
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.teardown(() => silent.close())
  const streams = new Streams(`https://127.0.0.1:${(silent.address() as AddressInfo).port}`, {
    connector: connectorFor({ timeout: 500 }),
    ...times,
  })
  const stopped = new AbortController()
  const stoppable = { ...asked, signal: stopped.signal }
  const request = fallen(streams.request(stoppable))
  stopped.abort(new Error('stopped'))
  t.equal(((await request) as Error).message, 'stopped')
})

t.test('a connection without streams ends after a while', async t => {
  const { url, sockets } = await server(t, answer => answer.writeHead(200).end('{}'))
  const streams = streamsTo(t, url, { idleMilliseconds: 20 })
  const { body } = await streams.request(asked)
  body.resume()
  for (const socket of sockets) await once(socket, 'close')
  t.equal(sockets.size, 0)
})

t.test(
  'FN-42 a connection with a watch stays open, even when nothing is sent for longer than an idle connection may last',
  async t => {
    const answers: Http2ServerResponse[] = []
    const { url, dials } = await server(t, answer => {
      answer.writeHead(200)
      answer.write(line('first'))
      answers.push(answer)
    })
    const streams = streamsTo(t, url, { idleMilliseconds: 20 })
    const { body } = await streams.request(asked)
    await once(body, 'data')
    await pause(60)
    t.equal(body.closed, false)
    answers[0]?.write(line('later'))
    const [next] = await Promise.race([once(body, 'data'), once(body, 'close')])
    t.ok(String(next).includes('later'))
    t.equal(dials(), 1)
  },
)

t.test('RE-42 nothing is kept of connections that have ended', async t => {
  const { url, sockets } = await server(t, begins)
  const streams = streamsTo(t, url, { idleMilliseconds: 3_600_000 })
  const sessions: WeakRef<Http2Session>[] = []
  const { begun } = Http2Session
  t.teardown(() => Object.assign(Http2Session, { begun }))
  Http2Session.begun = async (...given) => {
    const session = await begun.apply(Http2Session, given)
    sessions.push(new WeakRef(session))
    return session
  }
  for (let turn = 0; turn < 5; turn++) {
    const { body } = await streams.request(asked)
    body.on('error', () => {}).resume()
    for (const socket of sockets) socket.destroy()
    await new Promise(resolve => body.once('close', resolve))
  }
  t.equal(sessions.length, 5)
  t.ok((await keptOf(sessions)) <= 1)
})

t.test('closing a client ends its watches, and none begins later', async t => {
  const { url } = await server(t, begins)
  const streams = new Streams(url, { connector, ...times })
  const { body } = await streams.request(asked)
  await streams.destroy()
  if (!body.destroyed) await once(body, 'close')
  t.equal(((await fallen(streams.request(asked))) as { code: string }).code, 'UND_ERR_CLOSED')
})

t.test('FN-95 an API server with an IPv6 address is named with brackets', async t => {
  let named = ''
  const tell: Script = (answer, _, { authority }) => {
    named = authority
    answer.end()
  }
  const { url } = await server(t, tell)
  const { hostname: host, port } = new URL(url)
  const socket = tlsConnect({ host, port: Number(port), ca: authority.certificate, ALPNProtocols: ['h2'] })
  await once(socket, 'secureConnect')
  const session = await Http2Session.begun('https://[fd00::1]:6443', socket, times)
  t.teardown(() => session.destroy())
  await session.open(asked)
  t.equal(named, '[fd00::1]:6443')
})

t.test('FN-96 a client that is closed while its API server is dialled asks nothing of it', async t => {
  const one = await scriptedServer(t, (_, answer) => answer.writeHead(200).write(line('late')), {
    tls: { certificate: cert, key },
  })
  const two = await server(t, begins)
  for (const { url } of [one, two]) {
    const streams = new Streams(url, { connector, ...times })
    const request = fallen(streams.request(asked))
    await streams.destroy()
    t.equal(((await request) as { code: string }).code, 'UND_ERR_CLOSED')
  }
  t.strictSame(one.asked, [])
})
