// One HTTP/2 connection with many streams that stay open, one for each watch. The server says how many streams it allows at once. When it
// says that the connection is about to end (GOAWAY), open streams go on and no new ones begin.
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
  /** For the server's first settings, and for its answer to a ping. */
  readonly signOfLifeMilliseconds: number
  readonly idleMilliseconds: number
}

/** API servers allow a hundred. Of a server that allows more we do not open more. */
const streamsMost = 100

export class Http2Session {
  readonly #authority: string
  readonly #socket: TLSSocket
  readonly #session: ClientHttp2Session
  readonly #times: SessionTimes
  readonly #streams = new Set<ClientHttp2Stream>()
  #isPinged = false
  #fault: Error | undefined
  /** Ends a connection without streams. Node's own timer for this would go on after the session has ended, and keep it in memory. */
  #idle: NodeJS.Timeout | undefined
  readonly ended: Promise<void>

  private constructor(origin: string, socket: TLSSocket, times: SessionTimes) {
    this.#times = times
    this.#authority = new URL(origin).host
    this.#socket = socket
    // This listener comes before Node's own, which would end the streams as if the server had ended them.
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
    // Node itself would name an IPv6 address without its brackets.
    const head = { ...headers, ':method': method, ':path': path, ':authority': this.#authority }
    const stream = this.#session.request(head, { signal })
    this.#streams.add(stream)
    clearTimeout(this.#idle)
    this.#session.ref()
    const late = setTimeout(() => stream.destroy(new Overdue()), this.#times.answerMilliseconds)
    const interim = interimAnswers(tooManyInterim)
    let hasEnded = false
    // Node emits 'end' for a stream that we destroy as well.
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
      // An error that comes later reaches the reader of the body.
      stream.on('error', reject)
      stream.once('close', () => {
        clearTimeout(late)
        this.#closed(stream, hasEnded)
        reject(new errors.SocketError())
      })
    })
  }

  /** Open streams go on; no new ones begin. */
  close(): void {
    this.#session.close()
  }

  destroy(): void {
    this.#end()
  }

  /** Destroys the socket too: Node's session first waits until everything is written, and never notices that a connection was reset meanwhile. */
  #end(fault?: Error): void {
    this.#fault = fault
    this.#session.destroy(fault)
    this.#socket.destroy()
  }

  #drop(): void {
    clearTimeout(this.#idle)
    for (const stream of this.#streams) stream.destroy(this.#socket.errored ?? new errors.SocketError())
  }

  #closed(stream: ClientHttp2Stream, hasEnded: boolean): void {
    this.#streams.delete(stream)
    if (this.#streams.size === 0 && !this.#socket.destroyed) this.#rest()
    if (!hasEnded) this.#ping()
  }

  /** A connection without streams keeps no process alive, and ends after a while. */
  #rest(): void {
    this.#session.unref()
    this.#idle = setTimeout(() => this.#end(), this.#times.idleMilliseconds).unref()
  }

  /** Asks for a sign of life after a stream was given up, which may have been silent because the connection is dead. Without an answer it ends. */
  #ping(): void {
    if (this.#isPinged || this.#session.destroyed) return
    const late = setTimeout(() => this.#end(new Overdue()), this.#times.signOfLifeMilliseconds)
    this.#isPinged = this.#session.ping(() => {
      clearTimeout(late)
      this.#isPinged = false
    })
  }
}
