// Connections over TLS that carry one request at a time and parse no more of an answer than where it ends: what a caller
// computes is taken from the servers on the same cores, so it shall be little.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'

export type Place = {
  readonly port: number
  /** PEM. */
  readonly ca: string
  /** Whoever needs to be known there: PEM of a client's. */
  readonly client?: { readonly cert: string; readonly key: string }
}

export type Sent = {
  readonly method: string
  readonly path: string
  readonly contentType: string
  readonly body: string
}

export type Lines = {
  /** The whole answer, head and body. */
  send(request: Sent): Promise<string>
  close(): void
}

type Line = { readonly socket: TLSSocket; ask(request: string): Promise<string> }

/** To a server on the loopback interface; as many connections as there are requests at a time. */
export const linesTo = ({ port, ca, client }: Place): Lines => {
  const all: Line[] = []
  const free: Line[] = []
  const opened = async (): Promise<Line> => {
    const line = lineOn(connect({ host: '127.0.0.1', port, ca, ...client }))
    all.push(line)
    await once(line.socket, 'secureConnect')
    return line
  }
  return {
    send: async request => {
      const line = free.pop() ?? (await opened())
      const answer = await line.ask(textOf(request))
      free.push(line)
      return answer
    },
    close: () => {
      for (const { socket } of all) socket.destroy()
    },
  }
}

const textOf = ({ method, path, contentType, body }: Sent): string =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${contentType}\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const lineOn = (socket: TLSSocket): Line => {
  let waiting: PromiseWithResolvers<string> | undefined
  let text = ''
  const fail = (error: Error) => waiting?.reject(error)
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    if (!isWhole(text)) return
    const answer = text
    text = ''
    waiting?.resolve(answer)
  })
  socket.on('error', fail).on('close', () => fail(new Error('the server closed the connection')))
  return {
    socket,
    ask: request => {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
  }
}

const headEnd = '\r\n\r\n'
const lastChunk = '\r\n0\r\n\r\n'

/** By the length that its head tells, or by its last chunk. */
const isWhole = (answer: string): boolean => {
  const body = answer.indexOf(headEnd) + headEnd.length
  if (body < headEnd.length) return false
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer.slice(0, body))?.[1]
  return length === undefined ? answer.endsWith(lastChunk) : answer.length >= body + Number(length)
}
