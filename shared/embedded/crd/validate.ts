// Checks a value against a structural schema, with the API server's messages. Values that an update leaves unchanged are not checked again, so that a
// stricter schema does not block updates of existing objects.
import { fitsFormat, isFound } from '../kinds/formats.ts'
import { memberOf, type Schema } from '../kinds/kind.ts'
import { type FieldFault, faultsIn, invalidValue, required, tooLong, unsupported } from '../status.ts'
import { isMap, type JsonMap, own, sameJson } from '../value.ts'

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

/** Faults of a fraction where an integer is expected. Like the API server, reports the fraction twice. */
const fractionFaults = (value: unknown, { type, format = 'default' }: Schema, path: string): FieldFault[] => {
  const why = `Checked value must be of type integer (${format} format) in ${path}`
  return typeof value === 'number' && type === 'integer' ? [invalidValue('<nil>', '', why)] : []
}

const named = (path: string): string => (path ? `${path} in body` : 'in body')

const typeInvalid = (path: string, wanted: string, found: string): FieldFault => ({
  ...invalidValue(path || '<nil>', found, `${named(path)} must be of type ${wanted}: "${found}"`),
  reason: 'FieldValueTypeInvalid',
})

const enumFaults = (value: unknown, { enum: allowed }: Schema, path: string): FieldFault[] => {
  if (!allowed || allowed.some(each => sameJson(each, value))) return []
  const texts = allowed.map(each => (typeof each === 'string' ? each : JSON.stringify(each)))
  return [unsupported(path, value, texts)]
}

/** An invalid pattern matches no text. */
const matches = (pattern: string, text: string): boolean => {
  try {
    return isFound(pattern, text)
  } catch {
    return false
  }
}

/** The first fault of the text itself, and the fault of its format. */
const textFaults = (text: string, schema: Schema, path: string): FieldFault[] => {
  const length = [...text].length
  const { maxLength = length, minLength = 0, pattern = '', format = '' } = schema
  const invalid = (why: string) => invalidValue(path, text, `${named(path)} ${why}`)
  const faults = faultsIn(
    length > maxLength && tooLong(path, maxLength),
    length < minLength && invalid(`should be at least ${minLength} chars long`),
    pattern !== '' && !matches(pattern, text) && invalid(`should match '${pattern}'`),
  )
  if (format === '' || fitsFormat(format, text)) return faults.slice(0, 1)
  const mistyped = invalid(`must be of type ${format}: ${JSON.stringify(text)}`)
  return [...faults.slice(0, 1), { ...mistyped, reason: 'FieldValueTypeInvalid' }]
}

const tooMany = (path: string, count: number, most: number): FieldFault => ({
  reason: 'FieldValueTooMany',
  field: path,
  detail: `Too many: ${count}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
})

const wholeNumbers: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

const rangeFaults = (value: number, { type, format = '' }: Schema, path: string): FieldFault[] => {
  const limit = wholeNumbers[format]
  if (type !== 'integer' || limit === undefined || (value >= -limit && value < limit)) return []
  return [invalidValue('<nil>', '', `Checked value must be of type integer with format ${format} in ${path}`)]
}

const numberFaults = (value: number, schema: Schema, path: string): FieldFault[] => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isBelow = minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)
  const isAbove = maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)
  const isOff = multipleOf !== undefined && !Number.isInteger(value / multipleOf)
  const invalid = (why: string) => invalidValue(path, value, `${named(path)} should be ${why}`)
  return faultsIn(
    rangeFaults(value, schema, path),
    isAbove && invalid(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`),
    isBelow && invalid(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`),
    isOff && invalid(`a multiple of ${multipleOf}`),
  )
}

const countFaults = (path: string, count: number, least = 0, most = count, what: string): FieldFault[] =>
  faultsIn(
    count < least && invalidValue(path, count, `${named(path)} should have at least ${least} ${what}`),
    count > most && tooMany(path, count, most),
  )

const listFaults = (list: unknown[], schema: Schema, path: string, before: unknown): FieldFault[] => {
  const { items } = schema
  const old = Array.isArray(before) ? before : []
  return faultsIn(
    countFaults(path, list.length, schema.minItems, schema.maxItems, 'items'),
    list.flatMap((item, index) =>
      items ? schemaFaults(item, items, `${path}[${index}]`, counterpart(item, old, schema)) : [],
    ),
    repeatedFaults(list, schema, path),
  )
}

/** The old element with the same keys. Only lists of type map have keys. */
const counterpart = (item: unknown, old: unknown[], schema: Schema): unknown => {
  const keys = schema['x-kubernetes-list-map-keys']
  if (!keys || !isMap(item)) return undefined
  return old.find(other => isMap(other) && keys.every(key => sameJson(own(item, key), own(other, key))))
}

/** Lists of type set or map may not contain an element twice. */
const repeatedFaults = (list: unknown[], schema: Schema, path: string): FieldFault[] => {
  const type = schema['x-kubernetes-list-type']
  if (type !== 'set' && type !== 'map') return []
  const seen = new Set<string>()
  return list.flatMap((item, index) => {
    const identity = type === 'set' ? item : keysOf(item, schema['x-kubernetes-list-map-keys'] ?? [])
    const text = JSON.stringify(identity)
    if (seen.has(text))
      return [{ reason: 'FieldValueDuplicate', field: `${path}[${index}]`, detail: `Duplicate value: ${text}` }]
    seen.add(text)
    return []
  })
}

const keysOf = (item: unknown, keys: readonly string[]): JsonMap =>
  Object.fromEntries(
    keys.toSorted().flatMap(key => (isMap(item) && own(item, key) !== undefined ? [[key, own(item, key)]] : [])),
  )

const fieldsFaults = (fields: JsonMap, schema: Schema, path: string, before: unknown): FieldFault[] => {
  const old = isMap(before) ? before : undefined
  const child = (key: string) => (path ? `${path}.${key}` : key)
  const missing = (schema.required ?? []).filter(key => !Object.hasOwn(fields, key))
  return faultsIn(
    countFaults(path, Object.keys(fields).length, schema.minProperties, schema.maxProperties, 'properties'),
    missing.map(key => required(child(key))),
    Object.entries(fields).flatMap(([key, value]) => {
      const inner = memberOf(schema, key)
      return inner ? schemaFaults(value, inner, child(key), own(old, key)) : []
    }),
  )
}

const junctor = (path: string, why: string): FieldFault => invalidValue('<nil>', '', `"${path}" ${why}`)

/** If all alternatives fail: the faults of the first alternative with the fewest faults. */
const nearest = (value: unknown, alternatives: readonly Schema[], path: string): FieldFault[] =>
  alternatives
    .map(alternative => schemaFaults(value, alternative, path))
    .reduce((best, faults) => (faults.length < best.length ? faults : best))

const junctorFaults = (value: unknown, schema: Schema, path: string): FieldFault[] => {
  const fits = (part: Schema) => schemaFaults(value, part, path).length === 0
  const { anyOf, oneOf, allOf, not } = schema
  const isAny = !anyOf || schema['x-kubernetes-int-or-string'] || anyOf.some(fits)
  const count = oneOf?.filter(fits).length ?? 1
  const found = count ? `Found ${count} valid alternatives` : 'Found none valid'
  return faultsIn(
    !isAny && junctor(path, 'must validate at least one schema (anyOf)'),
    !isAny && nearest(value, anyOf, path),
    count !== 1 && junctor(path, `must validate one and only one schema (oneOf). ${found}`),
    count === 0 && oneOf && nearest(value, oneOf, path),
    allOf?.flatMap(part => schemaFaults(value, part, path)),
    not && fits(not) && junctor(path, 'must not validate the schema (not)'),
  )
}
