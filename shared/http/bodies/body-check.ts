// Checks bodies against the schemas of their routes. The message contains the field, the value found, and the allowed values.
import { type Fitting, type Misfit, misfit } from '../../api/fit.ts'
import { lineOf, valueText } from '../../core/text/text.ts'
import { Refused } from '../errors.ts'

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
