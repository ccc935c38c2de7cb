// How much time and memory one API server may cost. Our own is trusted, but memory is finite. An API server behind a kubeconfig belongs
// to somebody else and may send huge or endless answers, or one byte a second. Beyond a limit the request fails with an error that
// names the limit; it shows in the status of objects that depend on that cluster, and nobody else notices.
import type { JsonBounds } from '../core/json/json-bounds.ts'

export type Limits = {
  /** For one answer, or one event of a watch. A page of a list that is larger is asked for again with fewer objects. */
  readonly answerBytes: number
  /** How many values an answer may have and how deep it may nest, since a short text may take much memory once it is parsed. */
  readonly answerParts: JsonBounds
  /** From sending a read or a write until the last byte of its answer, even if bytes keep arriving. */
  readonly readSeconds: number
  readonly writeSeconds: number
  /** Requests are given up this long before the end of a call, so that the call can still report what it waited for. */
  readonly lastWordSeconds: number
  /** For the pages of one list, and for what is kept of a list that is read as a whole. */
  readonly listPages: number
  readonly listSeconds: number
  readonly listBytes: number
  /** So many bytes may arrive at once, then so many a second; a server that sends faster is read more slowly. */
  readonly burstBytes: number
  readonly bytesPerSecond: number
  /** So many bytes may arrive that belong to no answer, such as empty HTTP/2 frames; then all connections to the API server are closed. */
  readonly emptyBytes: number
}

export const mebibyte = 2 ** 20

/** etcd stores at most 1.5 MiB per object, and its JSON may be several times as long. */
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
  // A page of 500 objects with the notes of server-side apply has 300,000 values.
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
 * How long a cluster behind a kubeconfig may be silent before or within the answer to a read, repeats included. Calls for a cluster that
 * does not answer delay calls for other clusters, so it counts as away soon: an object can say so in its status within 10 s.
 */
export const remoteAnswerSeconds = 8

/**
 * Sockets for calls to one cluster of a fleet. A pass sends twenty requests at once, and there may be thousands of clusters. With a socket for
 * each request there would be as many handshakes, each of which costs both sides more than the answer, and each open socket takes 50 KB.
 */
export const fleetConnections = 4

/** Limit for all answers that a process receives from remote clusters at once. Beyond it, the cluster that takes most fails first. */
export const receivedBytesMost = 32 * mebibyte

/** An API server exceeded a limit. `message` names what and the limit; `code` is for logs. */
export class Excess extends Error {
  override readonly name = 'Excess'
  readonly code: ExcessCode

  constructor(code: ExcessCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ExcessCode = 'TOO_LARGE' | 'TOO_INTRICATE' | 'TOO_MANY' | 'TOO_FAST' | 'TOO_EMPTY'

/** `16 MiB`, for messages. */
export const mebibytes = (bytes: number): string => `${bytes / mebibyte} MiB`
