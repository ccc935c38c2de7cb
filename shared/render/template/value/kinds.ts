// Go's reflection: the type of a value as `%T` prints it, its kind, truth and length.
import { byteLength } from './bytes.ts'
import {
  GoMap,
  type GoValue,
  Instant,
  isList,
  isMissing,
  type ParameterType,
  Sized,
  Struct,
  TypedList,
} from './value.ts'

/** For example `string` or `[]interface {}`; `<nil>` for nil. */
export const typeName = (value: GoValue): string => {
  if (isMissing(value)) return '<nil>'
  if (value instanceof GoMap || value instanceof Struct) return value.typeName
  if (value instanceof TypedList) return `[]${value.elementType}`
  if (isList(value)) return '[]interface {}'
  if (value instanceof Uint8Array) return '[]uint8'
  return value instanceof Instant ? 'time.Time' : scalarName(value)
}

const scalarNames: Readonly<Record<string, string>> = {
  boolean: 'bool',
  number: 'float64',
  bigint: 'int',
  string: 'string',
}

const scalarName = (value: GoValue): string => (value instanceof Sized ? value.kind : (scalarNames[typeof value] ?? ''))

/** For example `string`, `map` or `slice`; `invalid` for nil. */
export const kindName = (value: GoValue): string => {
  if (isMissing(value)) return 'invalid'
  if (value instanceof Struct) {
    return value.under === undefined ? (value.typeName.startsWith('*') ? 'ptr' : 'struct') : kindName(value.under)
  }
  if (value instanceof GoMap) return 'map'
  if (isList(value) || value instanceof Uint8Array) return 'slice'
  return value instanceof Instant ? 'struct' : scalarName(value)
}

export const parameterNames: Readonly<Record<ParameterType, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int',
  uint32: 'uint32',
  int64: 'int64',
  float64: 'float64',
  any: 'interface {}',
  value: 'reflect.Value',
  map: 'map[string]interface {}',
  list: '[]interface {}',
  time: 'time.Time',
  certificate: 'sprig.certificate',
}

export const integerOf = (value: GoValue): bigint | undefined => {
  if (typeof value === 'bigint') return value
  return value instanceof Sized ? value.value : undefined
}

/** For `if`: false, 0, nil and empty values are false. */
export const isTrue = (value: GoValue): boolean => {
  const held = plain(value)
  if (held instanceof Sized) return held.value !== 0n
  if (held instanceof GoMap) return held.size > 0
  if (isList(held) || held instanceof Uint8Array) return held.length > 0
  return typeof held === 'number' ? held !== 0 : Boolean(held)
}

export const lengthOf = (value: GoValue): number | undefined => {
  const held = plain(value)
  if (typeof held === 'string') return byteLength(held)
  if (held instanceof GoMap) return held.size
  return isList(held) || held instanceof Uint8Array ? held.length : undefined
}

export const plain = (value: GoValue): GoValue => (value instanceof Struct ? (value.under ?? value) : value)

/** The elements of a list or of bytes; undefined for every other value. */
export const elementsOf = (value: GoValue): readonly GoValue[] | undefined => {
  const held = plain(value)
  if (held instanceof Uint8Array) return Array.from(held, byte => new Sized('uint8', BigInt(byte)))
  return isList(held) ? held : undefined
}

export const asMap = (value: GoValue): GoMap | undefined => {
  const held = plain(value)
  return held instanceof GoMap ? held : undefined
}

/** reflect.DeepEqual: equal in type and at all depths. */
export const isDeepEqual = (a: GoValue, b: GoValue): boolean => {
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b)
  if (typeName(a) !== typeName(b)) return false
  if (a instanceof GoMap && b instanceof GoMap) return areEqualMaps(a, b)
  if (isList(a) && isList(b)) return areEqualLists(a, b)
  if (a instanceof Sized && b instanceof Sized) return a.value === b.value
  if (a instanceof Instant && b instanceof Instant) return a.nanoseconds === b.nanoseconds
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0
  if (a instanceof Struct && b instanceof Struct)
    return a === b || (a.text === b.text && areEqualMaps(a.fields, b.fields) && isDeepEqual(a.under, b.under))
  return a === b
}

const isNilList = (list: readonly GoValue[]): boolean => list instanceof TypedList && list.isNil

const areEqualLists = (a: readonly GoValue[], b: readonly GoValue[]): boolean =>
  a.length === b.length && isNilList(a) === isNilList(b) && a.every((item, index) => isDeepEqual(item, b[index]))

const areEqualMaps = (a: GoMap, b: GoMap): boolean =>
  a.size === b.size && [...a].every(([key, value]) => b.has(key) && isDeepEqual(value, b.get(key)))
