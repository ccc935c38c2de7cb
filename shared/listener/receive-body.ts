// Receives one request body within the listener's memory limit. Chunked bodies are refused, because they may have any length, and each
// chunk costs more than its bytes.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ByteBudget, type BytePlace, GrowingBytes } from '../core/bounds/bytes.ts'

export type BodyRead = { readonly is: 'body'; readonly body: GrowingBytes; readonly place: BytePlace } | BodyRefused
type BodyRefused = { readonly is: 'fault'; readonly fault: BodyFault }

type BodyReading = {
  readonly room: ByteBudget
  readonly bytesMost: number
  /** The body counts in `room` until this response ends. */
  readonly response: ServerResponse
}

/** The caller must `forget` the body after parsing. */
export const receiveBody = async (request: IncomingMessage, reading: BodyReading): Promise<BodyRead> => {
  const length = announcedLength(request)
  if (length === undefined) return { is: 'fault', fault: 'noLength' }
  if (length > reading.bytesMost) return { is: 'fault', fault: 'tooLarge' }
  return arrived(request, length, reading)
}

/** undefined for a chunked body. Node refuses requests with two content-length headers. */
export const announcedLength = ({ headers }: IncomingMessage): number | undefined =>
  headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : undefined

const arrived = (request: IncomingMessage, length: number, { room, response }: BodyReading): Promise<BodyRead> => {
  const { promise, resolve } = Promise.withResolvers<BodyRead>()
  const body = new GrowingBytes(length)
  let pieces = 0
  const settle = (read: BodyRead): void => {
    for (const [event, listener] of listeners) request.off(event, listener)
    resolve(read)
  }
  const refuse = (fault: BodyFault): void => {
    body.forget()
    place.leave()
    settle({ is: 'fault', fault })
  }
  const place = room.enter(request.socket.remoteAddress ?? '', () => refuse('noRoom'))
  const take = (piece: Uint8Array): void => {
    pieces++
    const size = body.sizeWith(piece.length)
    if (size === undefined) refuse('brokenOff')
    else if (pieces > piecesMost(body.length)) refuse('inCrumbs')
    else if (place.takes(size)) body.add(piece)
    else refuse('noRoom')
  }
  const brokenOff = (): void => refuse('brokenOff')
  const listeners: readonly [string, (piece: Uint8Array) => void][] = [
    ['data', take],
    ['end', () => (body.length === length ? settle({ is: 'body', body, place }) : brokenOff())],
    ['error', brokenOff],
    ['close', brokenOff],
  ]
  for (const [event, listener] of listeners) request.on(event, listener)
  for (const event of ['finish', 'close']) response.once(event, place.leave)
  return promise
}

/** The most pieces for a body. Packets and TLS records have at least some hundred bytes, except the first. 64 KiB may have 2,024 pieces. */
const piecesMost = (bytes: number): number => 1_000 + bytes / 64

// Reasons for refusing a body, with their answers, for host and relay.

export const bodyFaults = {
  /** More pieces than any network produces: the caller sends byte by byte. */
  inCrumbs: { status: 400, message: 'the body comes in too many pieces' },
  /** The caller disconnected, or sent more or less than its content-length. */
  brokenOff: { status: 400, message: 'the body does not have the announced content-length' },
  /** A chunked body of unknown length. */
  noLength: { status: 411, message: 'the body needs a content-length; chunked bodies are not accepted' },
  tooLarge: { status: 413, message: 'the body is too large' },
  noRoom: { status: 503, message: 'the memory for bodies is exhausted by other requests' },
} as const

export type BodyFault = keyof typeof bodyFaults
