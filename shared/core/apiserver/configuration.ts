// Decodes configurations of API servers as the server does. Messages use the words of Gardener's webhooks.
//
//   configurationFault(auditPolicy, '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: Foo }] }')
//   // 'provided invalid audit policy: [rules[0].level: Unsupported value: "Foo": supported values: "None", …]'
import { type Misfit, pathText, shapeMisfit } from '../../api/fit.ts'
import type { JsonSchema, Schema } from '../../api/schema.ts'
import { canonicalJson, isMap, isText, type JsonMap } from '../json/json.ts'
import type { FieldError } from '../objects/field-error.ts'
import { excerpt } from '../text/text.ts'
import { readYamlNoting, YamlError } from '../yaml/read.ts'

export type ConfigurationFile<Value> = {
  /** The name of the configuration in messages. */
  readonly purpose: string
  /** The kind for each apiVersion. If the record is empty, apiVersion and kind are not checked. */
  readonly kinds: Readonly<Record<string, string>>
  readonly shape: Schema<Value>
  /** If true, the server does not start with unknown or repeated fields. */
  readonly isStrict?: boolean
  readonly fault: (value: Value) => string | undefined
}

export const kindIn = (kind: string, apiVersions: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(apiVersions.map(version => [version, kind]))

/** The reason why an API server would not start with the text; undefined when the server would start. */
export const configurationFault = <Value>(file: ConfigurationFile<Value>, text: string): string | undefined => {
  const decoded = decodedConfiguration(file, text)
  return 'fault' in decoded ? undecodable(file, decoded.fault) : file.fault(decoded.value as Value)
}

/** Like `configurationFault`, for a decoded configuration. */
export const valueFault = <Value>(file: ConfigurationFile<Value>, value: unknown): string | undefined => {
  const fault = decodingFault(file, value)
  return fault === undefined ? file.fault(withoutNulls(value) as Value) : undecodable(file, fault)
}

const undecodable = ({ purpose }: Form, fault: string): string => `failed to decode the provided ${purpose}: ${fault}`

/** Joins errors into one sentence; undefined without errors. `…` at the end stands for further errors. */
export const invalidConfiguration = (purpose: string, errors: readonly FieldError[]): string | undefined => {
  if (errors.length === 0) return undefined
  const sentences = errors.slice(0, mostErrors).map(sentence)
  return `provided invalid ${purpose}: [${sentences.join(' ')}${errors.length > mostErrors ? ' …' : ''}]`
}

/** Limits messages, because they go into statuses and Events. A ConfigMap of 1 MiB can have thousands of errors. */
const mostErrors = 20

/** The indices of items that occur earlier in the list. Ignores undefined items. */
export const repeatedItems = (items: readonly (string | undefined)[]): ReadonlySet<number> => {
  const seen = new Set<string>()
  const isRepeated = (item: string | undefined): boolean => {
    const before = seen.size
    return item !== undefined && seen.add(item).size === before
  }
  return new Set(items.flatMap((item, at) => (isRepeated(item) ? [at] : [])))
}

const sentence = ({ field, message }: FieldError): string => `${field}: ${message}`

type Form = Omit<ConfigurationFile<unknown>, 'fault'>
type Decoded = { readonly value: unknown } | { readonly fault: string }

const decodedConfiguration = (file: Form, text: string): Decoded => {
  const repeated: string[] = []
  try {
    const value = readYamlNoting(key => repeated.push(key), text)
    const fault = decodingFault(file, value) ?? (file.isStrict ? repeatedFault(repeated) : undefined)
    return fault === undefined ? { value: withoutNulls(value) } : { fault }
  } catch (error) {
    if (error instanceof YamlError) return { fault: `yaml: ${error.message}` }
    throw error
  }
}

const decodingFault = (file: Form, value: unknown): string | undefined => {
  if (!isMap(value)) return 'it is not a YAML map'
  if (Object.keys(file.kinds).length === 0) return shapeFault(file, value)
  const missing = ['Kind', 'apiVersion'].find(field => !isText(value[field === 'Kind' ? 'kind' : field]))
  if (missing !== undefined) return `Object '${missing}' is missing in '${excerpt(200, canonicalJson(value))}'`
  return new Map<unknown, string>(Object.entries(file.kinds)).get(value.apiVersion) === value.kind
    ? shapeFault(file, value)
    : `no kind "${value.kind}" is registered for version "${value.apiVersion}"`
}

const shapeFault = ({ shape, isStrict }: Form, value: JsonMap): string | undefined => {
  const whole = { ...shape, properties: { apiVersion: text, kind: text, ...shape.properties } }
  const found = shapeMisfit(isStrict ? closed(whole) : whole, withoutNulls(value))
  return found && misfitText(found)
}

const text: JsonSchema = { type: 'string' }

const closed = (schema: JsonSchema): object => ({
  ...schema,
  ...(schema.properties && {
    properties: Object.fromEntries(Object.entries(schema.properties).map(([field, inner]) => [field, closed(inner)])),
    additionalProperties: false,
  }),
  ...(schema.items && { items: closed(schema.items) }),
})

const misfitText = ({ path, schema, field }: Misfit): string =>
  field === undefined
    ? `${pathText(path)}: must be of type ${schema.type}`
    : `strict decoding error: unknown field "${pathText([...path, field])}"`

const repeatedFault = ([key]: readonly string[]): string | undefined =>
  key === undefined ? undefined : `strict decoding error: key "${key}" already set in map`

/** Removes fields with the value null at any depth, because Kubernetes treats null as absent. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const fields = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(fields.map(([field, inner]) => [field, withoutNulls(inner)]))
}
