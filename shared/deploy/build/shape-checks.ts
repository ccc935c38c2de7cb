// Generates code that checks shapes from the schemas of our kinds and calls. Compiling a large schema at every start would take longer
// than the rest of the start, and the host then needs no compiler.
import { Ajv, type Options } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { keySchema, keysQuestionSchema } from '../../api/calls/schemas.ts'
import { gardenSpec } from '../../api/garden/spec.ts'
import { type JsonSchema, list, mapOf, object, options, text } from '../../api/schema.ts'

type GeneratedCode = { /** Below the project. */ readonly path: string; readonly text: string }

/** The metadata that webhooks read of any object. */
const metadata = options({ name: text, annotations: mapOf(text), finalizers: list(text), deletionTimestamp: text })

type Row = { path: string; source: string; exports: Readonly<Record<string, object>>; errors: Options }

/** Errors without messages: their keyword is enough. */
const terse: Options = { messages: false }

/** Errors with the value found and the part of the schema that it does not fit. */
const verbose: Options = { verbose: true }

/** One row per generated file; its types are in a `.d.ts` beside it. */
const rows = (): readonly Row[] => [
  {
    path: 'shared/api/garden/shape-check.js',
    source: 'shared/api/garden/',
    exports: {
      gardenFits: forAjv(object({ metadata, spec: gardenSpec })),
      metadataFits: forAjv(object({ metadata })),
    },
    errors: terse,
  },
  {
    path: 'shared/api/calls/shape-check.js',
    source: 'shared/api/calls/schemas.ts',
    exports: { keyFits: keySchema, keysQuestionFits: keysQuestionSchema },
    errors: verbose,
  },
]

/** Every generated file. */
export const shapeChecks = (): readonly GeneratedCode[] =>
  rows().map(row => ({
    path: row.path,
    text: `// Generated from ${row.source} by \`npm run generate\`; not to be edited.\n${codeOf(row)}\n`,
  }))

const codeOf = ({ exports, errors }: Row): string => {
  const ajv = new Ajv({ ...settings, ...errors, code: { source: true, esm: true, lines: true } })
  for (const [name, schema] of Object.entries(exports)) ajv.addSchema(schema, name)
  const names = Object.fromEntries(Object.keys(exports).map(name => [name, name]))
  return standalone.default(ajv, names).replaceAll(/schemaPath:"[^"]*",/g, '')
}

/** Options for code that calls no library. */
const settings = { strict: false, unicode: false, logger: false } as const

/** The fields and types of a structural schema, without its rules for values. */
const forAjv = (schema: JsonSchema): JsonSchema => {
  const { type, required, anyOf } = schema
  return {
    ...(type && { type }),
    ...(required && { required }),
    ...(anyOf && { anyOf }),
    ...(schema.properties && { properties: mapped(schema.properties) }),
    ...(schema.items && { items: forAjv(schema.items) }),
    ...(schema.additionalProperties && { additionalProperties: forAjv(schema.additionalProperties) }),
  }
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, forAjv(schema)]))
