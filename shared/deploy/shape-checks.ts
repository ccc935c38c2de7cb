// Checks of shapes as code, made ahead from the schemas by which our kinds are described: compiling a large one at every
// start would take longer than all the rest of it.

import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { gardenSpec } from '../api/garden/spec.ts'
import { type JsonSchema, list, mapOf, object, options, text } from '../api/schema.ts'

export type GeneratedCode = { /** Below the project. */ readonly path: string; readonly text: string }

/** What webhooks read of any object's metadata. */
const metadata = options({ name: text, annotations: mapOf(text), finalizers: list(text), deletionTimestamp: text })

type Row = { path: string; source: string; exports: Readonly<Record<string, JsonSchema>> }

/** A new file is one row; its types stand in a `.d.ts` beside it. */
const rows: readonly Row[] = [
  {
    path: 'shared/api/garden/shape-check.js',
    source: 'shared/api/garden/',
    exports: { gardenFits: object({ metadata, spec: gardenSpec }), metadataFits: object({ metadata }) },
  },
]

/** Every generated file. */
export const shapeChecks = (): readonly GeneratedCode[] =>
  rows.map(({ path, exports, source }) => ({
    path,
    text: `// Generated from ${source} by \`npm run generate\`; not to be edited.\n${codeOf(exports)}\n`,
  }))

const codeOf = (exports: Row['exports']): string => {
  const ajv = new Ajv({ ...settings, code: { source: true, esm: true, lines: true } })
  for (const [name, schema] of Object.entries(exports)) ajv.addSchema(forAjv(schema), name)
  const names = Object.fromEntries(Object.keys(exports).map(name => [name, name]))
  return standalone.default(ajv, names).replaceAll(/schemaPath:"[^"]*",/g, '')
}

/** Without anything that would make the code call a library, and without texts: the keyword of an error tells enough. */
const settings = { strict: false, unicode: false, logger: false, messages: false } as const

/** What Ajv knows of a structural schema. The rest is for people, or for the API server to do. */
const forAjv = (schema: JsonSchema): JsonSchema => {
  const { description, default: _, format, 'x-kubernetes-validations': rules, ...kept } = schema
  const shape = Object.fromEntries(Object.entries(kept).filter(([word]) => !word.startsWith('x-kubernetes-')))
  return {
    ...shape,
    ...(schema.properties && { properties: mapped(schema.properties) }),
    ...(schema.items && { items: forAjv(schema.items) }),
    ...(schema.additionalProperties && { additionalProperties: forAjv(schema.additionalProperties) }),
  }
}

const mapped = (properties: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, forAjv(schema)]))
