// Ends connections to an API server that sends many bytes without answers: empty HTTP/2 frames, or HTTP/1.1 chunks with endless
// extensions. Node and undici do not report such bytes, so the bytes read by sockets are compared with the bytes of answers. Example: 40
// MiB of WINDOW_UPDATE frames within a second end all connections to that API server with an Excess. A socket counts decrypted bytes, so
// TLS messages, such as new session tickets, are not seen.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { Excess, mebibytes } from '../limits.ts'

/**
 * Allowance for one request: headers, and data in buffers when a watch is read slowly. It counts for the second of the request. Later,
 * buffered data of 100 watches is surplus until it is read: 6 to 13 MiB.
 */
const bytesPerRequest = 256 * 1024
/** Frames and chunks add a few bytes to each piece of an answer, never as many as the piece has. */
const bytesPerAnswerByte = 2
const checkMilliseconds = 1_000

/** All Traffic objects with open sockets. One timer serves them: thousands of timers would use one percent of a core. */
const watched = new Set<Traffic>()
let timer: NodeJS.Timeout | undefined

const checkAll = (): void => {
  for (const traffic of watched) traffic.check()
}

export class Traffic {
  readonly #bytesMost: number
  /** Received bytes that belong to no answer, as of the last check. */
  #surplus = 0
  /** Bytes that requests and answers explain, since the last check. */
  #accounted = 0
  /** Open sockets, with the number of bytes already counted. */
  readonly #sockets = new Map<Socket, number>()

  /** `bytesMost`: maximum number of bytes that belong to no answer. */
  constructor(bytesMost: number) {
    this.#bytesMost = bytesMost
  }

  /** Wraps a connector so that the bytes of its sockets are counted. */
  counting(connect: buildConnector.connector): buildConnector.connector {
    if (this.#bytesMost === Number.POSITIVE_INFINITY) return connect
    return (options, callback) =>
      connect(options, (...result) => {
        const [, socket] = result
        if (socket) this.#add(socket)
        callback(...result)
      })
  }

  asked(): void {
    this.#accounted += bytesPerRequest
  }

  answered(bytes: number): void {
    this.#accounted += bytes * bytesPerAnswerByte
  }

  /** Ends all connections when the surplus is too large. Called every second while sockets are open. */
  check(): void {
    for (const socket of this.#sockets.keys()) this.#count(socket)
    this.#settle()
    if (this.#surplus <= this.#bytesMost) return
    // The next connection starts with an exhausted allowance, and may read what its requests and answers explain.
    this.#surplus = this.#bytesMost
    for (const socket of this.#sockets.keys()) socket.destroy(this.#excess())
  }

  #add(socket: Socket): void {
    if (this.#sockets.size === 0) this.#begin()
    this.#sockets.set(socket, 0)
    socket.once('close', () => {
      this.#count(socket)
      this.#sockets.delete(socket)
      if (this.#sockets.size === 0) this.#rest()
    })
  }

  /** Of all requests before the first connection only one counts: the others may have been made while no connection was possible. */
  #begin(): void {
    this.#accounted = Math.min(this.#accounted, bytesPerRequest)
    watched.add(this)
    timer ??= setInterval(checkAll, checkMilliseconds).unref()
  }

  #rest(): void {
    this.#settle()
    watched.delete(this)
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  #count(socket: Socket): void {
    this.#surplus += socket.bytesRead - (this.#sockets.get(socket) ?? 0)
    this.#sockets.set(socket, socket.bytesRead)
  }

  #settle(): void {
    this.#surplus = Math.max(0, this.#surplus - this.#accounted)
    this.#accounted = 0
  }

  #excess(): Excess {
    return new Excess('TOO_EMPTY', `more than ${mebibytes(this.#bytesMost)} arrived that belong to no response`)
  }
}
