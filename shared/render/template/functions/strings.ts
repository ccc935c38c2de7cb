// sprig's functions on strings, and base64 and base32. Positions and lengths are bytes if they are bytes in Go.
import { recovered } from '../../../core/decisions/reading.ts'
import { formatted } from '../format/print.ts'
import { Failure } from '../run/environment.ts'
import { quote } from '../syntax/literals.ts'
import { byteLength, byteSlice, bytesOf, compareText, normal, textOf } from '../value/bytes.ts'
import { toText } from '../value/casting.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import { elementsOf } from '../value/kinds.ts'
import { type Call, type GoValue, isMissing, type TemplateFunction, textList, textMap } from '../value/value.ts'

/** The elements of a list as strings, without nils; every other value as one string. */
const textsOf = (value: GoValue): readonly string[] => {
  const items = elementsOf(value)
  if (items !== undefined) return items.filter(item => !isMissing(item)).map(toText)
  return isMissing(value) ? [] : [toText(value)]
}

const bounds = (start: number, end: number, size: number): Failure =>
  new Failure(
    `runtime error: slice bounds out of range ${end < 0 || end > size ? `[:${end}] with length ${size}` : `[${start}:${end}]`}`,
  )

const sliced = (text: string, start: number, end: number): string => {
  const size = byteLength(text)
  if (start < 0 || end > size || start > end) throw bounds(start, end, size)
  return byteSlice(text, start, end)
}

const substring = (start: number, end: number, text: string): string => {
  if (start < 0) return sliced(text, 0, end)
  const size = byteLength(text)
  return sliced(text, start, end < 0 || end > size ? size : end)
}

const truncated = (count: number, text: string): string => {
  const size = byteLength(text)
  if (count < 0 && size + count > 0) return byteSlice(text, size + count, size)
  return count >= 0 && size > count ? byteSlice(text, 0, count) : text
}

const repeated = ({ budget }: Call, count: number, text: string): string => {
  if (count < 0) throw new Failure('strings: negative Repeat count')
  budget.fits(count * text.length)
  return text.repeat(count)
}

const indented = ({ budget }: Call, spaces: number, text: string): string => {
  if (spaces < 0) throw new Failure('strings: negative Repeat count')
  budget.fits(text.length + spaces * (text.split('\n').length + 1))
  const pad = ' '.repeat(spaces)
  return pad + text.replaceAll('\n', `\n${pad}`)
}

const replaced = ({ budget }: Call, old: string, by: string, text: string): string => {
  const count = old === '' ? [...text].length + 1 : text.split(old).length - 1
  budget.fits(text.length + count * by.length)
  if (old !== '') return normal(text.split(old).join(by))
  return by + [...text].map(rune => rune + by).join('')
}

/** strings.Split: an empty separator splits into runes. */
const split = (text: string, separator: string): string[] => (separator === '' ? [...text] : text.split(separator))

const firstParts = (parts: string[], separator: string, count: number): string[] => {
  if (count === 0) return []
  if (count < 0 || parts.length <= count) return parts
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)]
}

const numbered = (parts: readonly string[]): GoValue => textMap(parts.map((part, index) => [`_${index}`, part]))

const trimmedOf = (signs: string, text: string): string => {
  const set = new Set(signs)
  const runes = [...text]
  const first = runes.findIndex(rune => !set.has(rune))
  const last = runes.findLastIndex(rune => !set.has(rune))
  return first < 0 ? '' : runes.slice(first, last + 1).join('')
}

const trimmed = fn('string string', (signs, text) => trimmedOf(signs, text))

const abbreviated = (offset: number, width: number, text: string): string => {
  const size = byteLength(text)
  if (size <= width || width < 4) return size <= width ? text : ''
  const most = width - 3
  const start = size - Math.min(offset, size) < most ? size - most : Math.min(offset, size)
  if (start <= 4) return `${byteSlice(text, 0, most)}...`
  if (width < 7) return ''
  if (start + most < size) return `...${abbreviated(0, most, byteSlice(text, start, size))}`
  return `...${byteSlice(text, size - most, size)}`
}

const joining = (textOf: (value: GoValue) => string): TemplateFunction =>
  fn('...any', (...values) => {
    const present = values.filter(value => !isMissing(value))
    return present.map(value => textOf(value)).join(' ')
  })

/** A value that is not a list is sorted as a list of one element. */
const sorted = (value: GoValue): GoValue => {
  if (elementsOf(value) === undefined) return textList([toText(value)])
  return textList([...textsOf(value)].sort(compareText))
}

/** If the text contains spaces, Go reads its bytes as runes of Latin-1. */
const withoutSpace = (text: string): string => {
  if (!/\s|\x85/.test(text)) return text
  const runes = Array.from(bytesOf(text), byte => String.fromCharCode(byte))
  return runes.filter(sign => !isSpace(sign)).join('')
}

/** Reads character by character, because a regular expression for trailing spaces would take quadratic time. */
const withoutSpaceAround = (text: string): string => {
  let [begin, end] = [0, text.length]
  while (begin < end && isSpaceRune(text[begin] ?? '')) begin += 1
  while (end > begin && isSpaceRune(text[end - 1] ?? '')) end -= 1
  return text.slice(begin, end)
}

export const strings: FunctionTable = {
  abbrev: fn('int string', (width, text) => (width < 4 ? text : abbreviated(0, width, text))),
  abbrevboth: fn('int int string', (left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviated(left, right, text),
  ),
  cat: joining(formatted),
  contains: fn('string string', (part, text) => text.includes(part)),
  hasPrefix: fn('string string', (prefix, text) => text.startsWith(prefix)),
  hasSuffix: fn('string string', (suffix, text) => text.endsWith(suffix)),
  indent: within('int string', indented),
  join: within('string any', ({ budget }, separator, value) => {
    const texts = textsOf(value)
    budget.fits(texts.reduce((sum, text) => sum + text.length + separator.length, 0))
    return normal(texts.join(separator))
  }),
  nindent: within('int string', (call, spaces, text) => `\n${indented(call, spaces, text)}`),
  nospace: fn('string', withoutSpace),
  plural: fn('string string int', (one, many, count) => (count === 1 ? one : many)),
  quote: joining(value => quote(toText(value))),
  repeat: within('int string', repeated),
  replace: within('string string string', replaced),
  sortAlpha: fn('any', sorted),
  split: fn('string string', (separator, text) => numbered(split(text, separator))),
  splitList: fn('string string', (separator, text) => textList(split(text, separator))),
  splitn: fn('string int string', (separator, count, text) =>
    numbered(firstParts(split(text, separator), separator, count)),
  ),
  squote: joining(value => `'${formatted(value)}'`),
  substr: fn('int int string', substring),
  toString: fn('any', toText),
  toStrings: fn('any', value => textList(textsOf(value))),
  trim: fn('string', withoutSpaceAround),
  trimAll: trimmed,
  trimPrefix: fn('string string', (prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text)),
  trimSuffix: fn('string string', (suffix, text) =>
    text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text,
  ),
  trimall: trimmed,
  trunc: fn('int string', truncated),
}

const isSpaceRune = (sign: string): boolean =>
  sign === ' ' || sign === '\n' || (/[\s\x85]/.test(sign) && sign !== '\ufeff')

const isSpace = (sign: string): boolean => /[\t-\r \x85\xa0]/.test(sign)

type Alphabet = { readonly name: string; readonly signs: string; readonly bits: number; readonly block: number }

const base64: Alphabet = {
  name: 'base64',
  signs: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  bits: 6,
  block: 4,
}
const base32: Alphabet = { name: 'base32', signs: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', bits: 5, block: 8 }

const encode = (bytes: Uint8Array, { signs, bits, block }: Alphabet): string => {
  const written: string[] = []
  let [held, count] = [0, 0]
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff
    for (count += 8; count >= bits; count -= bits)
      written.push(signs[(held >> (count - bits)) & ((1 << bits) - 1)] ?? '')
  }
  if (count > 0) written.push(signs[(held << (bits - count)) & ((1 << bits) - 1)] ?? '')
  const text = written.join('')
  return text.padEnd(Math.ceil(text.length / block) * block, '=')
}

const corrupt = (alphabet: Alphabet, at: number): Failure =>
  new Failure(`illegal ${alphabet.name} data at input byte ${at}`)

/** Skips line breaks. Throws a Failure that names the first bad byte. */
const decode = (text: string, alphabet: Alphabet): Uint8Array => {
  const { signs, bits, block } = alphabet
  const bytes = new Uint8Array(Math.ceil((text.length * bits) / 8))
  let [held, count, seen, size] = [0, 0, 0, 0]
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if (sign === '\n' || sign === '\r') continue
    if (sign === '=') {
      checkPadding(text, at, seen % block, alphabet)
      return bytes.subarray(0, size)
    }
    const value = signs.indexOf(sign)
    if (value < 0) throw corrupt(alphabet, at)
    held = ((held << bits) | value) & 0xffff
    count += bits
    seen += 1
    if (count >= 8) {
      count -= 8
      bytes[size] = (held >> count) & 255
      size += 1
    }
  }
  if (seen % block !== 0) throw corrupt(alphabet, text.length - (seen % block))
  return bytes.subarray(0, size)
}

/** Possible numbers of characters in a padded last block. */
const partial: Readonly<Record<string, readonly number[]>> = { base64: [2, 3], base32: [2, 4, 5, 7] }

const checkPadding = (text: string, at: number, signs: number, alphabet: Alphabet): void => {
  if (!partial[alphabet.name]?.includes(signs)) throw corrupt(alphabet, at)
  const rest = text.slice(at).replaceAll(/[\r\n]/g, '')
  if (rest.length < alphabet.block - signs) throw corrupt(alphabet, text.length)
  const wrong = text.slice(at).search(/[^=\r\n]/)
  if (wrong >= 0) throw corrupt(alphabet, at + wrong)
  if (rest.length > alphabet.block - signs) throw corrupt(alphabet, at + alphabet.block - signs)
}

const isOrdinaryBase64 = (text: string): boolean =>
  text.length % base64.block === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)

export const bytesFromBase64 = (text: string): Uint8Array =>
  isOrdinaryBase64(text) ? Buffer.from(text, 'base64') : decode(text, base64)

const bytesFromBase32 = (text: string): Uint8Array => decode(text, base32)

const decodedOr = (text: string, read: (text: string) => Uint8Array): string =>
  recovered(
    Failure,
    () => textOf(read(text)),
    ({ message }) => message,
  )

export const encoding: FunctionTable = {
  b32dec: fn('string', text => decodedOr(text, bytesFromBase32)),
  b32enc: fn('string', text => encode(bytesOf(text), base32)),
  b64dec: fn('string', text => decodedOr(text, bytesFromBase64)),
  b64enc: fn('string', text => Buffer.from(bytesOf(text)).toString('base64')),
}
