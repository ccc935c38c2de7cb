// A dispatcher of undici that calls a request listener in this process, without a socket. Requests, responses and aborts behave as with
// sockets. Writing and parsing bytes would take most of the time and is left out. Two limits: undici's timeouts have no effect, and `write`
// has no back-pressure, so unread data stays in memory.
import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  ServerResponse,
} from 'node:http'
import { Socket } from 'node:net'
import { Dispatcher, errors } from 'undici'
import type { ClusterAccess } from '../../kube/clusters/access.ts'
import type { EmbeddedCluster } from '../start.ts'

export const withoutSockets = (listener: RequestListener): Dispatcher => new WithoutSockets(listener)

class WithoutSockets extends Dispatcher {
  readonly #listener: RequestListener

  constructor(listener: RequestListener) {
    super()
    this.#listener = listener
  }

  override dispatch(asked: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const request = requestOf(asked)
    const answer = new Answer(request, handler)
    handler.onRequestStart?.(answer.controller, undefined)
    // Other callbacks run first, as in a real wait for a socket.
    setImmediate(() => {
      if (!answer.isOver) this.#listener(request, answer)
    })
    return true
  }

  override async close(): Promise<void> {}
  override async destroy(): Promise<void> {}
}

/** A socket without a client certificate. */
const nowhere = new Socket()

const requestOf = ({ method, path, headers, body }: Dispatcher.DispatchOptions): IncomingMessage => {
  const request = Object.assign(new IncomingMessage(nowhere), { method, url: path })
  for (const header of Object.entries({ ...headers } as Record<string, string | string[]>)) {
    const [name, text] = one(header)
    request.headers[name.toLowerCase()] = text
  }
  if (isBody(body)) {
    request.headers['content-length'] = String(Buffer.byteLength(body))
    request.push(body)
  }
  request.push(null)
  return request
}

/** Throws for a body that is read piece by piece, such as a stream. */
const isBody = (body: unknown): body is string | Uint8Array => {
  if (typeof body === 'string' || body instanceof Uint8Array) return true
  if (body === undefined || body === null) return false
  throw new TypeError('a request without a socket needs a body of type string or Uint8Array')
}

const one = ([name, value]: readonly [string, unknown]): [name: string, text: string] => [
  name,
  Array.isArray(value) ? value.join(', ') : String(value),
]

/** Passes the listener's response to undici's handler. */
class Answer extends ServerResponse {
  readonly controller: Dispatcher.DispatchController
  /** Whether the response has ended or was aborted. */
  isOver = false
  #hasStarted = false
  readonly #handler: Dispatcher.DispatchHandler

  constructor(request: IncomingMessage, handler: Dispatcher.DispatchHandler) {
    super(request)
    this.#handler = handler
    const nothing = () => {}
    const abort = (reason: Error) => void this.destroy(reason)
    this.controller = { aborted: false, paused: false, reason: null, abort, pause: nothing, resume: nothing }
  }

  static {
    // node:http has an accessor here, too, but its types show a field.
    Object.defineProperty(Answer.prototype, 'headersSent', {
      get(this: Answer) {
        return this.#hasStarted
      },
    })
  }

  override writeHead(code: number, headers: string | OutgoingHttpHeaders | OutgoingHttpHeader[] = {}): this {
    this.statusCode = code
    this.#hasStarted = true
    const texts = Object.entries({ ...this.getHeaders(), ...(headers as OutgoingHttpHeaders) }).map(one)
    this.#hand(() => this.#handler.onResponseStart?.(this.controller, code, Object.fromEntries(texts)))
    return this
  }

  override flushHeaders(): void {}

  override write(piece: string | Uint8Array, done?: unknown): boolean {
    if (this.isOver) return false
    this.#start()
    this.#hand(() => this.#handler.onResponseData?.(this.controller, Buffer.from(piece)))
    if (typeof done === 'function') done()
    return true
  }

  override end(piece?: unknown): this {
    if (this.isOver) return this
    const last = typeof piece !== 'function' && isBody(piece) ? piece : undefined
    this.#start()
    if (last !== undefined) this.write(last)
    if (this.isOver) return this
    this.finished = true
    this.#close()
    this.#handler.onResponseEnd?.(this.controller, {})
    return this
  }

  override destroy(reason: Error = new errors.SocketError('other side closed')): this {
    if (this.isOver) return this
    this.#close()
    this.#handler.onResponseError?.(this.controller, reason)
    return this
  }

  /** A response without writeHead gets the default head. */
  #start(): void {
    if (!this.#hasStarted) this.writeHead(this.statusCode)
  }

  /** Calls the handler. If the handler throws, the client wants no more data. */
  #hand(part: () => void): void {
    try {
      if (!this.isOver) part()
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  #close(): void {
    this.isOver = true
    this.destroyed = true
    this.emit('close')
  }
}

/** Uses no TLS and no sockets, because client and server are in the same process and would wait for each other. */
export const accessHere = ({ url, caCert, adminToken, answer }: EmbeddedCluster): ClusterAccess => {
  const credentials = { ca: caCert, token: adminToken }
  return { server: url, credentials: () => credentials, dispatcher: withoutSockets(answer) }
}
