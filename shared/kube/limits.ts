// Limits the time and memory that one API server may use. Our own API server is trusted. Remote API servers are not trusted: they may send
// huge, endless or very slow answers. Above a limit, the request fails with an error that contains the limit. Only objects that depend on
// that cluster are affected.
import type { JsonBounds } from '../core/json/json-bounds.ts'

export type Limits = {
  /** Size of one answer, or of one event of a watch. A larger page is requested again with fewer objects. */
  readonly answerBytes: number
  /** Number of values and nesting depth of an answer, because a short text may need much memory when parsed. */
  readonly answerParts: JsonBounds
  /** The time from sending the request until the last byte of its answer, even if bytes keep arriving. */
  readonly readSeconds: number
  readonly writeSeconds: number
  /** Requests end this long before the end of a call, so that the call can report the failure. */
  readonly lastWordSeconds: number
  /** Limits for one list: pages, time, and the size of the objects that stay in memory. */
  readonly listPages: number
  readonly listSeconds: number
  readonly listBytes: number
  /** The read rate: first a burst, then a fixed rate. If a server sends faster, reading pauses. */
  readonly burstBytes: number
  readonly bytesPerSecond: number
  /** Received bytes outside of answers, such as empty HTTP/2 frames. Above this limit, all connections to the API server are closed. */
  readonly emptyBytes: number
}

export const mebibyte = 2 ** 20

/** etcd stores at most 1.5 MiB per object; its JSON can be several times as long. */
const answerBytes = 16 * mebibyte

const endless = Number.POSITIVE_INFINITY

export const localLimits: Limits = {
  answerBytes,
  answerParts: { depth: endless, values: endless },
  readSeconds: endless,
  writeSeconds: endless,
  lastWordSeconds: 0,
  listPages: endless,
  listSeconds: endless,
  listBytes: endless,
  burstBytes: endless,
  bytesPerSecond: endless,
  emptyBytes: endless,
}

export const remoteLimits: Limits = {
  answerBytes,
  // A page of 500 objects with managedFields has 300,000 values.
  answerParts: { depth: 200, values: 500_000 },
  readSeconds: 20,
  writeSeconds: 40,
  lastWordSeconds: 1,
  listPages: 1_000,
  listSeconds: 300,
  listBytes: 32 * mebibyte,
  burstBytes: 64 * mebibyte,
  bytesPerSecond: 4 * mebibyte,
  emptyBytes: 16 * mebibyte,
}

/**
 * How long a remote cluster may be silent before or during the answer to a read, including further attempts. Waiting calls delay calls for
 * other clusters. With this limit, an object can report the silence in its status within 10 s.
 */
export const remoteAnswerSeconds = 8

/**
 * The number of sockets for calls to one of many remote clusters. A pass sends twenty requests at once. With a socket per request, each
 * request would need a handshake, which costs both sides more than the answer. An open socket takes 50 KB.
 */
export const fleetConnections = 4

/** Limit for all answers that a process receives from remote clusters at once. Above the limit, requests to the largest sender fail. */
export const receivedBytesMost = 32 * mebibyte

/** An API server exceeded a limit. `message` contains the limit; `code` is for logs. */
export class Excess extends Error {
  override readonly name = 'Excess'
  readonly code: ExcessCode

  constructor(code: ExcessCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ExcessCode = 'TOO_LARGE' | 'TOO_INTRICATE' | 'TOO_MANY' | 'TOO_FAST' | 'TOO_EMPTY'

export const mebibytes = (bytes: number): string => `${bytes / mebibyte} MiB`
