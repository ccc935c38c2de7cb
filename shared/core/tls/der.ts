// Writes DER values (ITU-T X.690: tag, length, content) for certificates, keys and signatures, and takes DER values apart.
//
//   sequence(integer(Uint8Array.of(0x81)), utf8('a')) // 30 07, in it 02 02 00 81 and 0c 01 61

export const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthBytes(body.length), body])
}

const lengthBytes = (length: number): Buffer => {
  if (length < 0x80) return Buffer.from([length])
  const hex = length.toString(16)
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits])
}

export const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts)
export const set = (...parts: Uint8Array[]): Buffer => tlv(0x31, ...parts)
export const explicit = (number: number, ...parts: Uint8Array[]): Buffer => tlv(0xa0 | number, ...parts)
export const octets = (value: Uint8Array): Buffer => tlv(0x04, value)
export const bits = (value: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.from([unused]), value)
export const utf8 = (value: string): Buffer => tlv(0x0c, Buffer.from(value))
export const printable = (value: string): Buffer => tlv(0x13, Buffer.from(value))
export const yes: Buffer = tlv(0x01, Buffer.from([0xff]))

/** An integer that is not negative. Leading zeros are dropped. */
export const integer = (value: Uint8Array): Buffer => {
  const first = value.findIndex(byte => byte !== 0)
  const digits = first < 0 ? Uint8Array.of(0) : value.subarray(first)
  return tlv(0x02, ...((digits[0] ?? 0) & 0x80 ? [Uint8Array.of(0)] : []), digits)
}

export const objectId = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const base128 = (value: number): number[] => {
  const digits = [value & 0x7f]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest & 0x7f) | 0x80)
  return digits
}

/** UTCTime until 2049, as X.509 requires, and GeneralizedTime from 2050 on. */
export const x509Time = (value: Date): Buffer => {
  const text = `${value.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  return value.getUTCFullYear() < 2050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text))
}

/** The content of a DER value. The value must be valid. */
export const derContent = (der: Buffer): Buffer => der.subarray(...placeOf(der, 0))

/** The values in a sequence, a set or an explicit tag. */
export const derChildren = (der: Buffer): Buffer[] => {
  const children: Buffer[] = []
  const [begin, end] = placeOf(der, 0)
  for (let at = begin; at < end; ) {
    const [, next] = placeOf(der, at)
    children.push(der.subarray(at, next))
    at = next
  }
  return children
}

const placeOf = (der: Buffer, at: number): [begin: number, end: number] => {
  const first = der[at + 1] ?? 0
  const digits = first < 0x80 ? 0 : first & 0x7f
  const begin = at + 2 + digits
  return [begin, begin + (digits === 0 ? first : der.readUIntBE(at + 2, digits))]
}
