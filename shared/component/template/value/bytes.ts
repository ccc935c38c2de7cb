// Go's strings are bytes, JavaScript's are UTF-16. A string here is ordinary text; a byte that is no part of valid UTF-8 stands as
// the lone surrogate U+DC80 to U+DCFF, so that every sequence of bytes has a string and comes back unchanged.

const isPlain = /^[\0-\x7f]*$/
const escaped = /[\udc80-\udcff]/
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes that Go would hold for a string. */
export const bytesOf = (text: string): Uint8Array => {
  if (!loneSurrogate.test(text)) return Buffer.from(text, 'utf8')
  return Buffer.concat([...text].map(bytesOfRune))
}

const bytesOfRune = (rune: string): Uint8Array => {
  const code = rune.charCodeAt(0)
  if (rune.length === 1 && code >= 0xdc80 && code <= 0xdcff) return Uint8Array.of(code - 0xdc00)
  return Buffer.from(rune, 'utf8')
}

/** The string that stands for these bytes. */
export const textOf = (bytes: Uint8Array): string => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.includes('\ufffd') ? strictly(bytes) : text
}

const strictly = (bytes: Uint8Array): string => {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const width = runeWidth(bytes, at)
    parts.push(
      width === 0 ? String.fromCharCode(0xdc00 + (bytes[at] ?? 0)) : decoder.decode(bytes.subarray(at, at + width)),
    )
    at += Math.max(width, 1)
  }
  return parts.join('')
}

/** How many bytes the rune at a place takes; 0 where there is no valid one. */
const runeWidth = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  const rune = bytes.subarray(at, at + width)
  return width > 0 && rune.length === width && isValid(rune) ? width : 0
}

const isValid = (rune: Uint8Array): boolean => {
  const text = Buffer.from(rune).toString('utf8')
  return !text.includes('\ufffd') || Buffer.from(text, 'utf8').equals(rune)
}

/** Joined halves of a rune become the rune. */
export const normal = (text: string): string => (escaped.test(text) ? textOf(bytesOf(text)) : text)

/** `len` of a string. */
export const byteLength = (text: string): number => (isPlain.test(text) ? text.length : bytesOf(text).length)

/** `s[start:end]`. */
export const byteSlice = (text: string, start: number, end: number): string =>
  isPlain.test(text) ? text.slice(start, end) : textOf(bytesOf(text).subarray(start, end))

/** Go's order of strings, which is that of their bytes. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  if (isPlain.test(a) && isPlain.test(b)) return a < b ? -1 : 1
  return Buffer.compare(bytesOf(a), bytesOf(b))
}
