// Checks serverless.yml by its JSON schema and reports faults so that a person can mend them: the place, the value found, the values
// allowed. landscape-faults.ts checks what no schema can say, such as files that must exist.
import { Ajv, type ErrorObject } from 'ajv'
import schema from '../../api/serverless.schema.json' with { type: 'json' }
import { remembered } from '../../core/memory/remembered.ts'
import { valueText } from '../../core/text/text.ts'
import type { LandscapeRefusal } from './refusal.ts'

/** All faults of a value by shared/api/serverless.schema.json. */
export const schemaFaults = (value: unknown): readonly LandscapeRefusal[] => {
  const validate = validatorOf(schema)
  validate(value)
  return (validate.errors ?? []).filter(says).map(refusalOf)
}

/** Remembered: compiling the schema is most of the work. */
const validatorOf = remembered((of: object) => new Ajv({ allErrors: true, verbose: true, ...quickly }).compile(of))

/** Hosts and relays run this at start, so it does not check the schema itself; a test does. */
const quickly = { strict: false, validateSchema: false, code: { optimize: false } } as const

/** False for errors that another error of the same value says better, such as those of single alternatives. */
const says = (error: ErrorObject): boolean =>
  !['if', 'propertyNames'].includes(error.keyword) && !error.schemaPath.includes('/oneOf/')

const refusalOf = (error: ErrorObject): LandscapeRefusal => {
  const sentence = sentences[error.keyword] ?? byDescription
  const path = pathText(error.instancePath)
  return { path, found: valueText(error.data), allowed: String(error.message), ...sentence(error, path) }
}

/** Per keyword of the schema: what to say where ajv's own message says less. */
const sentences: Record<string, (error: ErrorObject, path: string) => Partial<LandscapeRefusal>> = {
  additionalProperties: (error, path) => ({
    path: below(path, error.params.additionalProperty),
    found: 'an unknown key',
    allowed: Object.keys(error.parentSchema?.properties).join(', '),
  }),
  required: (error, path) => ({
    path: below(path, error.params.missingProperty),
    found: 'nothing',
    allowed: 'it must be there',
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

/** `/functions/x/events/0` → `functions.x.events[0]`. */
const pathText = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '') || top
