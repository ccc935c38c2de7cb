// Protobuf's wire format: a message as numbered fields. What the numbers mean is told in message.ts.
import { badRequest } from '../status.ts'

/** A number for varints and fixed sizes, bytes for everything else. */
export type WireField = { readonly number: number; readonly value: bigint | Buffer }

const varint = 0
const fixed64 = 1
const lengthDelimited = 2
const fixed32 = 5

/** The fields of one message, in the order in which they were written. Throws a 400 on bytes that are no message. */
export const wireFields = (bytes: Buffer): WireField[] => {
  const fields: WireField[] = []
  const cursor = { bytes, offset: 0 }
  while (cursor.offset < bytes.length) {
    const key = Number(readVarint(cursor))
    fields.push({ number: key >>> 3, value: readValue(cursor, key & 7) })
  }
  return fields
}

type Cursor = { readonly bytes: Buffer; offset: number }

const readValue = (cursor: Cursor, wireType: number): bigint | Buffer => {
  if (wireType === varint) return readVarint(cursor)
  if (wireType === lengthDelimited) return readBytes(cursor, Number(readVarint(cursor)))
  if (wireType === fixed64) return readBytes(cursor, 8).readBigUInt64LE()
  if (wireType === fixed32) return BigInt(readBytes(cursor, 4).readUInt32LE())
  throw badRequest(`proto: illegal wireType ${wireType}`)
}

const longestVarint = 10

const readVarint = (cursor: Cursor): bigint => {
  let result = 0n
  for (let index = 0; index < longestVarint; index++) {
    const byte = cursor.bytes[cursor.offset++]
    if (byte === undefined) throw badRequest('unexpected EOF')
    result |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return BigInt.asUintN(64, result)
  }
  throw badRequest('proto: integer overflow')
}

const readBytes = (cursor: Cursor, length: number): Buffer => {
  const end = cursor.offset + length
  if (end > cursor.bytes.length) throw badRequest('unexpected EOF')
  const part = cursor.bytes.subarray(cursor.offset, end)
  cursor.offset = end
  return part
}
