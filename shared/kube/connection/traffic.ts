// Ends connections to an API server that sends many bytes without answers: empty HTTP/2 frames, or HTTP/1.1 chunks with endless extensions.
// Node and undici do not report these bytes, so this file compares the bytes read by sockets with the bytes of answers. Example: 40 MiB of
// WINDOW_UPDATE frames within a second end all connections to that API server with an Excess. A socket counts decrypted bytes, so TLS
// messages, such as new session tickets, are not seen.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { Excess, mebibytes } from '../limits.ts'

/**
 * Allowance for one request: headers, and data in buffers when a watch is read slowly. The allowance is valid for the second of the
 * request. Later, buffered data of 100 watches counts as surplus until the data is read: 6 to 13 MiB.
 */
const bytesPerRequest = 256 * 1024
/** Allowance for each byte of an answer. Frames and chunks add a few bytes to each piece, always fewer than the piece has. */
const bytesPerAnswerByte = 2
const checkMilliseconds = 1_000

/** All Traffic objects with open sockets. One timer serves all of them, because thousands of timers would use one percent of a core. */
const watched = new Set<Traffic>()
let timer: NodeJS.Timeout | undefined

const checkAll = (): void => {
  for (const traffic of watched) traffic.check()
}

export class Traffic {
  readonly #bytesMost: number
  /** Received bytes outside of answers, at the last check. */
  #surplus = 0
  /** Bytes since the last check that belong to requests and answers. */
  #accounted = 0
  /** Open sockets, with the number of bytes already counted. */
  readonly #sockets = new Map<Socket, number>()

  /** `bytesMost`: maximum number of received bytes outside of answers. */
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
    // The next connection starts with an exhausted allowance. It may only receive bytes for its requests and answers.
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

  /** Only one request before the first connection gets an allowance, because further requests may have failed without a connection. */
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
