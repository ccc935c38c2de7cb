// Parses text from a registry or a Secret that should be JSON.
import { isBeyond, type JsonBounds } from '../../core/json/json-bounds.ts'

/** A hundred times what artifacts have. A text of nothing but brackets would take twenty times its bytes, and the host for seconds. */
const partsMost: JsonBounds = { depth: 100, values: 100_000 }

/** undefined when it is no JSON, instead of an error that would quote the text, and when it has more parts than are taken. */
export const jsonIn = (text: string | Uint8Array): unknown => {
  const bytes = Buffer.from(text)
  if (isBeyond(bytes, partsMost)) return undefined
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
