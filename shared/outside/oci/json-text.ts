// Parses JSON of a registry or a Secret.
import { isBeyond, type JsonBounds } from '../../core/json/json-bounds.ts'

/** Limits at a hundred times the size of real artifacts. A text of only brackets would take twenty times its bytes, and block the host. */
const partsMost: JsonBounds = { depth: 100, values: 100_000 }

/** undefined for invalid JSON or too many values. An error would quote the text. */
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
