// Reads protobuf messages of built-in kinds as JSON, by the field numbers in the schemas. The numbers come from Go's struct tags. Types
// with very different JSON have a row in `special`.
import { keptOrMade } from '../core/memory/remembered.ts'
import { definition, schemaNameOf } from './kinds/builtin.ts'
import type { Schema } from './kinds/kind.ts'
import { badRequest } from './status.ts'
import { type JsonMap, put } from './value.ts'

type Wire = bigint | Buffer

/** Fields by number. `inline` is a message whose fields JSON shows one level higher. */
type Plan = Map<number, { name: string; schema: Schema } | { inline: Plan }>

const plans = new Map<string, Plan>()

const planOf = (name: string): Plan =>
  keptOrMade(plans, name, () => {
    const plan: Plan = new Map()
    for (const [field, schema] of Object.entries(definition(name).properties ?? {}))
      if (schema['x-proto']) addField(plan, schema['x-proto'].split('.').map(Number), { name: field, schema })
    return plan
  })

const addField = (plan: Plan, [number = 0, ...rest]: number[], field: { name: string; schema: Schema }): void => {
  if (rest.length === 0) {
    plan.set(number, field)
    return
  }
  const found = plan.get(number)
  const inline: Plan = found && 'inline' in found ? found.inline : new Map()
  plan.set(number, { inline })
  addField(inline, rest, field)
}

const messageOf = (bytes: Buffer, name: string): JsonMap => {
  const fields: JsonMap = {}
  readInto(fields, bytes, planOf(name))
  return fields
}

const readInto = (fields: JsonMap, bytes: Buffer, plan: Plan): void => {
  for (const { number, value } of wireFields(bytes)) {
    const field = plan.get(number)
    if (!field) continue
    if ('inline' in field) readInto(fields, bytesOf(value), field.inline)
    else put(fields, field.name, withOneMore(fields[field.name], value, field.schema))
  }
}

/** Adds one element: repeated fields and maps arrive one element at a time. */
const withOneMore = (before: unknown, value: Wire, schema: Schema): unknown => {
  if (schema.type === 'array') return [...((before as unknown[]) ?? []), valueAs(value, schema.items ?? {})]
  if (typeof schema.additionalProperties !== 'object') return valueAs(value, schema)
  const entry = wireFields(bytesOf(value))
  const map = { ...(before as JsonMap) }
  put(map, textIn(entry, 1), entryValue(entry.find(({ number }) => number === 2)?.value, schema.additionalProperties))
  return map
}

/** If the value of a map entry is a list, the list is wrapped in a message. */
const entryValue = (value: Wire | undefined, schema: Schema): unknown => {
  if (schema.type !== 'array') return valueAs(value ?? empty, schema)
  return wireFields(bytesOf(value)).map(item => valueAs(item.value, schema.items ?? {}))
}

const valueAs = (value: Wire, schema: Schema): unknown => {
  if (schema.$ref) return referenced(bytesOf(value), schema.$ref)
  if (schema.type === 'boolean') return integer(value) !== 0
  if (schema.type === 'integer') return integer(value)
  if (schema.type === 'number') return double(value)
  return bytesOf(value).toString(schema.format === 'byte' ? 'base64' : 'utf8')
}

const empty = Buffer.alloc(0)

const bytesOf = (value: Wire | undefined): Buffer => (Buffer.isBuffer(value) ? value : empty)
const integer = (value: Wire | undefined): number => (typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0)

const double = (value: Wire): number => {
  const bits = Buffer.alloc(8)
  bits.writeBigUInt64LE(typeof value === 'bigint' ? value : 0n)
  return bits.readDoubleLE()
}

const last = (fields: WireField[], number: number): Wire | undefined =>
  fields.findLast(field => field.number === number)?.value
const bytesIn = (fields: WireField[], number: number): Buffer => bytesOf(last(fields, number))
const textIn = (fields: WireField[], number: number): string => bytesIn(fields, number).toString()

/** The zero time is an empty message in protobuf and null in JSON. */
const timeWith =
  (fractionDigits: number) =>
  (fields: WireField[]): unknown => {
    if (fields.length === 0) return null
    const whole = new Date(integer(last(fields, 1)) * 1000).toISOString().slice(0, 19)
    const fraction = String(integer(last(fields, 2)))
      .padStart(9, '0')
      .slice(0, fractionDigits)
    return `${whole}${fraction && `.${fraction}`}Z`
  }

const rawJson = (fields: WireField[]): unknown => {
  const text = textIn(fields, 1)
  return text === '' ? null : (JSON.parse(text) as unknown)
}

const schemaProps = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps'

const schemaOr =
  (at: number, otherwise: (fields: WireField[]) => unknown) =>
  (fields: WireField[]): unknown => {
    const schema = last(fields, at)
    return schema === undefined ? otherwise(fields) : messageOf(bytesOf(schema), schemaProps)
  }

const all = <T>(fields: WireField[], number: number, read: (bytes: Buffer) => T): T[] =>
  fields.filter(field => field.number === number).map(field => read(bytesOf(field.value)))

const special: Readonly<Record<string, (fields: WireField[]) => unknown>> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': timeWith(0),
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': timeWith(6),
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': rawJson,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': fields => textIn(fields, 1),
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': fields =>
    integer(last(fields, 1)) === 0 ? integer(last(fields, 2)) : textIn(fields, 3),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': rawJson,
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON': rawJson,
  [`${schemaProps}OrBool`]: schemaOr(2, fields => integer(last(fields, 1)) !== 0),
  [`${schemaProps}OrArray`]: schemaOr(1, fields => all(fields, 2, bytes => messageOf(bytes, schemaProps))),
  [`${schemaProps}OrStringArray`]: schemaOr(1, fields => all(fields, 2, String)),
}

const referenced = (bytes: Buffer, name: string): unknown => {
  const read = Object.hasOwn(special, name) ? special[name] : undefined
  return read ? read(wireFields(bytes)) : messageOf(bytes, name)
}

export const protobufType = 'application/vnd.kubernetes.protobuf'

const magic = Buffer.from('k8s\0')

/** Throws a 400 for a body that is not a built-in object. */
export const protobufAsJson = (body: Buffer): string => {
  if (!body.subarray(0, magic.length).equals(magic))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]')
  const envelope = wireFields(body.subarray(magic.length))
  const type = wireFields(bytesIn(envelope, 1))
  const apiVersion = textIn(type, 1)
  const kind = textIn(type, 2)
  const schema = schemaNameOf(apiVersion, kind)
  if (!schema)
    throw badRequest(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`)
  return JSON.stringify({ apiVersion, kind, ...messageOf(bytesIn(envelope, 2), schema) })
}

/** `value` is a number for varints and fixed sizes, bytes for all other wire types. */
type WireField = { readonly number: number; readonly value: Wire }

const varint = 0
const fixed64 = 1
const lengthDelimited = 2
const fixed32 = 5

const wireFields = (bytes: Buffer): WireField[] => {
  const fields: WireField[] = []
  const cursor = { bytes, offset: 0 }
  while (cursor.offset < bytes.length) {
    const key = Number(readVarint(cursor))
    fields.push({ number: key >>> 3, value: readValue(cursor, key & 7) })
  }
  return fields
}

type Cursor = { readonly bytes: Buffer; offset: number }

const readValue = (cursor: Cursor, wireType: number): Wire => {
  if (wireType === varint) return readVarint(cursor)
  if (wireType === lengthDelimited) return readBytes(cursor, Number(readVarint(cursor)))
  if (wireType === fixed64) return readBytes(cursor, 8).readBigUInt64LE()
  if (wireType === fixed32) return BigInt(readBytes(cursor, 4).readUInt32LE())
  throw badRequest(`proto: illegal wireType ${wireType}`)
}

const longestVarint = 10

const readVarint = (cursor: Cursor): bigint => {
  let result = 0n
  for (let index = 0; index < longestVarint; index++) {
    const byte = cursor.bytes[cursor.offset++]
    if (byte === undefined) throw badRequest('unexpected EOF')
    result |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return BigInt.asUintN(64, result)
  }
  throw badRequest('proto: integer overflow')
}

const readBytes = (cursor: Cursor, length: number): Buffer => {
  const end = cursor.offset + length
  if (end > cursor.bytes.length) throw badRequest('unexpected EOF')
  const part = cursor.bytes.subarray(cursor.offset, end)
  cursor.offset = end
  return part
}
