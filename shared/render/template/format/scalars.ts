// Prints scalars under a printf verb, with flags, width and precision; undefined if the verb does not apply to the kind.
import { formatFloat } from '../../../core/text/float-text.ts'
import { bytesOf } from '../value/bytes.ts'
import { canBackquote, isPrint, quote, quoteRune, quoteRuneToAscii, quoteToAscii } from './quote.ts'

type Formatted = string | undefined

export const formatBool = (value: boolean, verb: string, flags: Flags): Formatted =>
  verb === 't' || verb === 'v' ? padded(String(value), flags) : undefined

const radixes: Readonly<Record<string, number>> = { d: 10, v: 10, b: 2, o: 8, O: 8, x: 16, X: 16 }

type Integer = { readonly value: bigint; readonly isUnsigned: boolean }

export const formatInteger = ({ value, isUnsigned }: Integer, verb: string, flags: Flags): Formatted => {
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

export const formatNumber = (value: number, verb: string, flags: Flags): Formatted => {
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

export const formatText = (text: string, verb: string, flags: Flags): Formatted => {
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

export const hex = (bytes: Uint8Array, verb: string, flags: Flags): string => {
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
export const padded = (text: string, flags: Flags): string => {
  if (flags.width === undefined) return text
  const missing = flags.width - [...text].length
  if (missing <= 0) return text
  if (flags.minus) return text + ' '.repeat(missing)
  return (flags.zero ? '0' : ' ').repeat(missing) + text
}
