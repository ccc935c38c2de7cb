// What one API server may cost whoever asks it, as data. Our own is trusted, but nobody has memory for any answer however
// large. One behind a kubeconfig belongs to somebody else: it may send whatever it likes, endlessly, or a byte a second. What
// goes beyond is an error that says so, for the status of those who depend on that cluster; nobody else is to notice.
import type { JsonBounds } from '../core/json-bounds.ts'

export type Limits = {
  /** One answer, or one event of a watch. A page of a list that is larger is asked for again with fewer objects. */
  readonly answerBytes: number
  /** The same in parts and depth: what is short may still be much to hold. */
  readonly answerParts: JsonBounds
  /** From sending a read until its last byte, however steadily the bytes come; and the same for a write. */
  readonly readSeconds: number
  readonly writeSeconds: number
  /** So long before the end of a call nothing is waited for any more: it has yet to say what it was that kept it. */
  readonly lastWordSeconds: number
  /** All pages of a list; and what is kept of them, where the list is wanted as a whole. */
  readonly listPages: number
  readonly listSeconds: number
  readonly listBytes: number
  /** So much may come at once, and that much more a second from then on; who sends more is read more slowly. */
  readonly burstBytes: number
  readonly bytesPerSecond: number
}

const mebibyte = 2 ** 20

/** No object is larger: etcd holds 1.5 MiB of each, and JSON may spell that longer. */
const answerBytes = 16 * mebibyte

const endless = Number.POSITIVE_INFINITY

/** For the cluster we run in. */
export const localLimits: Limits = {
  answerBytes,
  answerParts: { depth: endless, values: endless },
  ...{ readSeconds: endless, writeSeconds: endless, lastWordSeconds: 0 },
  ...{ listPages: endless, listSeconds: endless, listBytes: endless },
  ...{ burstBytes: endless, bytesPerSecond: endless },
}

/** For clusters that kubeconfigs in Secrets lead to. */
export const remoteLimits: Limits = {
  answerBytes,
  // A page of 500 objects with the notes of server-side apply has 300,000 values.
  answerParts: { depth: 200, values: 500_000 },
  ...{ readSeconds: 20, writeSeconds: 40, lastWordSeconds: 1 },
  ...{ listPages: 1_000, listSeconds: 300, listBytes: 32 * mebibyte },
  ...{ burstBytes: 64 * mebibyte, bytesPerSecond: 4 * mebibyte },
}

/** All answers and lines together that come in from clusters of others at one time, for one process: who has most of it loses first. */
export const receivedBytesMost = 32 * mebibyte

/** More came than the limits allow. `message` says what, with the limit; `code` is for logs. */
export class Excess extends Error {
  override readonly name = 'Excess'
  readonly code: ExcessCode

  constructor(code: ExcessCode, message: string) {
    super(message)
    this.code = code
  }
}

export type ExcessCode = 'TOO_LARGE' | 'TOO_INTRICATE' | 'TOO_MANY' | 'TOO_FAST'

/** `16 MiB`, for sentences. */
export const mebibytes = (bytes: number): string => `${bytes / mebibyte} MiB`
