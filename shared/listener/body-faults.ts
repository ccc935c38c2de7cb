// Why a body is not taken, and what its caller is told: a row each. Host and relay tell the same.

export const bodyFaults = {
  /** It comes in more pieces than any network makes of it: the caller sends byte by byte. */
  inCrumbs: { status: 400, message: 'the body comes in too many pieces' },
  /** The caller went away, or sent more or less than its content-length. */
  brokenOff: { status: 400, message: 'the body is not as long as it was said to be' },
  /** It comes in chunks, so that its length is unknown. */
  noLength: { status: 411, message: 'the body must come with a content-length, not in chunks' },
  tooLarge: { status: 413, message: 'the body is too large' },
  /** Other bodies need the memory. */
  noRoom: { status: 503, message: 'others need the memory there is for bodies' },
} as const

export type BodyFault = keyof typeof bodyFaults
