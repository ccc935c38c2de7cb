// JSON bodies: parses them with limits on nesting and number of values, and checks them against the schemas of their routes.
import { type Fitting, type Misfit, misfit } from '../api/fit.ts'
import { type JsonBounds, valuesWithin } from '../core/json/json-bounds.ts'
import { lineOf, valueText } from '../core/text/text.ts'
import { Refused } from './errors.ts'

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

export const bodyCheck = (schema: Fitting) => (body: unknown) => {
  const found = misfit(schema, body)
  return found === undefined || { error: new Refused('badBody', { detail: bodyFault(found) }) }
}

const bodyFault = (found: Misfit): string => {
  const sentence = { ...plainly(found), ...sentences[found.keyword]?.(found) }
  return `${sentence.field}: found ${sentence.found}, allowed: ${sentence.allowed}`
}

type Sentence = { field: string; found: string; allowed: string }

const plainly = ({ path, field, value, schema, keyword }: Misfit): Sentence => ({
  field: lineOf(['body', ...path, ...(field === undefined ? [] : [field])].join('.')),
  found: valueText(value),
  allowed: schema.description ?? keyword,
})

/** Keywords that need another sentence: the schema of the map has the fault, but the message names a field or lists allowed values. */
const sentences: Readonly<Partial<Record<keyof Fitting, (found: Misfit) => Partial<Sentence>>>> = {
  required: ({ schema, field = '' }) => ({
    found: 'nothing',
    allowed: schema.properties?.[field]?.description ?? 'anything',
  }),
  additionalProperties: ({ schema }) => ({
    found: 'an unknown field',
    allowed: Object.keys(schema.properties ?? {}).join(', '),
  }),
  enum: ({ schema }) => ({ allowed: (schema.enum ?? []).join(', ') }),
}
