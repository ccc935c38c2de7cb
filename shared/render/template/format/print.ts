// Go's fmt: prints values of every kind, with and without a printf verb.
import { instantText } from '../time/layout.ts'
import { compareText, textOf } from '../value/bytes.ts'
import { typeName } from '../value/kinds.ts'
import { GoMap, type GoValue, Instant, isList, isMissing, Sized, Struct, TypedList } from '../value/value.ts'
import { type Flags, formatBool, formatInteger, formatNumber, formatText, hex, noFlags, padded } from './scalars.ts'

/** `%v`. */
export const formatted = (value: GoValue): string => formatWith(value, 'v', noFlags)

/** fmt.Sprint: puts spaces between operands if neither is a string. */
export const sprint = (values: readonly GoValue[]): string =>
  values
    .map((value, index) => {
      const isSpaced = index > 0 && typeof value !== 'string' && typeof values[index - 1] !== 'string'
      return (isSpaced ? ' ' : '') + formatted(value)
    })
    .join('')

export const sprintln = (values: readonly GoValue[]): string => `${values.map(formatted).join(' ')}\n`

export const formatWith = (value: GoValue, verb: string, flags: Flags): string => {
  if (verb === 'T') return padded(typeName(value), flags)
  if (verb === 'p') return badVerb(value, verb, flags)
  if (isMissing(value)) return verb === 'v' ? padded('<nil>', flags) : `%!${verb}(<nil>)`
  return nested(value, verb, { flags, depth: 0 })
}

type Way = { readonly flags: Flags; readonly depth: number }

const nested = (value: GoValue, verb: string, way: Way): string => {
  const { flags } = way
  if (isMissing(value)) return flags.isGoSyntax ? 'interface {}(nil)' : '<nil>'
  if (value instanceof GoMap) return formatMap(value, verb, way)
  if (isList(value)) return formatList(value, verb, way)
  if (value instanceof Uint8Array) return formatBytes(value, verb, way)
  if (value instanceof Struct) return formatObject(way.depth > 0 ? (value.passed ?? value) : value, verb, way)
  if (value instanceof Instant) return formatObject(value, verb, way)
  return scalar(value, verb, flags) ?? badVerb(value, verb, flags)
}

const scalar = (value: boolean | number | bigint | string | Sized, verb: string, flags: Flags): string | undefined => {
  if (typeof value === 'string') return formatText(value, verb, flags)
  if (typeof value === 'number') return formatNumber(value, verb, flags)
  if (typeof value === 'boolean') return formatBool(value, verb, flags)
  if (typeof value === 'bigint') return formatInteger({ value, isUnsigned: false }, verb, flags)
  return formatInteger({ value: value.value, isUnsigned: value.kind.startsWith('uint') }, verb, flags)
}

const badVerb = (value: GoValue, verb: string, flags: Flags): string =>
  isMissing(value) ? `%!${verb}(<nil>)` : `%!${verb}(${typeName(value)}=${formatWith(value, 'v', flags)})`

const deeper = ({ flags, depth }: Way): Way => ({ flags, depth: depth + 1 })

const formatMap = (map: GoMap, verb: string, way: Way): string => {
  const entries = [...map.keys()]
    .sort(compareText)
    .map(key => `${nested(key, verb, deeper(way))}:${nested(map.get(key), verb, deeper(way))}`)
  return way.flags.isGoSyntax ? `${map.typeName}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`
}

const formatList = (list: readonly GoValue[], verb: string, way: Way): string => {
  if (way.flags.isGoSyntax && list instanceof TypedList && list.isNil) return `${typeName(list)}(nil)`
  const items = list.map(item => nested(item, verb, deeper(way)))
  return way.flags.isGoSyntax ? `${typeName(list)}{${items.join(', ')}}` : `[${items.join(' ')}]`
}

const formatBytes = (bytes: Uint8Array, verb: string, way: Way): string => {
  if (verb === 's' || verb === 'q') return formatText(textOf(bytes), verb, way.flags) ?? ''
  if (verb === 'x' || verb === 'X') return hex(bytes, verb, way.flags)
  const items = Array.from(bytes, byte => nested(new Sized('uint8', BigInt(byte)), verb, deeper(way)))
  return way.flags.isGoSyntax ? `[]byte{${items.join(', ')}}` : `[${items.join(' ')}]`
}

const formatObject = (value: Struct | Instant, verb: string, way: Way): string => {
  const text = value instanceof Instant ? instantText(value) : value.text
  const asText = text === undefined || way.flags.isGoSyntax ? undefined : formatText(text, verb, way.flags)
  if (asText !== undefined) return asText
  if (value instanceof Instant) return badVerb(instantText(value), verb, way.flags)
  return value.under === undefined ? formatFields(value, verb, way) : formatNamed(value, verb, way)
}

const formatNamed = (value: Struct, verb: string, way: Way): string => {
  const text = nested(value.under, verb, way)
  return way.flags.isGoSyntax ? value.typeName + text.slice(typeName(value.under).length) : text
}

const formatFields = (value: Struct, verb: string, way: Way): string => {
  const { flags, depth } = way
  const isPointer = value.typeName.startsWith('*')
  const isNamed = flags.isWithNames || flags.isGoSyntax
  const fields = [...value.fields].map(
    ([name, field]) => `${isNamed ? `${name}:` : ''}${nested(field, verb, deeper(way))}`,
  )
  const type = flags.isGoSyntax ? value.typeName.replace('*', '') : ''
  return `${isPointer && depth === 0 ? '&' : ''}${type}{${fields.join(flags.isGoSyntax ? ', ' : ' ')}}`
}
