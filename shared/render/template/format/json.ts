// Converts between JSON and the values of templates, and writes JSON as Go's encoding/json does.
import { put } from '../../../core/json/fields.ts'
import { isMap, type JsonMap } from '../../../core/json/json.ts'
import { htmlSafe, unicodeEscape } from '../../../core/text/text.ts'
import { Failure } from '../run/environment.ts'
import { formatInstant } from '../time/layout.ts'
import { compareText, textOf } from '../value/bytes.ts'
import { integerOf } from '../value/kinds.ts'
import { GoMap, type GoValue, Instant, int64, isList, mapOf, Sized, Struct, TypedList } from '../value/value.ts'

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

/** The maximum depth. A deeper value must contain itself. */
const deepest = 1_000

/** The value as maps, lists and scalars. Returns the same value if no part must be converted. Throws a Failure if the value has no JSON. */
export const marshalled = (value: GoValue, depth = 0): GoValue => {
  if (depth > deepest) throw new Failure('json: unsupported value: encountered a cycle')
  const inner = (item: GoValue): GoValue => marshalled(item, depth + 1)
  if (value instanceof GoMap) return value.isNil ? null : marshalledMap(value, inner)
  if (isList(value)) return value instanceof TypedList && value.isNil ? null : marshalledList(value, inner)
  if (value instanceof Struct) return marshalledStruct(value.passed ?? value, inner)
  if (value instanceof Instant) return formatInstant(value, '2006-01-02T15:04:05.999999999Z07:00')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new Failure(`json: unsupported value: ${infinite(value)}`)
  if (typeof value !== 'string' || value.isWellFormed()) return value
  return value.replaceAll(/[\udc80-\udcff](?<![\ud800-\udbff].)/g, '\ufffd')
}

const marshalledMap = (map: GoMap, inner: (item: GoValue) => GoValue): GoMap => {
  let changed: GoMap | undefined
  for (const [key, item] of map) {
    const made = inner(item)
    if (made === item) continue
    changed ??= new GoMap(map)
    changed.set(key, made)
  }
  return changed ?? map
}

const marshalledList = (list: readonly GoValue[], inner: (item: GoValue) => GoValue): readonly GoValue[] => {
  const made = list.map(inner)
  return made.every((item, index) => item === list[index]) ? list : made
}

const marshalledStruct = (value: Struct, inner: (item: GoValue) => GoValue): GoValue => {
  if (value.text !== undefined || value.under !== undefined) return value.text ?? inner(value.under)
  const fields = mapOf([...(value.json ?? value.fields)].map(([name, field]) => [name, inner(field)]))
  return new Struct(value.typeName, { fields })
}

const infinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

export type JsonStyle = {
  /** Indent of one level; '' puts everything on one line. */
  readonly indent: string
  readonly escapesHtml: boolean
}

export const jsonText = (value: GoValue, style: JsonStyle, line = '\n'): string => {
  const entries = entriesOf(value)
  if (entries !== undefined) {
    const colon = style.indent === '' ? ':' : ': '
    const texts = entries.map(
      ([key, item]) => `${string(key, style)}${colon}${jsonText(item, style, line + style.indent)}`,
    )
    return enclosed('{', texts, '}', { style, line })
  }
  if (isList(value)) {
    return enclosed(
      '[',
      value.map(item => jsonText(item, style, line + style.indent)),
      ']',
      { style, line },
    )
  }
  if (typeof value === 'string') return string(value, style)
  const whole = integerOf(value)
  return whole === undefined ? number(value) : String(whole)
}

const entriesOf = (value: GoValue): [string, GoValue][] | undefined => {
  if (value instanceof Struct) return [...value.fields]
  return value instanceof GoMap ? [...value].sort(([a], [b]) => compareText(a, b)) : undefined
}

const number = (value: GoValue): string => (Object.is(value, -0) ? '-0' : JSON.stringify(value ?? null))

type Layout = { readonly style: JsonStyle; readonly line: string }

const enclosed = (open: string, items: readonly string[], close: string, { style, line }: Layout): string => {
  if (items.length === 0) return open + close
  const isFlat = style.indent === ''
  const inner = isFlat ? '' : line + style.indent
  return `${open}${inner}${chained(items, `,${inner}`)}${isFlat ? '' : line}${close}`
}

/** Concatenates step by step, because `join` would copy inner texts once for each level. */
const chained = (items: readonly string[], separator: string): string =>
  items.reduce((text, item) => text + separator + item)

const string = (text: string, { escapesHtml }: JsonStyle): string => {
  const json = JSON.stringify(text)
  return escapesHtml ? htmlSafe(json) : json.replace(/[\u2028\u2029]/g, unicodeEscape)
}
