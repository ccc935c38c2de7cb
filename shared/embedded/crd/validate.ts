// Checks a value against a structural schema and words the faults as the API server does. Values that an update
// leaves unchanged are not checked again, so that a stricter schema does not lock existing objects.
import { invalidValue, required, unsupported } from '../faults.ts'
import type { Schema } from '../kinds/schema.ts'
import type { FieldFault } from '../status.ts'
import { isMap, type JsonMap, own, sameJson } from '../value.ts'
import { propertyOf } from './defaults.ts'
import { fitsFormat, isFound } from './formats.ts'

/** Faults of a value; `before` is what stood in its place. */
export const schemaFaults = (value: unknown, schema: Schema, path: string, before?: unknown): FieldFault[] => {
  if (before !== undefined && sameJson(value, before)) return []
  if (value === null) return nullFaults(schema, path)
  const wrongType = typeFault(value, schema, path)
  if (wrongType) return [wrongType, ...fractionFaults(value, schema, path)]
  return [
    ...enumFaults(value, schema, path),
    ...shapeFaults(value, schema, path, before),
    ...junctorFaults(value, schema, path),
  ]
}

/** Checks of one field's value; its place in the answer is below `prefix`, e.g. status. */
export const faultsBelow = (prefix: string, value: unknown, schema: Schema, before?: unknown): FieldFault[] =>
  schemaFaults(value, schema, '', before).map(fault =>
    fault.field === '<nil>' ? fault : { ...fault, field: fault.field ? `${prefix}.${fault.field}` : prefix },
  )

const shapeFaults = (value: unknown, schema: Schema, path: string, before: unknown): FieldFault[] => {
  if (typeof value === 'string') return textFaults(value, schema, path)
  if (typeof value === 'number') return numberFaults(value, schema, path)
  if (Array.isArray(value)) return listFaults(value, schema, path, before)
  return isMap(value) ? fieldsFaults(value, schema, path, before) : []
}

const nullFaults = (schema: Schema, path: string): FieldFault[] =>
  schema.nullable || !schema.type ? [] : [typeInvalid(path, wantedType(schema), 'null')]

const jsonType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

const wantedType = (schema: Schema): string =>
  schema['x-kubernetes-int-or-string'] ? 'integer,string' : (schema.type ?? '')

const typeFault = (value: unknown, schema: Schema, path: string): FieldFault | undefined => {
  const wanted = wantedType(schema)
  const found = jsonType(value)
  if (wanted === '' || wanted.split(',').includes(found) || (wanted === 'number' && found === 'integer'))
    return undefined
  return typeInvalid(path, wanted, found)
}

/** A fraction in an integer's place is found twice by the API server's validation. */
const fractionFaults = (value: unknown, schema: Schema, path: string): FieldFault[] =>
  typeof value === 'number' && schema.type === 'integer'
    ? [
        invalidValue(
          '<nil>',
          '',
          `Checked value must be of type integer (${schema.format ? `${schema.format} format` : 'default format'}) in ${path}`,
        ),
      ]
    : []

const named = (path: string): string => (path ? `${path} in body` : 'in body')

const typeInvalid = (path: string, wanted: string, found: string): FieldFault => ({
  ...invalidValue(path || '<nil>', found, `${named(path)} must be of type ${wanted}: "${found}"`),
  reason: 'FieldValueTypeInvalid',
})

const enumFaults = (value: unknown, schema: Schema, path: string): FieldFault[] =>
  schema.enum && !schema.enum.some(allowed => sameJson(allowed, value))
    ? [
        unsupported(
          path,
          value,
          schema.enum.map(each => (typeof each === 'string' ? each : JSON.stringify(each))),
        ),
      ]
    : []

/** A pattern that is none lets nothing through. */
const matches = (pattern: string, text: string): boolean => {
  try {
    return isFound(pattern, text)
  } catch {
    return false
  }
}

/** The first thing that is wrong with the text, and its format. */
const textFaults = (text: string, schema: Schema, path: string): FieldFault[] => {
  const length = [...text].length
  const { maxLength, minLength, pattern, format } = schema
  const faults = [
    ...(maxLength !== undefined && length > maxLength ? [tooLong(path, maxLength)] : []),
    ...(minLength !== undefined && length < minLength
      ? [invalidValue(path, text, `${named(path)} should be at least ${minLength} chars long`)]
      : []),
    ...(pattern && !matches(pattern, text)
      ? [invalidValue(path, text, `${named(path)} should match '${pattern}'`)]
      : []),
  ]
  return [
    ...faults.slice(0, 1),
    ...(format && !fitsFormat(format, text)
      ? [
          {
            ...invalidValue(path, text, `${named(path)} must be of type ${format}: ${JSON.stringify(text)}`),
            reason: 'FieldValueTypeInvalid',
          },
        ]
      : []),
  ]
}

const tooLong = (path: string, most: number): FieldFault => ({
  reason: 'FieldValueTooLong',
  field: path,
  detail: `Too long: may not be more than ${most} bytes`,
})

const tooMany = (path: string, count: number, most: number): FieldFault => ({
  reason: 'FieldValueTooMany',
  field: path,
  detail: `Too many: ${count}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
})

const wholeNumbers: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

/** A whole number beyond its format. */
const rangeFaults = (value: number, { type, format = '' }: Schema, path: string): FieldFault[] => {
  const limit = wholeNumbers[format]
  const isWithin = type !== 'integer' || limit === undefined || (value >= -limit && value < limit)
  return isWithin
    ? []
    : [invalidValue('<nil>', '', `Checked value must be of type integer with format ${format} in ${path}`)]
}

const numberFaults = (value: number, schema: Schema, path: string): FieldFault[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isBelow = minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)
  const isAbove = maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)
  const isOff = multipleOf !== undefined && !Number.isInteger(value / multipleOf)
  const say = (why: string) => invalidValue(path, value, `${named(path)} ${why}`)
  return [
    ...rangeFaults(value, schema, path),
    ...(isAbove ? [say(`should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)] : []),
    ...(isBelow ? [say(`should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)] : []),
    ...(isOff ? [say(`should be a multiple of ${multipleOf}`)] : []),
  ]
}

const listFaults = (list: unknown[], schema: Schema, path: string, before: unknown): FieldFault[] => {
  const { minItems, maxItems, items } = schema
  const old = Array.isArray(before) ? before : []
  return [
    ...(minItems !== undefined && list.length < minItems
      ? [invalidValue(path, list.length, `${named(path)} should have at least ${minItems} items`)]
      : []),
    ...(maxItems !== undefined && list.length > maxItems ? [tooMany(path, list.length, maxItems)] : []),
    ...list.flatMap((item, index) =>
      items ? schemaFaults(item, items, `${path}[${index}]`, counterpart(item, old, schema)) : [],
    ),
    ...repeatedFaults(list, schema, path),
  ]
}

/** The old element that is the same one by its keys: only lists of type map have such a thing. */
const counterpart = (item: unknown, old: unknown[], schema: Schema): unknown => {
  const keys = schema['x-kubernetes-list-map-keys']
  if (!keys || !isMap(item)) return undefined
  return old.find(other => isMap(other) && keys.every(key => sameJson(own(item, key), own(other, key))))
}

/** Lists of type set and map hold nothing twice. */
const repeatedFaults = (list: unknown[], schema: Schema, path: string): FieldFault[] => {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return []
  const seen = new Set<string>()
  return list.flatMap((item, index) => {
    const identity = type === 'set' ? item : keysOf(item, schema['x-kubernetes-list-map-keys'] ?? [])
    const text = JSON.stringify(identity)
    const fault = seen.has(text)
    seen.add(text)
    return fault
      ? [{ reason: 'FieldValueDuplicate', field: `${path}[${index}]`, detail: `Duplicate value: ${text}` }]
      : []
  })
}

const keysOf = (item: unknown, keys: readonly string[]): JsonMap =>
  Object.fromEntries(
    keys.toSorted().flatMap(key => (isMap(item) && own(item, key) !== undefined ? [[key, own(item, key)]] : [])),
  )

const fieldsFaults = (fields: JsonMap, schema: Schema, path: string, before: unknown): FieldFault[] => {
  const old = isMap(before) ? before : undefined
  const count = Object.keys(fields).length
  const child = (key: string) => (path ? `${path}.${key}` : key)
  const missing = (schema.required ?? []).filter(key => !Object.hasOwn(fields, key))
  const { minProperties, maxProperties } = schema
  return [
    ...(minProperties !== undefined && count < minProperties
      ? [invalidValue(path, count, `${named(path)} should have at least ${minProperties} properties`)]
      : []),
    ...(maxProperties !== undefined && count > maxProperties ? [tooMany(path, count, maxProperties)] : []),
    ...missing.map(key => required(child(key))),
    ...Object.entries(fields).flatMap(([key, value]) => {
      const inner =
        propertyOf(schema, key) ??
        (isMap(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined)
      return inner ? schemaFaults(value, inner, child(key), own(old, key)) : []
    }),
  ]
}

const junctor = (path: string, why: string): FieldFault => invalidValue('<nil>', '', `"${path}" ${why}`)

/** If all alternatives fail: the faults of the one with the fewest, the first of several. */
const nearest = (value: unknown, alternatives: readonly Schema[], path: string): FieldFault[] =>
  alternatives
    .map(alternative => schemaFaults(value, alternative, path))
    .reduce((best, faults) => (faults.length < best.length ? faults : best))

const junctorFaults = (value: unknown, schema: Schema, path: string): FieldFault[] => {
  const fits = (part: Schema) => schemaFaults(value, part, path).length === 0
  const oneOf = schema.oneOf?.filter(fits).length
  return [
    ...(schema.anyOf && !schema['x-kubernetes-int-or-string'] && !schema.anyOf.some(fits)
      ? [junctor(path, 'must validate at least one schema (anyOf)'), ...nearest(value, schema.anyOf, path)]
      : []),
    ...(oneOf !== undefined && oneOf !== 1
      ? [
          junctor(
            path,
            `must validate one and only one schema (oneOf). ${oneOf ? `Found ${oneOf} valid alternatives` : 'Found none valid'}`,
          ),
          ...(oneOf ? [] : nearest(value, schema.oneOf ?? [], path)),
        ]
      : []),
    ...(schema.allOf?.flatMap(part => schemaFaults(value, part, path)) ?? []),
    ...(schema.not && fits(schema.not) ? [junctor(path, 'must not validate the schema (not)')] : []),
  ]
}
