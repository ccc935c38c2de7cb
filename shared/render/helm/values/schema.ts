// values.schema.json: checks the values of a chart and its subcharts, in drafts 4 to 2020-12 as in Helm; a schema with
// a reference to another host is refused.
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { canonicalJson, isMap, type JsonMap } from '../../../core/json/json.ts'
import { RenderError } from '../../generator.ts'
import type { Chart } from '../chart/chart.ts'
import { formats } from './formats.ts'
import { type Language, languageOf, translated } from './schema-languages.ts'

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
