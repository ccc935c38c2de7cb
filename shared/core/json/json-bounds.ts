// Measures the depth and the number of values of a JSON text in one pass over its bytes, before JSON.parse runs. A text of only brackets or
// commas would block the event loop for seconds and need twenty times its size in memory. It would also overflow the stack.

export type JsonBounds = { readonly depth: number; readonly values: number }

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** The text need not be valid JSON. */
export const isBeyond = (bytes: Uint8Array, bounds: JsonBounds): boolean => valuesWithin(bytes, bounds) === undefined

export const valuesWithin = (bytes: Uint8Array, bounds: JsonBounds): number | undefined => {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values++
    else if (byte === openBrace || byte === openBracket) [depth, values] = [depth + 1, values + 1]
    else if (byte === closeBrace || byte === closeBracket) depth--
    if (depth > bounds.depth || values > bounds.values) return undefined
  }
  return values
}

/** Like `isBeyond`, for a parsed value. */
export const isIntricate = (value: unknown, { depth, values }: JsonBounds): boolean => {
  let left = values
  const exceeds = (part: unknown, levels: number): boolean => {
    left--
    if (left < 0) return true
    if (typeof part !== 'object' || part === null) return false
    return levels === 0 || Object.values(part).some(inner => exceeds(inner, levels - 1))
  }
  return exceeds(value, depth)
}

const endOfString = (bytes: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
