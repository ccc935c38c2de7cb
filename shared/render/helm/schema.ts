// values.schema.json: checks the values of a chart and its subcharts, in drafts 4 to 2020-12 as in Helm. The validator supports draft 7 and newer,
// so older schemas are translated. A schema with a reference to another host is refused.
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { canonicalJson, isMap, type JsonMap } from '../../core/json/json.ts'
import { RenderError } from '../generator.ts'
import type { Chart } from './chart.ts'
import { formats } from './schema-formats.ts'

export const validateValues = (chart: Chart, values: JsonMap): void => {
  const faults = schemaFaults(chart, values)
  if (faults.length === 0) return
  const texts = faults.map(({ chart, all }) => `${chart}: ${all.map(({ text }) => text).join(', ')}`)
  const rules = faults.flatMap(({ chart, all }) => all.flatMap(({ rule }) => (rule ? [`${chart} ${rule}`] : [])))
  throw new RenderError(
    `values don't meet the specifications of the schema(s) in the following chart(s): ${texts.join('; ')}`,
    { blame: { kind: 'schema', file: 'values.schema.json', rules: rules.slice(0, rulesMost) } },
  )
}

const rulesMost = 10

/** `rule`: the violated place in the schema. `text` can quote a value, `rule` cannot. */
type Unmet = { readonly text: string; readonly rule?: string }
type Faults = { readonly chart: string; readonly all: readonly Unmet[] }

const schemaFaults = (chart: Chart, values: JsonMap): Faults[] => {
  const own = chart.schema === undefined ? [] : valueFaults(chart.schema, values)
  const inside = chart.charts.flatMap(sub => subchartFaults(sub, values[sub.name]))
  return [...(own.length > 0 ? [{ chart: chart.name, all: own }] : []), ...inside]
}

const subchartFaults = (chart: Chart, values: unknown): Faults[] => {
  if (values === undefined || values === null) return []
  return isMap(values)
    ? schemaFaults(chart, values)
    : [{ chart: chart.name, all: [{ text: 'the values are not a map' }] }]
}

const valueFaults = (text: string, values: JsonMap): Unmet[] => {
  try {
    const schema: unknown = JSON.parse(text)
    return faultsUnder(typeof schema === 'boolean' || isMap(schema) ? schema : false, values)
  } catch (error) {
    // The error is a fault of the schema itself: JSON, values of keywords, references or patterns.
    if (error instanceof Error) return [{ text: `values.schema.json: ${error.message}` }]
    throw error
  }
}

const faultsUnder = (schema: boolean | JsonMap, values: JsonMap): Unmet[] => {
  const language = languageOf(schema)
  if (!language)
    throw new RenderError(`values.schema.json: $schema ${isMap(schema) ? schema.$schema : ''} is not supported`)
  const own = translated(schema, language)
  return withValidator(validators[language.validator](), own, ajv => {
    const validate = ajv.compile(own)
    return validate(values) ? [] : (validate.errors ?? []).map(unmet)
  })
}

/**
 * Afterwards removes the schema and its names from the shared validator. Otherwise schemas would accumulate and could use names of other
 * schemas. Also restores earlier names, because a schema can replace a name that the validator needs, such as the language's own schema.
 */
const withValidator = <Result>(ajv: Ajv, schema: boolean | JsonMap, judge: (ajv: Ajv) => Result): Result => {
  const before = { ...ajv.refs }
  try {
    return judge(ajv)
  } finally {
    ajv.removeSchema(schema)
    for (const name of Object.keys(ajv.refs)) if (!Object.hasOwn(before, name)) delete ajv.refs[name]
    Object.assign(ajv.refs, before)
  }
}

const unmet = ({ instancePath, message, schemaPath }: ErrorObject): Unmet => ({
  text: `at '${instancePath}': ${message}`,
  rule: schemaPath,
})

/** Makes the validator at its first use: compiling the language's own schema takes longer than compiling a chart's schema. */
const once = (make: () => Ajv): (() => Ajv) => {
  let made: Ajv | undefined
  return () => {
    made ??= withLinearUniqueItems(make())
    return made
  }
}

/** Replaces the validator's check, which compares every pair of items. */
const withLinearUniqueItems = (ajv: Ajv): Ajv => {
  const validate = (isUnique: boolean, items: readonly unknown[]) =>
    !isUnique || new Set(items.map(canonicalJson)).size === items.length
  const error = { message: 'must NOT have duplicate items' }
  return ajv
    .removeKeyword('uniqueItems')
    .addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate, error })
}

const regExp = Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'linear' })

/** `multipleOfPrecision`: 0.3 is a multiple of 0.1, although their binary fractions are not. */
const options: Options = { strict: false, allErrors: true, logger: false, code: { regExp }, multipleOfPrecision: 9 }

/** Since draft 2019, formats are only annotations. In older drafts, formats are checked, and `$ref` replaces all keywords beside it. */
const validators: Readonly<Record<Language['validator'], () => Ajv>> = {
  'draft 7': once(() => new Ajv({ ...options, formats, ignoreKeywordsWithRef: true })),
  '2019-09': once(() => new Ajv2019({ ...options, validateFormats: false })),
  '2020-12': once(() => new Ajv2020({ ...options, validateFormats: false })),
}

type Language = {
  readonly validator: 'draft 7' | '2019-09' | '2020-12'
  readonly uri: string
  readonly changes: readonly Change[]
}

type Change = (schema: JsonMap) => JsonMap

const languageOf = (schema: boolean | JsonMap): Language | undefined => {
  if (!isMap(schema) || schema.$schema === undefined) return newest
  const [, name = ''] = /^https?:\/\/(.*?)#?$/.exec(String(schema.$schema)) ?? []
  return languages.get(name)
}

const translated = (schema: boolean | JsonMap, { uri, changes }: Language): boolean | JsonMap =>
  isMap(schema) ? { ...changed(schema, changes), $schema: uri } : schema

const changed = (schema: JsonMap, changes: readonly Change[]): JsonMap => {
  const own = changes.reduce((before, change) => change(before), schema)
  return mapped(own, (value, key) => {
    if (data.has(key)) return value
    return isMap(value) && named.has(key)
      ? mapped(value, part => changedPart(part, changes))
      : changedPart(value, changes)
  })
}

/** Also translates values of unknown keywords, because a reference can point to them. */
const changedPart = (value: unknown, changes: readonly Change[]): unknown => {
  if (Array.isArray(value)) return value.map(item => changedPart(item, changes))
  return isMap(value) ? changed(value, changes) : value
}

const mapped = (map: JsonMap, change: (value: unknown, key: string) => unknown): JsonMap =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)]))

/** Keywords whose values are data, even if the data looks like a schema. */
const data = new Set(['const', 'enum', 'default'])

/** Keywords whose values map names to schemas. A name can look like a keyword. */
const named = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies', 'dependentSchemas'])

const without =
  (...words: readonly string[]): Change =>
  schema =>
    Object.fromEntries(Object.entries(schema).filter(([key]) => !words.includes(key)))

/** Removes keywords. Keeps a keyword whose value is a map, because this is the schema of a field with the keyword's name. */
const withoutPlain =
  (...words: readonly string[]): Change =>
  schema =>
    without(...words.filter(word => !isMap(schema[word])))(schema)

const withNewId: Change = schema => {
  const changed = withoutPlain('id', '$id')(schema)
  return typeof schema.id === 'string' ? { ...changed, $id: schema.id } : changed
}

/** An id that is a pointer has no effect. */
const withoutPointerId: Change = schema =>
  typeof schema.$id === 'string' && /^(?:#|#\/.*)?$/s.test(schema.$id) ? without('$id')(schema) : schema

/**
 * With `ignoreKeywordsWithRef`, the validator ignores most keywords beside `$ref`. This removes `$id` and `type`, which it does not ignore.
 */
const withRefAlone: Change = schema => (typeof schema.$ref === 'string' ? withoutPlain('$id', 'type')(schema) : schema)

const bounds = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const

const withNumericBounds: Change = schema => {
  const changed = { ...schema }
  for (const [bound, flag] of bounds) {
    if (typeof schema[flag] !== 'boolean') continue
    delete changed[flag]
    if (!schema[flag]) continue
    delete changed[bound]
    changed[flag] = schema[bound]
  }
  return changed
}

/** Removes keywords of the validator and of OpenAPI, and examples, which can look like schemas. */
const foreign = withoutPlain('nullable', '$async', 'examples')
const since2019 = [foreign, withoutPlain('id')]
const untilDraft7 = [foreign, withoutPlain('$anchor', '$dynamicAnchor'), withoutPointerId, withRefAlone]
const untilDraft6 = [without('if', 'then', 'else'), ...untilDraft7]
const untilDraft4 = [without('const', 'contains', 'propertyNames'), withNumericBounds, ...untilDraft6]

const newest: Language = {
  validator: '2020-12',
  uri: 'https://json-schema.org/draft/2020-12/schema',
  changes: since2019,
}
const recent: Language = {
  validator: '2019-09',
  uri: 'https://json-schema.org/draft/2019-09/schema',
  changes: since2019,
}
const older = (...changes: readonly Change[]): Language => ({
  validator: 'draft 7',
  uri: 'http://json-schema.org/draft-07/schema#',
  changes,
})

const languages: ReadonlyMap<string, Language> = new Map([
  ['json-schema.org/schema', newest],
  ['json-schema.org/draft/2020-12/schema', newest],
  ['json-schema.org/draft/2019-09/schema', recent],
  ['json-schema.org/draft-07/schema', older(withoutPlain('id'), ...untilDraft7)],
  ['json-schema.org/draft-06/schema', older(withoutPlain('id'), ...untilDraft6)],
  ['json-schema.org/draft-04/schema', older(withNewId, ...untilDraft4)],
])
