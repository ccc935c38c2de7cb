// Writes a string in YAML: plain, quoted or as a block, as libyaml chooses, folded at the width.
import { plainScalar } from '../../../core/yaml/scalar-text.ts'
import { holds } from '../run/environment.ts'
import { parseInstant } from '../time/layout.ts'
import { byteLength, isAscii } from '../value/bytes.ts'

type ScalarPlace = {
  /** Indent of all lines but the first. */
  readonly indent: number
  readonly column: number
  readonly isKey: boolean
  readonly width: number
  readonly isTabbedBlock: boolean
}

/** A key that is longer or has several lines is written after a question mark. */
const longestKey = 128

export const isSimpleKey = (key: string): boolean =>
  !/[\n\r\x85\u2028\u2029]/.test(key) && byteLength(key) <= longestKey

export const scalarText = (text: string, place: ScalarPlace): string => {
  if (text.includes('\n'))
    return !place.isKey && isBlockText(text, place) ? block(text, place) : doubleQuoted(text, place)
  if (isWords.test(text)) return plainScalar(text) === text ? folded(text, place) : doubleQuoted(text, place)
  if (!isPlainString(text)) return doubleQuoted(text, place)
  const allowed = analysed(text)
  if (allowed.isPlain) return folded(text, place)
  return allowed.isSingleQuoted
    ? `'${folded(text.replaceAll("'", "''"), { ...place, column: place.column + 1 }, true)}'`
    : doubleQuoted(text, place)
}

/** A quick test that most strings pass: no character has a meaning in YAML, and the text does not begin like a number or date. */
const isWords = /^[A-Za-z/][\w ./,()-]*[\w./,()-]$/

type Allowed = { readonly isPlain: boolean; readonly isSingleQuoted: boolean }

const unprintable = /[^\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/
const leadIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:\s|$)|---|\.\.\.)/
const innerIndicator = /:(?:\s|$)|\s#/
const lineBreak = /[\n\r\x85\u2028\u2029]/

export const needsEscapes = (text: string): boolean => unprintable.test(text) || / [\n\r\x85\u2028\u2029]/.test(text)

const isBlockText = (text: string, { isTabbedBlock }: ScalarPlace): boolean =>
  !text.endsWith(' ') && !needsEscapes(isTabbedBlock ? text.replaceAll('\t', '') : text)

const analysed = (text: string): Allowed => {
  const isSpecial = needsEscapes(text)
  const hasSpaceAfterBreak = /[\n\r\x85\u2028\u2029] /.test(text)
  const hasOuterSpace = /^[ \n\r\x85\u2028\u2029]|[ \n\r\x85\u2028\u2029]$/.test(text)
  const hasIndicator = leadIndicator.test(text) || innerIndicator.test(text)
  return {
    isPlain: !isSpecial && !hasOuterSpace && !hasIndicator && !lineBreak.test(text),
    isSingleQuoted: !isSpecial && !hasSpaceAfterBreak,
  }
}

/** Replaces spaces beyond the width by line breaks, except a space beside another space. */
const folded = (text: string, { column, isKey, indent, width }: ScalarPlace, isQuoted = false): string => {
  if (isKey || column + text.length <= width) return text
  const lines: string[] = []
  let start = 0
  let begin = column
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    const isAlone = text[at - 1] !== ' ' && text[at + 1] !== ' '
    const isInner = !isQuoted || (at > 0 && at < text.length - 1)
    const isBeyond = begin + at - start > width && begin + runeCount(text.slice(start, at)) > width
    if (!isAlone || !isInner || !isBeyond) continue
    lines.push(text.slice(start, at))
    start = at + 1
    begin = indent
  }
  lines.push(text.slice(start))
  return lines.join(`\n${' '.repeat(indent)}`)
}

export const runeCount = (text: string): number => (isAscii(text) ? text.length : [...text].length)

/** If a string begins with this mark, libyaml escapes every character of the string. */
const byteOrderMark = '\ufeff'

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\xa0': '\\_',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

const escaped = (rune: string, isAll: boolean): string => {
  const isShown = !isAll && !unprintable.test(rune) && !needsEscape.test(rune)
  if (isShown) return rune
  const named = escapes[rune]
  if (named !== undefined) return named
  const code = rune.codePointAt(0) ?? 0
  const digits = code.toString(16).toUpperCase()
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}

const needsEscape = /["\\\n\r\x85\u2028\u2029]/

const doubleQuoted = (text: string, place: ScalarPlace): string => {
  const fits = place.isKey || place.column + text.length < place.width
  if (fits && !unprintable.test(text) && !needsEscape.test(text)) return `"${text}"`
  let column = place.column + 1
  let isAfterSpace = false
  const runes = [...text]
  const written = runes.map((rune, index) => {
    const isInner = index > 0 && index < runes.length - 1
    const isFold = rune === ' ' && !place.isKey && !isAfterSpace && column > place.width && isInner
    isAfterSpace = rune === ' '
    if (isFold) {
      const mark = runes[index + 1] === ' ' ? '\\' : ''
      column = place.indent + mark.length
      return `\n${' '.repeat(place.indent)}${mark}`
    }
    const shown = escaped(rune, text.startsWith(byteOrderMark))
    column += shown.length === 2 && rune.length === 2 ? 1 : shown.length
    return shown
  })
  return `"${written.join('')}"`
}

/** `|-` and the lines; `|` if the text ends in one line break, `|+` if it ends in more. */
const block = (text: string, { indent }: ScalarPlace): string => {
  const hint = /^[ \n]/.test(text) ? '2' : ''
  const chomp = !text.endsWith('\n') ? '-' : text === '\n' || text.endsWith('\n\n') ? '+' : ''
  const pad = ' '.repeat(indent)
  const lines = text.split('\n').map(line => (line === '' ? '' : pad + line))
  return `|${hint}${chomp}\n${lines.join('\n')}`.replace(/\n$/, '')
}

const dated = /^\d{4}-\d/
const layouts: readonly string[] = [
  '2006-1-2T15:4:5.999999999Z07:00',
  '2006-1-2t15:4:5.999999999Z07:00',
  '2006-1-2 15:4:5.999999999',
  '2006-1-2',
]

const isTimestamp = (text: string): boolean =>
  dated.test(text) && layouts.some(layout => holds(() => parseInstant(layout, text) !== undefined))

const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** Whether all YAML readers, including older readers, read the text without quotes as a string. */
const isPlainString = (text: string): boolean =>
  plainScalar(text) === text && !isTimestamp(text) && !sexagesimal.test(text)
