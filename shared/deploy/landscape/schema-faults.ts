// Checks serverless.yml by its JSON schema, and reports the place, the value found, and the allowed values. landscape-faults.ts makes
// checks that a schema cannot make.
import { Ajv, type ErrorObject } from 'ajv'
import schema from '../../api/serverless.schema.json' with { type: 'json' }
import { remembered } from '../../core/memory/remembered.ts'
import { valueText } from '../../core/text/text.ts'
import type { LandscapeRefusal } from './refusal.ts'

export const schemaFaults = (value: unknown): readonly LandscapeRefusal[] => {
  const validate = validatorOf(schema)
  validate(value)
  return (validate.errors ?? []).filter(says).map(refusalOf)
}

/** The compiled schema, cached because compilation takes most of the time. */
const validatorOf = remembered((jsonSchema: object) =>
  new Ajv({ allErrors: true, verbose: true, ...quickly }).compile(jsonSchema),
)

/** A test checks the schema itself. Hosts and relays skip this check at start. */
const quickly = { strict: false, validateSchema: false, code: { optimize: false } } as const

/** False for errors that another error of the value explains better, such as errors of single alternatives. */
const says = (error: ErrorObject): boolean =>
  !['if', 'propertyNames'].includes(error.keyword) && !error.schemaPath.includes('/oneOf/')

const refusalOf = (error: ErrorObject): LandscapeRefusal => {
  const sentence = sentences[error.keyword] ?? byDescription
  const path = pathText(error.instancePath)
  return { path, found: valueText(error.data), allowed: String(error.message), ...sentence(error, path) }
}

/** Better messages than the messages of ajv, by keyword. */
const sentences: Record<string, (error: ErrorObject, path: string) => Partial<LandscapeRefusal>> = {
  additionalProperties: (error, path) => ({
    path: below(path, error.params.additionalProperty),
    found: 'an unknown key',
    allowed: Object.keys(error.parentSchema?.properties).join(', '),
  }),
  required: (error, path) => ({
    path: below(path, error.params.missingProperty),
    found: 'nothing',
    allowed: 'a value (the field is required)',
  }),
  enum: error => ({ allowed: error.params.allowedValues.join(', ') }),
  const: error => ({ allowed: valueText(error.params.allowedValue) }),
  type: error => ({ allowed: `a value of type ${error.params.type}` }),
  maxProperties: error => ({ allowed: `exactly one of ${Object.keys(error.parentSchema?.properties).join(', ')}` }),
  oneOf: error => ({
    allowed: `exactly one of ${error.parentSchema?.oneOf.flatMap((one: { required: string[] }) => one.required).join(', ')}`,
  }),
}

const byDescription = (error: ErrorObject, path: string): Partial<LandscapeRefusal> => ({
  path: error.propertyName === undefined ? path : below(path, error.propertyName),
  found: valueText(error.propertyName ?? error.data),
  allowed: error.parentSchema?.description ?? String(error.message),
})

const below = (path: string, key: string): string => (path === top ? key : `${path}.${key}`)

const top = 'the file'

const pathText = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '') || top
