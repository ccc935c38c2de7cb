// Digests of texts and bytes, and fractions of texts that spread keys evenly.
import { createHash } from 'node:crypto'

export const sha256Hex = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Spreads keys evenly, for example over a sweep: a key at 0.37 is called when 37 % of the sweep has passed. */
export const evenFraction = (text: string): number =>
  createHash('sha1').update(text).digest().readUIntBE(0, 6) / 2 ** 48
