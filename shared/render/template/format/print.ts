// Go's fmt: prints values of every kind, with and without a printf verb.
import { formatFloat } from '../../../core/text/float-text.ts'
import { canBackquote, isPrint, quote, quoteRune, quoteRuneToAscii, quoteToAscii } from '../syntax/literals.ts'
import { instantText } from '../time/layout.ts'
import { bytesOf, compareText, textOf } from '../value/bytes.ts'
import { typeName } from '../value/kinds.ts'
import { GoMap, type GoValue, Instant, isList, isMissing, Sized, Struct, TypedList } from '../value/value.ts'

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

type Formatted = string | undefined

const formatBool = (value: boolean, verb: string, flags: Flags): Formatted =>
  verb === 't' || verb === 'v' ? padded(String(value), flags) : undefined

const radixes: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }

type Integer = { readonly value: bigint; readonly isUnsigned: boolean }

const formatInteger = ({ value, isUnsigned }: Integer, verb: string, flags: Flags): Formatted => {
  if (verb === 'v' && flags.isGoSyntax && isUnsigned) return digits(value, 'x', { ...flags, sharp: true })
  if (radixes[verb] !== undefined) return digits(value, verb, flags)
  return characters[verb]?.(value, flags)
}

const characters: Readonly<Record<string, (value: bigint, flags: Flags) => string>> = {
  c: (value, flags) => padded(runeOf(value), flags),
  q: (value, flags) => padded(flags.plus ? quoteRuneToAscii(runeOf(value)) : quoteRune(runeOf(value)), flags),
  U: (value, flags) => {
    const code = `U+${BigInt.asUintN(64, value)
      .toString(16)
      .toUpperCase()
      .padStart(flags.precision ?? 4, '0')}`
    const isShown = flags.sharp && value >= 0n && value <= 0x10ffffn && isPrint(runeOf(value))
    return padded(isShown ? `${code} '${runeOf(value)}'` : code, { ...flags, zero: false })
  },
}

const runeOf = (value: bigint): string => {
  const isRune = value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn)
  return isRune ? String.fromCodePoint(Number(value)) : '\ufffd'
}

const digits = (value: bigint, verb: string, flags: Flags): string => {
  const { precision, width } = flags
  if (precision === 0 && value === 0n) return padded('', { ...flags, zero: false })
  const sign = value < 0n ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  const isZeroPadded = precision === undefined && flags.zero && !flags.minus && width !== undefined
  const least = isZeroPadded ? width - sign.length : (precision ?? 0)
  const plain = (value < 0n ? -value : value).toString(radixes[verb]).padStart(least, '0')
  const text = sign + prefixed(plain, verb, flags)
  return padded(verb === 'X' ? text.toUpperCase() : text, { ...flags, zero: false })
}

const prefixed = (plain: string, verb: string, { sharp }: Flags): string => {
  if (verb === 'O') return `0o${sharp && !plain.startsWith('0') ? '0' : ''}${plain}`
  if (!sharp) return plain
  if (verb === 'o') return plain.startsWith('0') ? plain : `0${plain}`
  return verb === 'b' ? `0b${plain}` : verb === 'x' || verb === 'X' ? `0x${plain}` : plain
}

const floatVerbs: Readonly<Record<string, readonly [verb: string, precision: number]>> = {
  v: ['g', -1],
  g: ['g', -1],
  G: ['G', -1],
  b: ['b', -1],
  x: ['x', -1],
  X: ['X', -1],
  f: ['f', 6],
  F: ['f', 6],
  e: ['e', 6],
  E: ['E', 6],
}

const formatNumber = (value: number, verb: string, flags: Flags): Formatted => {
  const form = floatVerbs[verb]
  if (form === undefined) return undefined
  const [written, usual] = form
  const precision = flags.precision ?? usual
  const text = formatFloat(value, written, precision)
  const hasSign = /^[+-]/.test(text)
  const bare = hasSign ? text.slice(1) : text
  const sign = text.startsWith('-') ? '-' : flags.plus ? '+' : flags.space ? ' ' : ''
  if (!Number.isFinite(value)) return padded(`${sign || (hasSign ? '+' : '')}${bare}`, { ...flags, zero: false })
  const body = flags.sharp && verb !== 'b' ? withPoint(bare, written, precision) : bare
  const isZeroPadded = flags.zero && !flags.minus && flags.width !== undefined
  return isZeroPadded ? sign + body.padStart(flags.width - sign.length, '0') : padded(sign + body, flags)
}

/** `%#g` and `%#x` keep the point and trailing zeros. */
const withPoint = (text: string, verb: string, precision: number): string => {
  const [, body = '', tail = ''] = /^(.*?)((?:e[+-]\d+|p[+-]\d+)?)$/i.exec(text) ?? []
  const pointed = body.includes('.') ? body : `${body}.`
  if (!['g', 'G', 'x'].includes(verb)) return pointed + tail
  const significant = body === '0' ? 1 : body.replace('.', '').replace(/^0+/, '').length
  return pointed + '0'.repeat(Math.max(0, (precision < 0 ? 6 : precision) - significant)) + tail
}

const formatText = (text: string, verb: string, flags: Flags): Formatted => {
  if (verb === 'v') return flags.isGoSyntax ? quoted(text, flags) : padded(truncated(text, flags), flags)
  if (verb === 's') return padded(truncated(text, flags), flags)
  if (verb === 'q') return quoted(text, flags)
  return verb === 'x' || verb === 'X' ? hex(bytesOf(text), verb, flags) : undefined
}

const truncated = (text: string, { precision }: Flags): string =>
  precision === undefined ? text : [...text].slice(0, precision).join('')

const quoted = (text: string, flags: Flags): string => {
  const cut = truncated(text, flags)
  if (flags.sharp && canBackquote(cut)) return padded(`\`${cut}\``, flags)
  return padded(flags.plus ? quoteToAscii(cut) : quote(cut), flags)
}

const hex = (bytes: Uint8Array, verb: string, flags: Flags): string => {
  const pairs = Array.from(bytes.subarray(0, flags.precision), byte => byte.toString(16).padStart(2, '0'))
  if (pairs.length === 0) return padded('', flags)
  const prefix = flags.sharp ? '0x' : ''
  const text = flags.space ? pairs.map(pair => prefix + pair).join(' ') : prefix + pairs.join('')
  return padded(verb === 'X' ? text.toUpperCase() : text, flags)
}

export type Flags = {
  readonly plus: boolean
  readonly minus: boolean
  readonly sharp: boolean
  readonly space: boolean
  readonly zero: boolean
  readonly width: number | undefined
  readonly precision: number | undefined
  /** Set by `%#v`; `isWithNames` by `%+v`. */
  readonly isGoSyntax: boolean
  readonly isWithNames: boolean
}

export const noFlags: Flags = {
  plus: false,
  minus: false,
  sharp: false,
  space: false,
  zero: false,
  width: undefined,
  precision: undefined,
  isGoSyntax: false,
  isWithNames: false,
}

/** The width counts runes. Zeros are added on the left only. */
const padded = (text: string, flags: Flags): string => {
  if (flags.width === undefined) return text
  const missing = flags.width - [...text].length
  if (missing <= 0) return text
  if (flags.minus) return text + ' '.repeat(missing)
  return (flags.zero ? '0' : ' ').repeat(missing) + text
}
