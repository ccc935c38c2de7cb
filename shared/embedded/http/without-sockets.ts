// Requests to a listener in this process with no socket between: undici's dispatcher at one end, node:http's request and response at
// the other. What is asked, answered and broken off is as with sockets; only that it becomes bytes and back is left out, which takes
// longer than everything else. Two limits: timeouts of undici have no effect, and `write` knows no back-pressure, so that what the asking
// side does not take at once waits in memory.
import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  ServerResponse,
} from 'node:http'
import { Socket } from 'node:net'
import { Dispatcher, errors } from 'undici'

/** Has this listener answer what is dispatched. */
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
    // Everybody else has a turn first, as while a socket is waited for.
    setImmediate(() => {
      if (!answer.isOver) this.#listener(request, answer)
    })
    return true
  }

  override async close(): Promise<void> {}
  override async destroy(): Promise<void> {}
}

/** Nobody has shown a certificate on it. */
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

/** Throws for one that would have to be read piece by piece, such as a stream. */
const isBody = (body: unknown): body is string | Uint8Array => {
  if (typeof body === 'string' || body instanceof Uint8Array) return true
  if (body === undefined || body === null) return false
  throw new TypeError('a body without sockets is a text or bytes')
}

/** A header with one text. */
const one = ([name, value]: readonly [string, unknown]): [name: string, text: string] => [
  name,
  Array.isArray(value) ? value.join(', ') : String(value),
]

/** Hands over to the asking side what the listener answers. */
class Answer extends ServerResponse {
  readonly controller: Dispatcher.DispatchController
  /** Ended or broken off. */
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
    // node:http has an accessor too, which its types show as a field.
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

  /** Who writes without a head has the usual one. */
  #start(): void {
    if (!this.#hasStarted) this.writeHead(this.statusCode)
  }

  /** What the handler throws is its word for that it wants no more. */
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
