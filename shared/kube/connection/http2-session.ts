// One HTTP/2 connection with a stream per watch. The server limits the number of streams. After the server sent GOAWAY, open streams
// continue, and no new streams start.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type Dispatcher, errors } from 'undici'
import { interimAnswers } from '../../core/bounds/counts.ts'
import { Overdue, tooManyInterim } from './whole-answer.ts'

export type StreamAsked = Pick<Dispatcher.RequestOptions, 'method' | 'path'> & {
  readonly headers: Readonly<Record<string, string | string[]>>
  readonly signal?: AbortSignal
}

export type StreamAnswer = {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: ClientHttp2Stream
}

export type SessionTimes = {
  /** The time from the request of a stream until the headers of its answer. */
  readonly answerMilliseconds: number
  /** Timeout for the server's first settings, and for the answer to a ping. */
  readonly signOfLifeMilliseconds: number
  /** The time between pings of a connection with streams, because a quiet stream does not show whether its connection is dead. */
  readonly pingMilliseconds: number
  readonly idleMilliseconds: number
}

/** The maximum number of streams, because API servers allow a hundred streams. */
const streamsMost = 100

export class Http2Session {
  readonly #authority: string
  readonly #socket: TLSSocket
  readonly #session: ClientHttp2Session
  readonly #times: SessionTimes
  readonly #streams = new Set<ClientHttp2Stream>()
  #isPinged = false
  #fault: Error | undefined
  /** Ends a connection without streams. Node's own timer would run after the end of the session, and keep the session in memory. */
  #idle: NodeJS.Timeout | undefined
  #pings: NodeJS.Timeout | undefined
  readonly ended: Promise<void>

  private constructor(origin: string, socket: TLSSocket, times: SessionTimes) {
    this.#times = times
    this.#authority = new URL(origin).host
    this.#socket = socket
    // Must run before Node's own listener. That listener would end the streams as if the server had ended them.
    socket.once('close', () => this.#drop())
    this.#session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } })
    this.#session.on('error', error => {
      this.#fault = error
    })
    this.ended = new Promise(resolve => socket.once('close', () => resolve()))
  }

  /** Resolves when the server's settings have arrived. These settings limit the number of streams. */
  static async begun(origin: string, socket: TLSSocket, times: SessionTimes): Promise<Http2Session> {
    const begun = new Http2Session(origin, socket, times)
    const late = setTimeout(() => begun.#end(new Overdue()), times.signOfLifeMilliseconds)
    const allowed = new Promise<void>(resolve => begun.#session.once('remoteSettings', () => resolve()))
    await Promise.race([allowed, begun.ended])
    clearTimeout(late)
    if (begun.#session.destroyed) throw begun.#fault ?? socket.errored ?? new errors.SocketError()
    begun.#rest()
    return begun
  }

  get hasRoom(): boolean {
    const { closed, destroyed, remoteSettings } = this.#session
    const { maxConcurrentStreams = streamsMost } = remoteSettings
    return !closed && !destroyed && this.#streams.size < Math.max(1, Math.min(maxConcurrentStreams, streamsMost))
  }

  open({ method, path, headers, signal }: StreamAsked): Promise<StreamAnswer> {
    // Node would write an IPv6 address without brackets.
    const head = { ...headers, ':method': method, ':path': path, ':authority': this.#authority }
    const stream = this.#session.request(head, { signal })
    this.#streams.add(stream)
    clearTimeout(this.#idle)
    this.#pings ??= setInterval(() => this.#ping(), this.#times.pingMilliseconds).unref()
    this.#session.ref()
    const late = setTimeout(() => stream.destroy(new Overdue()), this.#times.answerMilliseconds)
    const interim = interimAnswers(tooManyInterim)
    let hasEnded = false
    // Node also emits 'end' for streams that we destroy.
    stream.once('end', () => {
      hasEnded = !stream.destroyed
    })
    return new Promise((resolve, reject) => {
      stream.on('headers', () => {
        try {
          interim()
        } catch (excess) {
          stream.destroy(excess as Error)
        }
      })
      stream.once('response', ({ ':status': statusCode = 0, ...headers }) => {
        clearTimeout(late)
        resolve({ statusCode, headers, body: stream })
      })
      // The reader of the body receives later errors.
      stream.on('error', reject)
      stream.once('close', () => {
        clearTimeout(late)
        this.#closed(stream, hasEnded)
        reject(new errors.SocketError())
      })
    })
  }

  /** Open streams continue; no new streams start. */
  close(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#end()
  }

  /** Also destroys the socket. Node's session would first wait until everything is written, and would miss a reset during this time. */
  #end(fault?: Error): void {
    this.#fault = fault
    this.#session.destroy(fault)
    this.#socket.destroy()
  }

  #drop(): void {
    clearTimeout(this.#idle)
    clearInterval(this.#pings)
    for (const stream of this.#streams) stream.destroy(this.#socket.errored ?? new errors.SocketError())
  }

  #closed(stream: ClientHttp2Stream, hasEnded: boolean): void {
    this.#streams.delete(stream)
    if (this.#streams.size === 0 && !this.#socket.destroyed) this.#rest()
    if (!hasEnded) this.#ping()
  }

  /** A connection without streams does not keep the process alive, and ends after a while. */
  #rest(): void {
    clearInterval(this.#pings)
    this.#pings = undefined
    this.#session.unref()
    this.#idle = setTimeout(() => this.#end(), this.#times.idleMilliseconds).unref()
  }

  /** Runs regularly, and when a caller abandoned a silent stream. A connection without an answer is dead and ends. */
  #ping(): void {
    if (this.#isPinged || this.#session.destroyed) return
    const late = setTimeout(() => this.#end(new Overdue()), this.#times.signOfLifeMilliseconds)
    this.#isPinged = this.#session.ping(() => {
      clearTimeout(late)
      this.#isPinged = false
    })
  }
}
