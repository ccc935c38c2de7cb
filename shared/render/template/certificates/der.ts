// The one piece of DER that no library at hand writes for us: a sequence of integers, as DSA keys and signatures are.
import { integer, sequence } from '../../../core/tls/der.ts'
import { toBytes } from './big-numbers.ts'

/** A sequence of integers that are not negative. */
export const integersDer = (values: readonly bigint[]): Uint8Array =>
  sequence(...values.map(value => integer(toBytes(value))))
