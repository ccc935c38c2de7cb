// Bytes of a request to JSON, if it is neither too deep nor has too many parts.
import { type JsonBounds, valuesWithin } from '../../core/json-bounds.ts'
import { Refused } from '../errors.ts'

/** More than any object has that the API server stores for us. */
const bodyBounds: JsonBounds = { depth: 200, values: 100_000 }

/** A body that is neither too deep nor has too many parts. */
type CheckedBody = {
  /** Bytes its value takes at most: what follows from the worst that 100,000 values were measured to take. */
  readonly weight: number
  /** The value, or a refusal. `__proto__` and its like become ordinary own keys: JSON.parse sets no prototypes. */
  parsed(): unknown
}

/** Throws a refusal. */
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

/** One character beyond Latin 1 makes every character of its text take two bytes. */
const bytesPerByte = 2
/** An object with one field of a name of its own. */
const bytesPerValue = 100

const utf8 = new TextDecoder('utf-8', { fatal: true })
