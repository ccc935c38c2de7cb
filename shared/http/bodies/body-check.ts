// Checks bodies against the schemas of their routes, by generated code. One sentence tells what does not fit: the field, the value found,
// the values allowed.
import type { ErrorObject } from 'ajv'
import { keySchema, keysQuestionSchema } from '../../api/calls/schemas.ts'
import { type BodyFits, keyFits, keysQuestionFits } from '../../api/calls/shape-check.js'
import { lineOf, valueText } from '../../core/text/text.ts'
import { Refused } from '../errors.ts'

const checks: ReadonlyMap<unknown, BodyFits> = new Map<unknown, BodyFits>([
  [keySchema, keyFits],
  [keysQuestionSchema, keysQuestionFits],
])

/** Whether a body fits that schema. Throws when no check was made for it. */
export const bodyCheck = (schema: unknown) => {
  const fits = checks.get(schema)
  if (!fits) throw new TypeError('no check was made for this schema')
  return (body: unknown) => fits(body) || { error: new Refused('badBody', { detail: bodyFault(fits.errors ?? []) }) }
}

/** For the first of ajv's errors, made with `verbose`. */
const bodyFault = ([error]: readonly ErrorObject[]): string => {
  if (error === undefined) return 'the body does not fit'
  const { field, found, allowed } = { ...plainly(error), ...sentences[error.keyword]?.(error) }
  return `${field}: found ${found}, allowed: ${allowed}`
}

type Sentence = { field: string; found: string; allowed: string }

const plainly = (error: ErrorObject): Sentence => ({
  field: fieldAt(error),
  found: valueText(error.data),
  allowed: error.parentSchema?.description ?? error.message ?? error.keyword,
})

/** Keywords whose error is reported for the map though it is about one of its fields, or that list the allowed values. */
const sentences: Readonly<Record<string, (error: ErrorObject) => Partial<Sentence>>> = {
  required: error => ({
    field: fieldAt(error, error.params.missingProperty),
    found: 'nothing',
    allowed: error.parentSchema?.properties?.[error.params.missingProperty]?.description ?? 'anything',
  }),
  additionalProperties: error => ({
    field: fieldAt(error, error.params.additionalProperty),
    found: 'an unknown field',
    allowed: Object.keys(error.parentSchema?.properties ?? {}).join(', '),
  }),
  enum: error => ({ allowed: error.params.allowedValues.join(', ') }),
}

const fieldAt = ({ instancePath }: ErrorObject, below?: string): string =>
  lineOf(['body', ...instancePath.split('/').slice(1), ...(below === undefined ? [] : [below])].join('.'))
