// Parses JSON bodies with limits on nesting and number of values.
import { type JsonBounds, valuesWithin } from '../../core/json/json-bounds.ts'
import { Refused } from '../errors.ts'

/** Objects that the API server stores for us never reach these limits. */
const bodyBounds: JsonBounds = { depth: 200, values: 100_000 }

type CheckedBody = {
  /** Maximum memory of the parsed value, measured with the worst 100,000 values. */
  readonly weight: number
  /** Throws Refused for invalid JSON. Keys such as `__proto__` become ordinary own keys. */
  parsed(): unknown
}

export const checkedBody = (bytes: Uint8Array): CheckedBody => {
  if (bytes.length === 0) throw new Refused('badJson', { detail: 'the body is empty' })
  const values = valuesWithin(bytes, bodyBounds)
  if (values === undefined) throw new Refused('tooIntricate')
  return {
    weight: bytesPerByte * bytes.length + bytesPerValue * values,
    parsed: () => {
      try {
        return JSON.parse(utf8.decode(bytes))
      } catch (cause) {
        throw new Refused('badJson', { cause })
      }
    },
  }
}

/** JavaScript stores a text with any character beyond Latin-1 in two bytes per character. */
const bytesPerByte = 2
/** The memory of the most expensive value: an object with one field whose name is unique. */
const bytesPerValue = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })
