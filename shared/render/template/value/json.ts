// Converts between JSON and the values of templates.
import { put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { Failure } from '../run/failure.ts'
import { textOf } from './bytes.ts'
import { GoMap, type GoValue, Instant, int64, isList, Sized, Struct, TypedList } from './value.ts'

const valueWith = (numbered: (number: number) => GoValue) => {
  const read = (json: unknown): GoValue => {
    if (Array.isArray(json)) return json.map(read)
    if (isMap(json)) return new GoMap(Object.entries(json).map(([key, value]) => [key, read(value)]))
    if (json === undefined || json === null) return null
    if (typeof json === 'number') return numbered(json)
    if (typeof json === 'string' || typeof json === 'boolean') return json
    throw new Failure(`JSON cannot contain a value of type ${typeof json}`)
  }
  return read
}

/** Converts JSON: objects become maps, and numbers become float64. */
export const goValue = valueWith(number => number)

const int64End = 2 ** 63

/** Converts objects from an API server: integers become int64, as in Kubernetes. */
export const objectValue = valueWith(number =>
  Number.isInteger(number) && number >= -int64End && number < int64End ? int64(BigInt(number)) : number,
)

export const jsonValue = (value: GoValue): unknown => {
  if (value instanceof GoMap) return jsonMap(value)
  if (value instanceof TypedList && value.isNil) return null
  if (isList(value)) return value.map(jsonValue)
  if (value instanceof Struct) return value.text ?? jsonValue(value.under ?? value.fields)
  if (value instanceof Sized) return Number(value.value)
  if (value instanceof Instant) return new Date(Number(value.nanoseconds / 1_000_000n)).toISOString()
  if (value instanceof Uint8Array) return textOf(value)
  return typeof value === 'bigint' ? Number(value) : (value ?? null)
}

const jsonMap = (map: GoMap): JsonMap => {
  const json: JsonMap = {}
  for (const [key, value] of map) put(json, key, jsonValue(value))
  return json
}
