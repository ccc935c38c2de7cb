// The watches of one API server. With HTTP/2, watches share connections. A connection per watch would need five times the memory, mostly
// for TLS, and ten times the CPU time. With HTTP/1.1 each watch has its own connection.
import type { TLSSocket } from 'node:tls'
import { type buildConnector, type Dispatcher, errors, Pool } from 'undici'
import { interimAnswers } from '../../core/bounds/counts.ts'
import type { Connector } from './connector.ts'
import { Http2Session, type SessionTimes, type StreamAnswer, type StreamAsked } from './http2-session.ts'
import { tooManyInterim } from './whole-answer.ts'

type StreamSettings = SessionTimes & { readonly connector: Connector }

export class Streams {
  readonly #origin: URL
  readonly #settings: StreamSettings
  readonly #dial: buildConnector.connector
  readonly #sessions = new Set<Http2Session>()
  #dialling: Promise<void> | undefined
  /** The connections of a server without HTTP/2; undefined until the server has refused HTTP/2. */
  #http1: Pool | undefined
  #isEnded = false

  constructor(origin: string, settings: StreamSettings) {
    this.#origin = new URL(origin)
    this.#settings = settings
    this.#dial = settings.connector({ allowH2: true, preferH2: true })
    if (this.#origin.protocol === 'http:') this.#http1 = this.#http1Pool()
  }

  /** Rejects with errors of undici and Node. */
  async request(asked: StreamAsked): Promise<StreamAnswer | Dispatcher.ResponseData> {
    while (this.#http1 === undefined) {
      asked.signal?.throwIfAborted()
      if (this.#isEnded) throw new errors.ClientClosedError()
      const session = [...this.#sessions].find(({ hasRoom }) => hasRoom)
      if (session) return session.open(asked)
      this.#dialling ??= this.#dialled().finally(() => {
        this.#dialling = undefined
      })
      await unlessAborted(this.#dialling, asked.signal)
    }
    return this.#http1.request({ ...asked, onInfo: interimAnswers(tooManyInterim) })
  }

  async close(): Promise<void> {
    this.#isEnded = true
    for (const session of this.#sessions) session.close()
    await Promise.all([this.#http1?.close(), ...[...this.#sessions].map(({ ended }) => ended)])
  }

  async destroy(): Promise<void> {
    this.#isEnded = true
    for (const session of this.#sessions) session.destroy()
    await this.#http1?.destroy()
  }

  async #dialled(): Promise<void> {
    const socket = await this.#socket()
    if (socket.alpnProtocol === 'h2') await this.#begin(socket)
    else {
      socket.destroy()
      if (!this.#isEnded) this.#http1 = this.#http1Pool()
    }
  }

  async #begin(socket: TLSSocket): Promise<void> {
    const session = await Http2Session.begun(this.#origin.origin, socket, this.#settings)
    if (this.#isEnded) return session.destroy()
    this.#sessions.add(session)
    void session.ended.then(() => this.#sessions.delete(session))
  }

  #socket(): Promise<TLSSocket> {
    const { hostname, host, protocol, port } = this.#origin
    const asked = { hostname: hostname.replace(/^\[|]$/g, ''), host, protocol, port }
    return new Promise((resolve, reject) =>
      this.#dial(asked, (error, socket) => (error ? reject(error) : resolve(socket as TLSSocket))),
    )
  }

  /** A pool without a time limit for bodies, because watch.ts limits the silence of a stream. */
  #http1Pool(): Pool {
    const { connector, answerMilliseconds, idleMilliseconds } = this.#settings
    return new Pool(this.#origin.origin, {
      allowH2: false,
      connect: connector({ allowH2: false }),
      keepAliveTimeout: idleMilliseconds,
      headersTimeout: answerMilliseconds,
      bodyTimeout: 0,
    })
  }
}

const unlessAborted = (work: Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason)
    signal?.addEventListener('abort', giveUp)
    work.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp))
  })
