// Decodes the JSON of a request as Go's decoder and encoder would: unknown fields are dropped and reported, wrong types are refused. Empty
// fields are omitted or written according to their type. Defaults of OpenAPI are set. Decoders are compiled once per schema and return new
// records, so defaults may be added to the records in place.
import { canonicalQuantity } from '../../core/objects/quantity.ts'
import { isMap, type JsonMap, mapOrEmpty, put } from '../value.ts'
import { definition } from './builtin.ts'
import { base64Fault, canonicalTime, timeFault } from './formats.ts'
import type { Schema } from './kind.ts'

export class DecodeError extends Error {}

type Decoding = { path: string; readonly unknown: string[] }

type Decoder = (value: unknown, owner: string, decoding: Decoding) => unknown

const machinery = 'io.k8s.apimachinery.pkg.'
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.'

/** `unknown` receives the paths of fields that the type does not have. */
export const decodeAs = (schemaName: string, value: unknown, unknown: string[]): JsonMap => {
  const decoded = decoderOf({ $ref: schemaName })(value, '', { path: '', unknown })
  return mapOrEmpty(decoded)
}

const compiled = new Map<string, Decoder>()

const decoderOf = (schema: Schema): Decoder => {
  if (schema.$ref) return namedDecoder(schema.$ref)
  if (schema.additionalProperties && typeof schema.additionalProperties === 'object')
    return mapDecoder(schema.additionalProperties)
  if (schema.items) return listDecoder(schema.items)
  return scalars[schema.format === 'byte' ? 'byte' : (schema.type ?? '')]?.(schema) ?? keep
}

const namedDecoder = (name: string): Decoder => {
  const known = compiled.get(name)
  if (known) return known
  // Recursive types (JSONSchemaProps) refer to themselves, so the decoder is registered before it is compiled.
  let inner: Decoder = keep
  const decoder: Decoder = (value, owner, decoding) => inner(value, owner, decoding)
  compiled.set(name, decoder)
  const schema = definition(name)
  inner = special[name] ?? (schema.properties ? structDecoder(name, schema.properties) : decoderOf(schema))
  compiled.set(name, inner)
  return inner
}

const keep: Decoder = value => value

type FieldPlan = {
  name: string
  schema: Schema
  decode: Decoder
  isStruct: boolean
  absent: unknown
  isDefaulted: boolean
}

const structDecoder = (name: string, properties: Readonly<Record<string, Schema>>): Decoder => {
  const typeName = name.split('.').at(-1) ?? name
  const plans = Object.entries(properties).map(([name, schema]) => fieldPlan(name, schema))
  const known = new Map(plans.map(plan => [plan.name, plan]))
  const filled = plans.filter(plan => plan.isDefaulted || plan.absent !== undefined)
  return (value, owner, decoding) => {
    if (!isMap(value)) throw mismatch(value, owner, decoding, shortType(name))
    const result: JsonMap = {}
    const { path } = decoding
    for (const name of Object.keys(value)) {
      const plan = known.get(name)
      decoding.path = path ? `${path}.${name}` : name
      if (plan) readField(result, plan, value[name], typeName, decoding)
      else decoding.unknown.push(decoding.path)
    }
    for (const plan of filled) if (result[plan.name] === undefined) fillField(result, plan, typeName, decoding)
    decoding.path = path
    return result
  }
}

const readField = (result: JsonMap, plan: FieldPlan, value: unknown, typeName: string, decoding: Decoding): void => {
  if (value === null) return
  const decoded = plan.decode(value, typeName, decoding)
  if (!isLeftOut(plan, decoded)) result[plan.name] = decoded
}

const fillField = (result: JsonMap, plan: FieldPlan, typeName: string, decoding: Decoding): void => {
  if (!plan.isDefaulted) {
    result[plan.name] = plan.absent
    return
  }
  const decoded = plan.isStruct ? plan.decode(plan.schema.default, typeName, decoding) : plan.schema.default
  if (!isLeftOut(plan, decoded)) result[plan.name] = decoded
}

const isLeftOut = ({ schema, isStruct }: FieldPlan, value: unknown): boolean => {
  const tag = schema['x-go']
  if (tag === 'zero') return isEmpty(value)
  return tag === 'empty' && !isStruct && isEmpty(value)
}

const isEmpty = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.length === 0
  if (isMap(value)) return Object.keys(value).length === 0
  return value === '' || value === 0 || value === false || value === null
}

const isTime = (schema: Schema): boolean => /\.(Micro)?Time$/.test(schema.$ref ?? '')

const fieldPlan = (name: string, schema: Schema): FieldPlan => {
  const tag = schema['x-go']
  const target = schema.$ref ? definition(schema.$ref) : schema
  const isWritten = tag === 'always' || (tag === 'empty' && isTime(schema))
  return {
    name,
    schema,
    decode: decoderOf(schema),
    isStruct: schema.$ref !== undefined && target.properties !== undefined,
    absent: isWritten ? null : undefined,
    isDefaulted: schema.default !== undefined && tag !== 'pointer',
  }
}

const mapDecoder = (values: Schema): Decoder => {
  const decode = decoderOf(values)
  const typeName = `map[string]${goType(values)}`
  // For a plain value of a map, Go's messages contain the field of the map.
  const isPlain = values.type !== undefined && goNames[values.type] !== undefined
  return (value, owner, decoding) => {
    if (!isMap(value)) throw mismatch(value, owner, decoding, typeName)
    const result: JsonMap = {}
    const { path } = decoding
    for (const [key, item] of Object.entries(value)) {
      if (!isPlain) decoding.path = `${path}.${key}`
      put(result, key, item === null ? values.default : decode(item, owner, decoding))
    }
    decoding.path = path
    return result
  }
}

const listDecoder = (items: Schema): Decoder => {
  const decode = decoderOf(items)
  const typeName = `[]${goType(items)}`
  return (value, owner, decoding) => {
    if (!Array.isArray(value)) throw mismatch(value, owner, decoding, typeName)
    const { path } = decoding
    const result = value.map((item: unknown, index) => {
      decoding.path = `${path}[${index}]`
      return decode(item ?? items.default, owner, decoding)
    })
    decoding.path = path
    return result
  }
}

const goNames: Record<string, string> = { string: 'string', boolean: 'bool', number: 'float64' }

const goType = (schema: Schema): string => {
  if (schema.$ref) return shortType(schema.$ref)
  if (schema.type === 'integer') return schema.format ?? 'int64'
  return goNames[schema.type ?? ''] ?? 'interface {}'
}

const shortType = (name: string): string => name.split('.').slice(-2).join('.')

const typed =
  (fits: (value: unknown) => boolean) =>
  (schema: Schema): Decoder => {
    const type = goType(schema)
    return (value, owner, decoding) => {
      if (!fits(value)) throw mismatch(value, owner, decoding, type)
      return value
    }
  }

const bytes: Decoder = (value, owner, decoding) => {
  if (typeof value !== 'string') throw mismatch(value, owner, decoding, '[]uint8')
  const text = value.replace(/[\r\n]/g, '')
  const fault = base64Fault(text)
  if (fault) throw new DecodeError(fault)
  return text
}

const scalars: Record<string, (schema: Schema) => Decoder> = {
  string: typed(value => typeof value === 'string'),
  boolean: typed(value => typeof value === 'boolean'),
  integer: typed(Number.isInteger),
  number: typed(value => typeof value === 'number'),
  byte: () => bytes,
}

const timeAs =
  (fractionDigits: number): Decoder =>
  (value, owner, decoding) => {
    if (typeof value !== 'string') throw mismatch(value, owner, decoding, 'string')
    if (value === '') return null
    const canonical = canonicalTime(value, fractionDigits)
    if (canonical === undefined) throw new DecodeError(timeFault(value, fractionDigits))
    return canonical
  }

const quantity: Decoder = (value, owner, decoding) => {
  if (typeof value !== 'string' && typeof value !== 'number')
    throw mismatch(value, owner, decoding, 'resource.Quantity')
  const canonical = canonicalQuantity(String(value))
  if (canonical === undefined)
    throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")
  return canonical
}

const intOrString: Decoder = (value, owner, decoding) => {
  if (typeof value !== 'string' && !Number.isInteger(value))
    throw mismatch(value, owner, decoding, 'intstr.IntOrString')
  return value
}

const jsonSchema: Decoder = (value, owner, decoding) =>
  namedDecoder(`${extensions}JSONSchemaProps`)(value, owner, decoding)
const schemaIf =
  (test: (value: unknown) => boolean): Decoder =>
  (value, owner, decoding) =>
    test(value) ? jsonSchema(value, owner, decoding) : value

const special: Record<string, Decoder> = {
  [`${machinery}apis.meta.v1.Time`]: timeAs(0),
  [`${machinery}apis.meta.v1.MicroTime`]: timeAs(6),
  [`${machinery}api.resource.Quantity`]: quantity,
  [`${machinery}util.intstr.IntOrString`]: intOrString,
  [`${machinery}runtime.RawExtension`]: keep,
  [`${machinery}apis.meta.v1.FieldsV1`]: keep,
  [`${extensions}JSON`]: keep,
  [`${extensions}JSONSchemaPropsOrArray`]: schemaIf(isMap),
  [`${extensions}JSONSchemaPropsOrBool`]: schemaIf(isMap),
}

const jsonKind = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`
  return typeof value === 'boolean' ? 'bool' : typeof value
}

const mismatch = (value: unknown, owner: string, decoding: Decoding, type: string): DecodeError => {
  const path = decoding.path.replace(/\[\d+\]/g, '')
  const place = owner ? `Go struct field ${owner}.${path}` : 'Go value'
  return new DecodeError(`json: cannot unmarshal ${jsonKind(value)} into ${place} of type ${type}`)
}
