// Reads and writes literals as Go's strconv does: quoted strings, characters and numbers.
import { textOf } from '../value/bytes.ts'

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
}
const escaping = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([\s\S]?))/g

export const unquote = (literal: string): string | undefined => {
  const quote = literal[0] ?? ''
  const body = literal.slice(1, -1)
  if (quote === '`') return body.replaceAll('\r', '')
  let isGood = true
  const text = body.replace(escaping, (_, hex, short, long, octal, single) => {
    const read = (hex ?? octal) ? byte(hex ?? octal, hex ? 16 : 8) : rune(short ?? long, single, quote)
    isGood &&= read !== undefined
    return read ?? ''
  })
  return isGood ? text : undefined
}

const byte = (digits: string, radix: number): string | undefined => {
  const value = Number.parseInt(digits, radix)
  return value > 255 ? undefined : textOf(Uint8Array.of(value))
}

const rune = (hex: string | undefined, single: string | undefined, quote: string): string | undefined => {
  if (hex === undefined) return single === quote ? quote : escapes[single ?? '']
  const code = Number.parseInt(hex, 16)
  return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? undefined : String.fromCodePoint(code)
}

const minInt64 = -(2n ** 63n)
const maxInt64 = 2n ** 63n - 1n
const maxUint64 = 2n ** 64n - 1n

type NumberLiteral = { readonly int: bigint | undefined; readonly float: number; readonly isFloat: boolean }

/** The value of a number or character literal, or a text that says why the literal has no value. */
export const numberLiteral = (text: string): NumberLiteral | string => {
  if (text.startsWith("'")) return character(text)
  const int = integer(text)
  if (int !== undefined) {
    if (int < minInt64 || int > maxUint64) return `integer overflow: ${quote(text)}`
    if (int > maxInt64) return { int: undefined, float: Number(int), isFloat: false }
    return { int, float: Number(int), isFloat: false }
  }
  const float = floatingPoint(text)
  if (float === undefined) return `illegal number syntax: ${quote(text)}`
  if (!/[.eEpP]/.test(text)) return `integer overflow: ${quote(text)}`
  return { int: Number.isInteger(float) && Math.abs(float) < 2 ** 63 ? BigInt(float) : undefined, float, isFloat: true }
}

const character = (text: string): NumberLiteral | string => {
  const read = unquote(text)
  if (read === undefined) return 'invalid syntax'
  if ([...read].length !== 1) return `malformed character constant: ${text}`
  const code = BigInt(read.codePointAt(0) ?? 0)
  return { int: code, float: Number(code), isFloat: false }
}

const decimal = /^[+-]?(?:0|[1-9](?:_?\d)*)$/
const prefixed = /^([+-]?)(0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])+)$/

/** An integer as Go spells it: 12, 0x1f, 0b1, 0o17, 017, 1_000. undefined for any other text. */
export const integer = (text: string): bigint | undefined => {
  if (decimal.test(text)) return BigInt(text.replaceAll('_', '').replace(/^\+/, ''))
  const [, sign, digits] = prefixed.exec(text) ?? []
  if (digits === undefined) return undefined
  const plain = digits.replaceAll('_', '').toLowerCase()
  const value = BigInt(/^0[0-7]/.test(plain) ? `0o${plain.slice(1)}` : plain)
  return sign === '-' ? -value : value
}

const decimalFloat = /^[+-]?(?:\d(?:_?\d)*\.?(?:\d(?:_?\d)*)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d+)?$/
const hexFloat = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/

/** A number as Go spells it, with `_` between digits. undefined for any other text and for a number that is too large. */
export const floatingPoint = (text: string): number | undefined => {
  const value = decimalFloat.test(text) ? Number(text.replaceAll('_', '')) : hexadecimal(text)
  return Number.isFinite(value) ? value : undefined
}

const hexadecimal = (text: string): number | undefined => {
  const [, sign, whole, part, exponent] = hexFloat.exec(text) ?? []
  if (whole === undefined || part === undefined) return undefined
  const mantissa = Number.parseInt(`${whole}${part}` || 'x', 16) * 2 ** (Number(exponent) - 4 * part.length)
  return Number.isNaN(mantissa) ? undefined : sign === '-' ? -mantissa : mantissa
}

/** Runes that are shown unescaped, for use in a character class of a regular expression. */
export const printable = String.raw`\p{L}\p{M}\p{N}\p{P}\p{S} `

const isPrintable = new RegExp(`^[${printable}]$`, 'u')
const shownOtherwise = new RegExp(String.raw`["\\]|[^${printable}]`, 'gu')
const named: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
}

export const isPrint = (rune: string): boolean => isPrintable.test(rune)

export const quote = (text: string): string =>
  `"${text.replaceAll(shownOtherwise, rune => escaped(rune, '"', isPrint))}"`

export const quoteToAscii = (text: string): string =>
  `"${Array.from(text, rune => escaped(rune, '"', isAsciiPrint)).join('')}"`

export const quoteRune = (rune: string): string => `'${escaped(rune, "'", isPrint)}'`

export const quoteRuneToAscii = (rune: string): string => `'${escaped(rune, "'", isAsciiPrint)}'`

export const canBackquote = (text: string): boolean =>
  Array.from(text).every(rune => rune === '\t' || (rune !== '`' && rune !== '\ufeff' && !isControl.test(rune)))

const isControl = /^[\p{Cc}\udc80-\udcff]$/u

const isAsciiPrint = (rune: string): boolean => /^[ -~]$/.test(rune)

const escaped = (rune: string, mark: string, isShown: (rune: string) => boolean): string => {
  if (rune === mark) return `\\${mark}`
  const name = named[rune]
  if (name !== undefined) return name
  return isShown(rune) ? rune : numbered(rune)
}

const numbered = (rune: string): string => {
  const code = rune.codePointAt(0) ?? 0
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
