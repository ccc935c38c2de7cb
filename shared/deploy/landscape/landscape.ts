// Reads serverless.yml: parses it strictly, adds included functions of the program, and checks schema and landscape-faults.ts. Host, relay,
// `npm run generate` and the osls plugin use the result, and rely on a valid Landscape.
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv, type ErrorObject } from 'ajv'
import { parseDocument } from 'yaml'
import schema from '../../api/serverless.schema.json' with { type: 'json' }
import type { FunctionSettings, Landscape } from '../../api/serverless.ts'
import { isMap, isText } from '../../core/json/json.ts'
import { remembered } from '../../core/memory/remembered.ts'
import { valueText } from '../../core/text/text.ts'
import { type IsThere, landscapeFaults } from './landscape-faults.ts'
import { type LandscapeRefusal, LandscapeRefused } from './refusal.ts'

/** Looks for functions beside the file. `carried`: functions that may be included. Throws LandscapeRefused with all faults. */
export const readLandscape = (file: string | URL, isThere?: IsThere, carried?: Landscape): Landscape => {
  const path = typeof file === 'string' ? file : fileURLToPath(file)
  const value = parsed(readFileSync(path, 'utf8'), basename(path))
  const isBelow = isThere ?? functionsBelow(dirname(path))
  if (carried === undefined) return acceptedLandscape(value, isBelow, basename(path))
  refuseIfAny(basename(path), includeFaults(value, carried))
  const included = includedIn(value)
  const isSomewhere: IsThere = (name, exported) => included.includes(name) || isBelow(name, exported)
  return acceptedLandscape(withIncluded(value, carried), isSomewhere, basename(path))
}

/** Looks for functions in the sources below the folder. */
export const functionsBelow =
  (root: string): IsThere =>
  (name, exported) => {
    const file = join(root, 'functions', name, 'index.ts')
    if (exported === undefined || !existsSync(file)) return existsSync(file)
    return new RegExp(`^export const ${exported}\\b`, 'm').test(readFileSync(file, 'utf8'))
  }

/** Throws LandscapeRefused for a faulty value. `file`: the name of the file in the message. */
export const acceptedLandscape = (value: unknown, isThere: IsThere, file: string): Landscape => {
  refuseIfAny(file, schemaFaults(value))
  const landscape = value as Landscape
  refuseIfAny(file, landscapeFaults(landscape, isThere))
  return landscape
}

/** YAML 1.2, as osls reads it. Duplicate keys and unknown tags are errors. */
const parsed = (text: string, file: string): unknown => {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  refuseIfAny(
    file,
    faults.map(fault => ({ path: placeOf(fault), found: sentenceOf(fault.message), allowed: 'YAML 1.2' })),
  )
  return document.toJS()
}

const placeOf = (fault: { linePos?: readonly { line: number; col: number }[] }): string => {
  const [start] = fault.linePos ?? []
  return start ? `line ${start.line}, column ${start.col}` : 'the file'
}

/** Omits the place, which `path` names, and the excerpt of the file. */
const sentenceOf = (message: string): string => message.replace(/( at line \d+, column \d+:)?\n[\s\S]*$/, '')

const refuseIfAny = (file: string, refusals: readonly LandscapeRefusal[]): void => {
  if (refusals.length > 0) throw new LandscapeRefused(file, refusals)
}

/** Adds the included functions of `carried` to the content of serverless.yml. */
export const withIncluded = (value: unknown, carried: Landscape): unknown => {
  const { namespace } = isMap(value) && isMap(value.provider) ? value.provider : {}
  if (!isMap(value) || !isText(namespace)) return value
  const settings = includedIn(value).flatMap(name => {
    const found = carried.functions[name]
    return found ? [[name, inNamespace(found, carried.provider.namespace, namespace)]] : []
  })
  return {
    ...value,
    functions: { ...Object.fromEntries(settings), ...(isMap(value.functions) ? value.functions : {}) },
  }
}

export const includeFaults = (value: unknown, carried: Landscape): LandscapeRefusal[] =>
  includedIn(value).flatMap((name, at) =>
    carried.functions[name]
      ? []
      : [{ path: `include[${at}]`, found: valueText(name), allowed: Object.keys(carried.functions).join(', ') }],
  )

export const includedIn = (value: unknown): string[] =>
  isMap(value) && Array.isArray(value.include) ? value.include.filter(isText) : []

/** Replaces the namespace in access rules, watches and keys. */
const inNamespace = (settings: FunctionSettings, from: string, to: string): FunctionSettings =>
  JSON.parse(JSON.stringify(settings).replaceAll(JSON.stringify(from), JSON.stringify(to)))

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
