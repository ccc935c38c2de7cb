// Spreads keys evenly, for example over the time of a sweep, over shards, or over a roll-out. A key at 0.37 is called when 37 % of a sweep
// has passed.
import { createHash } from 'node:crypto'

export const evenFraction = (text: string): number =>
  createHash('sha1').update(text).digest().readUIntBE(0, 6) / 2 ** 48
