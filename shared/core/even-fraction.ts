// Spreads evenly what else would come at once: each text has a fixed place from 0 up to 1. Example: a key at 0.37 is called at the same
// point of every sweep, a good third into it. The shard of a key, and a Kyma's turn in a roll-out, are such places, too.
import { createHash } from 'node:crypto'

/** From 0 up to 1, evenly over all texts. */
export const evenFraction = (text: string): number =>
  createHash('sha1').update(text).digest().readUIntBE(0, 6) / 2 ** 48
