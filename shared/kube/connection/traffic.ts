// Ends the connections to an API server that sends much and answers little: HTTP/2 frames without content, chunks of HTTP/1.1 with endless
// extensions. Node and undici read such bytes and report nothing, so here the bytes that sockets read are compared with the bytes that
// arrived in answers. Example: 40 MiB of HTTP/2 frames that only enlarge a window arrive within a second; all connections to that API
// server end with an Excess. A socket counts what it has decrypted, so what TLS keeps to itself, such as new session tickets, is not seen.
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'
import { Excess, mebibytes } from '../limits.ts'

/**
 * What may arrive for one request before its answer is counted: headers, and what waits in buffers when a watch is read slowly. It
 * counts for the second in which the request is made. Later, what waits for 100 watches counts as surplus until it is read: 6 to 13 MiB.
 */
const bytesPerRequest = 256 * 1024
/** Frames and chunks add a few bytes to each piece of an answer. No honest server adds as many bytes as the piece has. */
const bytesPerAnswerByte = 2
const checkMilliseconds = 1_000

/** Those with open sockets. One timer serves them all: thousands of timers, for as many clusters, would cost a hundredth of a core. */
const watched = new Set<Traffic>()
let timer: NodeJS.Timeout | undefined

const checkAll = (): void => {
  for (const traffic of watched) traffic.check()
}

export class Traffic {
  readonly #bytesMost: number
  /** Bytes that arrived and belong to no answer, as of the last check. */
  #surplus = 0
  /** Bytes that requests and answers account for since the last check. */
  #accounted = 0
  /** The open sockets, and how many bytes of each have been counted. */
  readonly #sockets = new Map<Socket, number>()

  /** `bytesMost`: how many bytes may arrive that belong to no answer. */
  constructor(bytesMost: number) {
    this.#bytesMost = bytesMost
  }

  /** The same connector, but what its sockets read is counted. */
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

  /** Ends all connections when too much has arrived. Called every second while there are any. */
  check(): void {
    for (const socket of this.#sockets.keys()) this.#count(socket)
    this.#settle()
    if (this.#surplus <= this.#bytesMost) return
    // The next connection begins with nothing left, and may read what its requests and answers account for.
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

  /** Of all requests before the first connection one accounts for bytes: the others may have been made while nothing could be dialled. */
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
    return new Excess('TOO_EMPTY', `more than ${mebibytes(this.#bytesMost)} came that belong to no answer`)
  }
}
