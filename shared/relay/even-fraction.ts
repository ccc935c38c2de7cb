// Where in a round a key has its place: always the same one, so that every key is called at even intervals, and so far
// apart from the others as chance allows. Shards are cut from the same number.
import { createHash } from 'node:crypto'

/** From 0 up to 1, evenly over all texts. */
export const evenFraction = (text: string): number =>
  createHash('sha1').update(text).digest().readUIntBE(0, 6) / 2 ** 48
