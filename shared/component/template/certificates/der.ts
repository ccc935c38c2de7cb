// The few pieces of DER that no library at hand writes for us: sequences of integers, as DSA keys and signatures are.
import { toBytes } from './big.ts'

/** Tag, length, content. */
const element = (tag: number, content: Uint8Array): Uint8Array => {
  const size = toBytes(BigInt(content.length))
  const length =
    content.length < 128 ? Uint8Array.of(content.length) : Buffer.concat([Uint8Array.of(0x80 | size.length), size])
  return Buffer.concat([Uint8Array.of(tag), length, content])
}

const integer = (value: bigint): Uint8Array => {
  const bytes = toBytes(value)
  return element(0x02, (bytes[0] ?? 0) >= 128 ? Buffer.concat([Uint8Array.of(0), bytes]) : bytes)
}

/** A sequence of integers that are not negative. */
export const integersDer = (values: readonly bigint[]): Uint8Array => element(0x30, Buffer.concat(values.map(integer)))
