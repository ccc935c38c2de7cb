// Reads the text of plain and quoted scalars on one or several lines, and interprets plain text as kubectl and helm do: YAML 1.1 as go-yaml v2 reads
// it. `yes`, `on` and `y` are true, `0644` is 420, `1_000` is 1000; dates and `1:30` are text. Quoted and block scalars are text.
import { breaks, type Cursor, isBlank, isBreak, signs } from './cursor.ts'

/** Patterns here repeat only character classes, because repeated groups keep backtracking state for the whole match. */
const plainInBlock = new RegExp(`[^:#${breaks}]+`, 'y')
const plainInBrackets = new RegExp(`[^:#,?[\\]{}${breaks}]+`, 'y')

/**
 * A plain scalar. A single line break becomes a blank. Of several line breaks, the first is dropped. The scalar ends at a line that is
 * indented no deeper than the current collection.
 */
export const plainText = (cursor: Cursor): string => {
  const pattern = cursor.brackets > 0 ? plainInBrackets : plainInBlock
  let text = ''
  let gap = ''
  for (;;) {
    const found = takeWords(cursor, pattern)
    if (found === '') return text
    text += gap + found
    const { lineStart } = cursor
    gap = folded(cursor, cursor.indent + 1)
    cursor.mayStartKey = cursor.lineStart !== lineStart
    if (gap === '' || isPlainEnd(cursor)) return text
  }
}

/** Reads up to a comment, a colon that ends the scalar, or the end of the line, without blanks at the end. */
const takeWords = (cursor: Cursor, pattern: RegExp): string => {
  const { text, at: start } = cursor
  for (;;) {
    cursor.skip(pattern)
    const code = cursor.code()
    const isInside = code === signs.colon ? !cursor.isBlankOrEnd(1) : code === signs.hash && !isBlank(cursor.code(-1))
    if (!isInside) break
    cursor.at += 1
  }
  while (cursor.at > start && isBlank(cursor.code(-1))) cursor.at -= 1
  return text.slice(start, cursor.at)
}

const isPlainEnd = (cursor: Cursor): boolean =>
  (cursor.brackets === 0 && cursor.column <= cursor.indent) || cursor.code() === signs.hash || cursor.isAtMark()

/** Reads blanks, and folds line breaks. After a break, a tab before column `tabsFrom` is an error. */
const folded = (cursor: Cursor, tabsFrom = 0): string => {
  const blanks = cursor.takeBlanks()
  if (!isBreak(cursor.code())) return blanks
  const first = cursor.takeBreak()
  const more = moreBreaks(cursor, tabsFrom)
  if (first !== '\n') return first + more
  return more === '' ? ' ' : more
}

const moreBreaks = (cursor: Cursor, tabsFrom: number): string => {
  let found = ''
  for (;;) {
    const tab = cursor.takeBlanks().indexOf('\t')
    if (tab >= 0 && tab < tabsFrom) throw cursor.fault('found a tab character that violates indentation')
    if (!isBreak(cursor.code())) return found
    found += cursor.takeBreak()
  }
}

const untilDouble = new RegExp(`[^"\\\\${breaks}]+`, 'y')
const untilSingle = new RegExp(`[^'${breaks}]+`, 'y')

export const singleQuotedText = (cursor: Cursor): string =>
  quotedText(cursor, untilSingle, () => {
    if (cursor.code(1) !== signs.apostrophe) return undefined
    cursor.at += 2
    return "'"
  })

export const doubleQuotedText = (cursor: Cursor): string =>
  quotedText(cursor, untilDouble, () => (cursor.code() === signs.quote ? undefined : escaped(cursor)))

/** `special` reads a character that the pattern does not match; undefined at the closing quote. */
const quotedText = (cursor: Cursor, pattern: RegExp, special: () => string | undefined): string => {
  const start = cursor.at
  cursor.at += 1
  let text = ''
  for (;;) {
    if (cursor.isAtMark()) throw cursor.fault('found unexpected document indicator')
    text += takeQuoted(cursor, pattern)
    const code = cursor.code()
    if (Number.isNaN(code)) throw cursor.fault('found unexpected end of stream', start)
    const more = isBlank(code) || isBreak(code) ? folded(cursor) : special()
    if (more === undefined) break
    text += more
  }
  cursor.at += 1
  cursor.mayStartKey = false
  return text
}

/** Drops blanks at the end of a line. */
const takeQuoted = (cursor: Cursor, pattern: RegExp): string => {
  const { text, at: start } = cursor
  cursor.skip(pattern)
  if (isBreak(cursor.code())) while (cursor.at > start && isBlank(cursor.code(-1))) cursor.at -= 1
  return text.slice(start, cursor.at)
}

const escapes: Readonly<Record<string, string>> = {
  0: '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}
const hexadecimal = /\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/y

/** Reads an escape sequence: one character, or an escaped line break, which is dropped. */
const escaped = (cursor: Cursor): string => {
  if (isBreak(cursor.code(1))) {
    cursor.at += 1
    cursor.takeBreak()
    return moreBreaks(cursor, 0)
  }
  const sign = cursor.text[cursor.at + 1] ?? ''
  const named = escapes[sign]
  if (named === undefined) return character(cursor, sign)
  cursor.at += 2
  return named
}

const character = (cursor: Cursor, sign: string): string => {
  const digits = cursor.take(hexadecimal).slice(2)
  if (digits === '')
    throw cursor.fault(
      'xuU'.includes(sign) ? 'did not find expected hexdecimal number' : 'found unknown escape character',
    )
  const code = Number.parseInt(digits, 16)
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw cursor.fault('found invalid Unicode character escape code')
  return String.fromCodePoint(code)
}

/** Numbers are doubles, as in JSON. */
export const plainScalar = (text: string): string | number | boolean | null => {
  const word = words.get(text)
  if (word !== undefined) return word
  return mayBeNumber.test(text) ? (numberOf(text) ?? text) : text
}

const words = new Map<string, boolean | number | null>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map(word => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map(word => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map(word => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map(word => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(word => [word, Number.POSITIVE_INFINITY] as const),
  ...['-.inf', '-.Inf', '-.INF'].map(word => [word, Number.NEGATIVE_INFINITY] as const),
])

const mayBeNumber = /^[-+.]?[0-9.]/

/** Go's number literals. A leading zero means octal, unless a digit is above 7 or the number exceeds 64 bits: then it is a float. */
const forms: readonly { readonly form: RegExp; readonly radix?: number }[] = [
  { form: /^([-+]?)0[xX]([0-9a-fA-F]+)$/, radix: 16 },
  { form: /^([-+]?)0[oO]?([0-7]+)$/, radix: 8 },
  { form: /^([-+]?)0[bB]([01]+)$/, radix: 2 },
  { form: /^([-+]?)(\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/ },
]

const wholeForm = /^[-+]?(?:0[xX][\da-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|\d+)$/

/** Whether the text is an integer of at most 64 bits. */
export const isWhole = (text: string): boolean => {
  const value = wholeForm.test(text.replaceAll('_', '')) ? plainScalar(text) : undefined
  return typeof value === 'number' && value < 2 ** 64 && value >= -(2 ** 63)
}

const numberOf = (text: string): number | undefined => {
  const plain = text.startsWith('.') ? text.replaceAll(/(?<=\d)_(?=\d)/g, '') : text.replaceAll('_', '')
  for (const { form, radix } of forms) {
    const [, sign = '', digits = ''] = form.exec(plain) ?? []
    if (digits === '') continue
    const value = radix === undefined ? Number(plain) : whole(sign, digits, radix)
    if (value !== undefined && Number.isFinite(value)) return value
  }
  return undefined
}

const prefixes: Readonly<Record<number, string>> = { 2: '0b', 8: '0o', 16: '0x' }
const most: Readonly<Record<string, bigint>> = { '': 2n ** 64n - 1n, '+': 2n ** 63n - 1n, '-': 2n ** 63n }

/** Exact, unlike parseInt. undefined beyond 64 bits. */
const whole = (sign: string, digits: string, radix: number): number | undefined => {
  const value = BigInt(`${prefixes[radix]}${digits}`)
  if (value > (most[sign] ?? 0n)) return undefined
  return sign === '-' ? -Number(value) : Number(value)
}
