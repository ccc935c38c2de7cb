// Bytes to JSON, after the checks JSON.parse cannot make: how deep the value goes and how many parts it has. A body of
// nothing but brackets or commas would keep the event loop busy for seconds, and whoever walks the value later would
// overflow its stack.
import { Refused } from './errors.ts'

/** More than any object has that the API server stores for us. */
const bodyBounds: Bounds = { depth: 200, values: 100_000 }

export type Bounds = { readonly depth: number; readonly values: number }

/** The value, or a refusal. `__proto__` and its like become ordinary own keys: JSON.parse sets no prototypes. */
export const parsedBody = (bytes: Buffer): unknown => {
  if (bytes.length === 0) throw new Refused('badJson', { detail: 'the body is empty' })
  if (isBeyond(bytes, bodyBounds)) throw new Refused('tooIntricate')
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new Refused('badJson', { cause })
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** One look at each byte, whatever they are. */
const isBeyond = (bytes: Uint8Array, bounds: Bounds): boolean => {
  let depth = 0
  let values = 1
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at)
    else if (byte === comma) values++
    else if (byte === openBrace || byte === openBracket) [depth, values] = [depth + 1, values + 1]
    else if (byte === closeBrace || byte === closeBracket) depth--
    if (depth > bounds.depth || values > bounds.values) return true
  }
  return false
}

const endOfString = (bytes: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}
