// Writes strings and runes as Go literals: strconv.Quote and its relatives.

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
