// Parses the JSON of a request if it is not nested too deep and does not have too many values.
import { type JsonBounds, valuesWithin } from '../../core/json/json-bounds.ts'
import { Refused } from '../errors.ts'

/** More than any object has that the API server stores for us. */
const bodyBounds: JsonBounds = { depth: 200, values: 100_000 }

type CheckedBody = {
  /** How many bytes the parsed value takes at most, by measurement of the worst 100,000 values. */
  readonly weight: number
  /** The parsed value; throws Refused when it is no JSON. Keys such as `__proto__` become ordinary own keys. */
  parsed(): unknown
}

/** Throws Refused when the body exceeds the bounds. */
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

/** JavaScript stores a text with a single character beyond Latin 1 in two bytes per character. */
const bytesPerByte = 2
/** The most expensive value: an object with one field whose name occurs nowhere else. */
const bytesPerValue = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })
