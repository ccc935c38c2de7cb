// values.schema.json: whether the values are what a chart, and each of its subcharts, asks for. Drafts 4 to 2020-12 are
// taken, as by Helm; what would have to be fetched is refused.
import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { RE2JS } from 're2js'
import { isMap, type JsonMap } from '../../../core/json.ts'
import { RenderError } from '../../generator.ts'
import type { Chart } from '../chart/chart.ts'
import { asDraft7 } from './old-schema.ts'

/** Throws RenderError naming the chart and what does not fit. */
export const validateValues = (chart: Chart, values: JsonMap): void => {
  const faults = schemaFaults(chart, values)
  if (faults.length > 0)
    throw new RenderError(
      `values don't meet the specifications of the schema(s) in the following chart(s): ${faults.join('; ')}`,
    )
}

const schemaFaults = (chart: Chart, values: JsonMap): string[] => {
  const own = chart.schema === undefined ? [] : valueFaults(chart.schema, values)
  const inside = chart.charts.flatMap(sub => subchartFaults(sub, values[sub.name]))
  return [...(own.length > 0 ? [`${chart.name}: ${own.join(', ')}`] : []), ...inside]
}

const subchartFaults = (chart: Chart, values: unknown): string[] => {
  if (values === undefined || values === null) return []
  return isMap(values) ? schemaFaults(chart, values) : [`${chart.name}: its values are no map`]
}

const valueFaults = (text: string, values: JsonMap): string[] => {
  try {
    const schema: unknown = JSON.parse(text)
    return faultsUnder(typeof schema === 'boolean' || isMap(schema) ? schema : false, values)
  } catch (error) {
    // Whatever is wrong with the schema itself is found here: JSON, unknown keywords' values, references, patterns.
    if (error instanceof Error) return [`values.schema.json: ${error.message}`]
    throw error
  }
}

const faultsUnder = (schema: boolean | JsonMap, values: JsonMap): string[] => {
  const { ajv, adapted } = dialectOf(schema)
  const own = adapted(schema)
  try {
    const validate = ajv().compile(own)
    return validate(values) ? [] : (validate.errors ?? []).map(faultText)
  } finally {
    // The validator is shared; charts are not to pile up in it, nor to meet each other's names.
    ajv().removeSchema(own)
  }
}

const faultText = ({ instancePath, message }: ErrorObject): string => `at '${instancePath}': ${message}`

type Dialect = {
  readonly ajv: () => Ajv
  readonly adapted: (schema: boolean | JsonMap) => boolean | JsonMap
}

const dialectOf = (schema: boolean | JsonMap): Dialect => {
  const stated = isMap(schema) ? schema.$schema : undefined
  const name = typeof stated === 'string' ? stated.replace(/^https?:\/\/json-schema\.org\/|#$/g, '') : 'schema'
  const dialect = dialects[name]
  if (!dialect) throw new RenderError(`the schema language ${stated} is not known`)
  return dialect
}

/** Made when it is needed for the first time: it compiles the language's own schema, which takes longer than a chart's. */
const once = (make: () => Ajv): (() => Ajv) => {
  let made: Ajv | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Go's patterns: what they cannot say is refused, and none takes more than linear time. */
const regExp = Object.assign((pattern: string) => RE2JS.compile(pattern), { code: 'linear' })

const options: Options = { strict: false, allErrors: true, logger: false, code: { regExp } }

/** Up to draft 7 formats must be met; afterwards they are remarks. */
const remarks: Options = { ...options, validateFormats: false }

const unchanged: Dialect['adapted'] = schema => schema
const newest: Dialect = { ajv: once(() => new Ajv2020(remarks)), adapted: unchanged }
const older: Dialect = { ajv: once(() => addFormats.default(new Ajv(options))), adapted: asDraft7 }

/** By what `$schema` says behind the host. */
const dialects: Readonly<Record<string, Dialect>> = {
  schema: newest,
  'draft/2020-12/schema': newest,
  'draft/2019-09/schema': { ajv: once(() => new Ajv2019(remarks)), adapted: unchanged },
  'draft-07/schema': older,
  'draft-06/schema': older,
  'draft-04/schema': older,
}
