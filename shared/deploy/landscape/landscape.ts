// Reads serverless.yml: parses it strictly and checks it by the schema and by landscape-faults.ts, so that nobody needs to check a
// Landscape again. Host, relay, `npm run generate` and the osls plugin use it.

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

/**
 * The landscape of a file; functions are looked for beside the file. `carried`: the functions that it may include. Throws a LandscapeRefused
 * that names every fault.
 */
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

/** Looks for functions and their exports in the sources below the folder. */
export const functionsBelow =
  (root: string): IsThere =>
  (name, exported) => {
    const file = join(root, 'functions', name, 'index.ts')
    if (exported === undefined || !existsSync(file)) return existsSync(file)
    return new RegExp(`^export const ${exported}\\b`, 'm').test(readFileSync(file, 'utf8'))
  }

/** The value as a Landscape. Throws a LandscapeRefused when it has faults; `file` is its name in the message. */
export const acceptedLandscape = (value: unknown, isThere: IsThere, file: string): Landscape => {
  refuseIfAny(file, schemaFaults(value))
  const landscape = value as Landscape
  refuseIfAny(file, landscapeFaults(landscape, isThere))
  return landscape
}

/** YAML 1.2 as osls reads it; duplicate keys and unknown tags are errors. */
const parsed = (text: string, file: string): unknown => {
  const document = parseDocument(text, { version: '1.2', uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  refuseIfAny(
    file,
    faults.map(fault => ({ path: placeOf(fault), found: firstLine(fault.message), allowed: 'YAML 1.2' })),
  )
  return document.toJS()
}

const placeOf = (fault: { linePos?: readonly { line: number; col: number }[] }): string => {
  const [start] = fault.linePos ?? []
  return start ? `line ${start.line}, column ${start.col}` : 'the file'
}

const firstLine = (message: string): string => message.split('\n')[0] ?? ''

const refuseIfAny = (file: string, refusals: readonly LandscapeRefusal[]): void => {
  if (refusals.length > 0) throw new LandscapeRefused(file, refusals)
}

// Functions that a landscape takes along by name: `include: [webhook-certificate]`. They are those of the program, in the landscape's own
// namespace, and a function of the same name in the landscape replaces one.

/** What serverless.yml says, as it is read, with the functions that it includes of `carried`. */
const withIncluded = (value: unknown, carried: Landscape): unknown => {
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

const includeFaults = (value: unknown, carried: Landscape): LandscapeRefusal[] =>
  includedIn(value).flatMap((name, at) =>
    carried.functions[name]
      ? []
      : [{ path: `include[${at}]`, found: valueText(name), allowed: Object.keys(carried.functions).join(', ') }],
  )

const includedIn = (value: unknown): string[] =>
  isMap(value) && Array.isArray(value.include) ? value.include.filter(isText) : []

/** The namespace stands in access rules, watches and keys. */
const inNamespace = (settings: FunctionSettings, from: string, to: string): FunctionSettings =>
  JSON.parse(JSON.stringify(settings).replaceAll(JSON.stringify(from), JSON.stringify(to)))

// Checks serverless.yml by its JSON schema and reports faults so that a person can mend them: the place, the value found, the values
// allowed. landscape-faults.ts checks what no schema can say, such as files that must exist.

const schemaFaults = (value: unknown): readonly LandscapeRefusal[] => {
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
