// A hostile API server. It answers every request with one trick: far more than it may send, or far longer. It counts what it could send before the
// client hung up, and ends with its test. A trick that nobody stops ends normally, so that a limit that fails lets its test fail at once.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Writable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import type { ClusterAccess } from '../../../shared/kube/clusters/access.ts'
import { type Certified, newAuthority } from './certificates.ts'
import { base64, kubeconfig } from './kubeconfig.ts'

/** Answers one request. `send` resolves when more may be sent, and rejects when the client has hung up. */
export type Trick = (request: IncomingMessage, response: ServerResponse, send: Send) => Promise<void> | void

type Send = (text: string | Buffer) => Promise<void>

export type HostileApiServer = {
  readonly url: string
  readonly port: number
  readonly access: ClusterAccess
  /** Path and query of the requests, in the order of arrival. */
  readonly asked: string[]
  /** Bytes of bodies that were sent. */
  sent(): number
  /** The number of answers that a client still reads. */
  open(): number
  /** Uses this trick from now on. */
  play(trick: Trick): void
}

type TestContext = { teardown(cleanUp: () => unknown): unknown }

const json = { 'content-type': 'application/json' }

/** Plain HTTP, or HTTPS with a certificate. */
export const hostileApiServer = async (t: TestContext, trick: Trick, tls?: Certified): Promise<HostileApiServer> => {
  const asked: string[] = []
  const open = new Set<ServerResponse>()
  let sent = 0
  let played = trick
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    asked.push(request.url ?? '')
    open.add(response)
    response.on('close', () => open.delete(response))
    const send: Send = async text => {
      if (response.closed) throw new Error('nobody listens')
      sent += text.length
      if (!response.write(text)) await drained(response)
    }
    Promise.resolve(played(request, response, send)).catch(() => response.destroy())
  }
  const server = tls ? createSecureServer({ cert: tls.certificate, key: tls.key }, answer) : createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const credentials = { token: 'hostile' }
  return {
    url,
    port,
    asked,
    access: { server: url, credentials: () => credentials },
    sent: () => sent,
    open: () => open.size,
    play: next => {
      played = next
    },
  }
}

/** The same with a kubeconfig that leads there, as a Secret would hold it. */
export const behindKubeconfig = async (
  t: TestContext,
  trick: Trick,
): Promise<HostileApiServer & { kubeconfig: string }> => {
  const authority = await newAuthority('hostile')
  const server = await hostileApiServer(t, trick, await authority.serving({ ip: ['127.0.0.1'] }))
  const endpoint = { url: server.url, caData: base64(authority.certificate) }
  return { ...server, kubeconfig: kubeconfig(endpoint, { token: 'hostile' }) }
}

/** Resolves when the stream has drained, or is closed. */
export const drained = async (stream: Writable): Promise<void> => {
  const either = new AbortController()
  const { signal } = either
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).finally(() =>
    either.abort(),
  )
}

const object = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '7' },
  ...more,
})

/** Begins a JSON answer. */
const begin = (response: ServerResponse, code = 200, headers: Record<string, string> = {}): void => {
  response.writeHead(code, { ...json, ...headers })
  response.flushHeaders()
}

/** One list of so many bytes, whatever limit the request has. */
export const longList =
  (bytes: number): Trick =>
  async (_, response, send) => {
    begin(response)
    await send('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[')
    const item = `${JSON.stringify(object('a', { data: { text: 'x'.repeat(64 * 1024) } }))},`
    for (let done = 0; done < bytes; done += item.length) await send(item)
    response.end(`${JSON.stringify(object('z'))}]}`)
  }

/** So many pages of so many objects. */
export const manyPages =
  (pages: number, objects: number): Trick =>
  ({ url = '' }, response) => {
    const page = Number(/continue=at-(\d+)/.exec(url)?.[1] ?? 0)
    const items = Array.from({ length: objects }, (_, n) => object(`p${page}-${n}`))
    const metadata = { resourceVersion: '7', continue: page + 1 < pages ? `at-${page + 1}` : undefined }
    begin(response)
    response.end(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata, items }))
  }

/** An answer that is both an object and a list. */
const eitherAnswer = JSON.stringify({ ...object('a'), items: [] })

/** One byte every so many milliseconds. The answer is never silent for long, and ends after `bytes`. */
export const byteByByte =
  (milliseconds: number, bytes = Number.POSITIVE_INFINITY): Trick =>
  (_, response) => {
    begin(response)
    let left = bytes
    const timer = setInterval(() => (left-- > 0 ? response.write(' ') : response.end(eitherAnswer)), milliseconds)
    response.on('close', () => clearInterval(timer))
  }

/** A hundred interim answers, and no final one. */
export const interimOnly: Trick = (_, response) => {
  for (let sent = 0; sent < 100; sent++) response.writeEarlyHints({ link: '</a>' })
  response.destroy()
}

/** One line of 64 MiB. */
export const longLine =
  (code = 200): Trick =>
  async (_, response, send) => {
    begin(response, code)
    for (let sent = 0; sent < 64 * 1024; sent++) await send('x'.repeat(1024))
    response.end()
  }

/** An object after so many spaces, each in a chunk of its own. */
export const inChunksOfOneByte =
  (spaces: number): Trick =>
  async (_, response) => {
    const { socket } = response
    socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
    const chunks = '1\r\n \r\n'.repeat(1_000)
    for (let sent = 0; sent < spaces && socket && !socket.destroyed; sent += 1_000)
      if (!socket.write(chunks)) await drained(socket)
    socket?.write(`${eitherAnswer.length.toString(16)}\r\n${eitherAnswer}\r\n0\r\n\r\n`)
  }

/** A body whose first chunk never begins: HTTP/1.1 allows extensions between the size and the bytes of a chunk, and these do not end. */
export const endlessChunkExtension: Trick = async (_, { socket }) => {
  socket?.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1')
  const extensions = ';a=b'.repeat(4_000)
  while (socket && !socket.destroyed) if (!socket.write(extensions)) await drained(socket)
}

export const answering =
  (
    body: string | Buffer,
    { code = 200, headers = {} }: { code?: number; headers?: Record<string, string> } = {},
  ): Trick =>
  (_, response) => {
    begin(response, code, headers)
    response.end(body)
  }

/** A small body that is large when it is unpacked. */
export const bomb = (bytes: number): Trick =>
  answering(gzipSync(Buffer.alloc(bytes, '[')), { headers: { 'content-encoding': 'gzip' } })

/** A list, and then these trailers. */
export const withTrailers =
  (trailers: Record<string, string>): Trick =>
  (_, response) => {
    response.writeHead(200, { ...json, trailer: Object.keys(trailers).join(', ') })
    response.write(JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: {}, items: [object('a')] }))
    response.addTrailers(trailers)
    response.end()
  }

/** Lists are answered by one trick, watches by another. */
export const listsAndWatches =
  (list: Trick, watch: Trick): Trick =>
  (request, response, send) =>
    (request.url?.includes('watch=true') ? watch : list)(request, response, send)

/** An empty list. */
export const emptyList: Trick = answering(
  JSON.stringify({ kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] }),
)

/** Endless events, each about another object, with the metadata that `metadata` returns for the nth. */
export const flood =
  (metadata: (n: number) => object): Trick =>
  async (_, response, send) => {
    begin(response)
    for (let n = 0; ; n += 100) await send(Array.from({ length: 100 }, (_, more) => event(n + more, metadata)).join(''))
  }

const event = (n: number, metadata: (n: number) => object): string => {
  const base = object(`flood-${n}`)
  const resourceVersion = String(n + 8)
  return `${JSON.stringify({ type: 'ADDED', object: { ...base, metadata: { ...base.metadata, resourceVersion, ...metadata(n) } } })}\n`
}
