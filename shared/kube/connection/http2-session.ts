// One HTTP/2 connection, with many streams that stay open. It takes no new ones once the server has said that it ends (GOAWAY), and as many
// at once as the server allows.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { type Dispatcher, errors } from 'undici'
import { interimAnswers } from '../../core/bounds/interim-answers.ts'
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
  /** From asking for a stream until the head of its answer. */
  readonly answerMilliseconds: number
  /** For the server's first words, and for its answer to a ping. */
  readonly wordMilliseconds: number
  /** Without a stream it ends after so long. */
  readonly idleMilliseconds: number
}

/** What API servers allow. One that allows more is not asked for more. */
const streamsMost = 100

export class Http2Session {
  readonly #authority: string
  readonly #socket: TLSSocket
  readonly #session: ClientHttp2Session
  readonly #times: SessionTimes
  readonly #streams = new Set<ClientHttp2Stream>()
  #isPinged = false
  #fault: Error | undefined
  /** Node's own timer for it goes on after the session has ended, and keeps all of it until then. */
  #idle: NodeJS.Timeout | undefined
  readonly ended: Promise<void>

  private constructor(origin: string, socket: TLSSocket, times: SessionTimes) {
    this.#times = times
    this.#authority = new URL(origin).host
    this.#socket = socket
    // Heard before Node's own listener, which would let the streams end as if the server had ended them.
    socket.once('close', () => this.#drop())
    this.#session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } })
    this.#session.on('error', error => {
      this.#fault = error
    })
    this.ended = new Promise(resolve => socket.once('close', () => resolve()))
  }

  /** Resolves when the server has said how many streams it allows. */
  static async begun(origin: string, socket: TLSSocket, times: SessionTimes): Promise<Http2Session> {
    const begun = new Http2Session(origin, socket, times)
    const late = setTimeout(() => begun.#end(new Overdue()), times.wordMilliseconds)
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
    // Node itself would name an IPv6 address without its brackets.
    const head = { ...headers, ':method': method, ':path': path, ':authority': this.#authority }
    const stream = this.#session.request(head, { signal })
    this.#streams.add(stream)
    clearTimeout(this.#idle)
    this.#session.ref()
    const late = setTimeout(() => stream.destroy(new Overdue()), this.#times.answerMilliseconds)
    const interim = interimAnswers(tooManyInterim)
    let hasEnded = false
    // Node ends a stream that we destroy as well.
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
      // Of an error that comes later the reader of the body hears.
      stream.on('error', reject)
      stream.once('close', () => {
        clearTimeout(late)
        this.#over(stream, hasEnded)
        reject(new errors.SocketError())
      })
    })
  }

  /** Streams go on. */
  close(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#end()
  }

  /** Node waits until all is written; it hears no more of a connection that was reset while it wrote. */
  #end(fault?: Error): void {
    this.#fault = fault
    this.#session.destroy(fault)
    this.#socket.destroy()
  }

  #drop(): void {
    clearTimeout(this.#idle)
    for (const stream of this.#streams) stream.destroy(this.#socket.errored ?? new errors.SocketError())
  }

  #over(stream: ClientHttp2Stream, hasEnded: boolean): void {
    this.#streams.delete(stream)
    if (this.#streams.size === 0 && !this.#socket.destroyed) this.#rest()
    if (!hasEnded) this.#ping()
  }

  /** A connection without streams keeps no process alive, and ends after a while. */
  #rest(): void {
    this.#session.unref()
    this.#idle = setTimeout(() => this.#end(), this.#times.idleMilliseconds).unref()
  }

  /** A stream was given up, perhaps since it was silent: a connection that nobody answers on ends. */
  #ping(): void {
    if (this.#isPinged || this.#session.destroyed) return
    const late = setTimeout(() => this.#end(new Overdue()), this.#times.wordMilliseconds)
    this.#isPinged = this.#session.ping(() => {
      clearTimeout(late)
      this.#isPinged = false
    })
  }
}
