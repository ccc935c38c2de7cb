// Go's strings are bytes, JavaScript's are UTF-16. Strings here are ordinary text. A byte that is not part of valid UTF-8 becomes a lone
// surrogate U+DC80 to U+DCFF, so that every sequence of bytes can be converted to a string and back.
import { isUtf8 } from 'node:buffer'

const ascii = /^[\0-\x7f]*$/
const ordered = /^[\0-\ud7ff]*$/
const escaped = /[\udc80-\udcff]/

/** Whether the text is ASCII, where runes, bytes and UTF-16 units are the same. */
export const isAscii = (text: string): boolean => ascii.test(text)

export const bytesOf = (text: string): Uint8Array => {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const bytes = Buffer.allocUnsafe(text.length * mostBytes)
  let size = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? 0
    if (code > 0xffff) at += 1
    size = isByte(code) ? bytes.writeUInt8(code & 0xff, size) : putRune(bytes, size, code)
  }
  return bytes.subarray(0, size)
}

/** Limit of bytes in UTF-8 per UTF-16 unit. */
const mostBytes = 3

const isByte = (code: number): boolean => code < 0x80 || (code >= 0xdc80 && code <= 0xdcff)

const putRune = (bytes: Uint8Array, at: number, code: number): number => {
  const rune = code >= 0xd800 && code <= 0xdfff ? replacement : code
  const more = rune < 0x800 ? 1 : rune <= 0xffff ? 2 : 3
  bytes[at] = ((0xff00 >> (more + 1)) & 0xff) | (rune >> (6 * more))
  for (let next = 1; next <= more; next += 1) bytes[at + next] = 0x80 | ((rune >> (6 * (more - next))) & 0x3f)
  return at + more + 1
}

const replacement = 0xfffd

export const textOf = (bytes: Uint8Array): string =>
  isUtf8(bytes) ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8') : strictly(bytes)

/** Decodes unit by unit: binary data rarely contains enough text for a TextDecoder to pay off. */
const strictly = (bytes: Uint8Array): string => {
  const units = Buffer.allocUnsafe(bytes.length * 2)
  let size = 0
  const put = (unit: number): void => {
    units[size] = unit & 0xff
    units[size + 1] = unit >> 8
    size += 2
  }
  for (let at = 0; at < bytes.length; ) {
    const rune = runeAt(bytes, at)
    if (rune === undefined) put(0xdc00 + (bytes[at] ?? 0))
    else if (rune > 0xffff) {
      put(0xd7c0 + (rune >> 10))
      put(0xdc00 + (rune & 0x3ff))
    } else put(rune)
    at += rune === undefined ? 1 : runeWidth(bytes[at] ?? 0)
  }
  return units.toString('utf16le', 0, size)
}

/** Length of the rune that begins with this byte; 0 if no rune begins with it. */
const runeWidth = (first: number): number => {
  if (first < 0x80) return 1
  return first > 0xf4 ? 0 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
}

const runeAt = (bytes: Uint8Array, at: number): number | undefined => {
  const first = bytes[at] ?? 0
  const width = runeWidth(first)
  let rune = width === 1 ? first : first & (0x7f >> width)
  for (let next = at + 1; next < at + width; next += 1) {
    const byte = bytes[next] ?? 0
    if ((byte & 0xc0) !== 0x80) return undefined
    rune = (rune << 6) | (byte & 0x3f)
  }
  return isRuneOf(width, rune) ? rune : undefined
}

const isRuneOf = (width: number, rune: number): boolean => {
  if (width < 3) return width > 0
  if (width === 3) return rune >= 0x800 && (rune < 0xd800 || rune > 0xdfff)
  return rune >= 0x10000 && rune <= 0x10ffff
}

/** Joins surrogates that form a rune. */
export const normal = (text: string): string => (escaped.test(text) ? textOf(bytesOf(text)) : text)

export const byteLength = (text: string): number => (isAscii(text) ? text.length : bytesOf(text).length)

export const byteSlice = (text: string, start: number, end: number): string =>
  isAscii(text) ? text.slice(start, end) : textOf(bytesOf(text).subarray(start, end))

/** Whether UTF-16 units have the order of the bytes: true below the surrogates. */
const isOrdered = (text: string): boolean => ordered.test(text)

/** Go's order of strings, which is the order of their bytes. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  if (isOrdered(a) && isOrdered(b)) return a < b ? -1 : 1
  return Buffer.compare(bytesOf(a), bytesOf(b))
}
