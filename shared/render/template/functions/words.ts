// sprig's functions on letters and words: upper and lower case, camel and snake case, initials, wrapping.
import { bytesOf, isAscii, textOf } from '../value/bytes.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'

const isUpper = (rune: string): boolean => /^\p{Lu}$/u.test(rune)
const isConnector = (rune: string): boolean => /^[-_\s\x85]$/.test(rune)

/** Maps a rune only if the result is a single rune, because Go maps rune by rune. */
const mapped = (rune: string, map: (text: string) => string): string => {
  const other = map(rune)
  return [...other].length === 1 ? other : rune
}

const upper = (rune: string): string => mapped(rune, text => text.toUpperCase())
const lower = (rune: string): string => [...rune.toLowerCase()][0] ?? ''
const each = (text: string, map: (rune: string) => string): string => Array.from(text, map).join('')

const afterSpace = (text: string, first: (rune: string) => string): string => {
  let isStart = true
  return each(text, rune => {
    const isFirst = isStart && !/\s/.test(rune)
    isStart = /\s/.test(rune)
    return isFirst ? first(rune) : rune
  })
}

/** strings.Title: a word begins after a space, and after an ASCII character other than a letter, digit or `_`. */
const title = (text: string): string => text.replace(/(?<=^|[!-/:-@[-^`{-~\s])(\p{L})/gu, upper)

const swapped = (text: string): string =>
  each(text, rune => (/[\p{Lu}\p{Lt}]/u.test(rune) ? lower(rune) : /\p{Ll}/u.test(rune) ? upper(rune) : rune))

/** Reads byte by byte, as Go does. */
const initials = (text: string): string => {
  let isStart = true
  const letters = Array.from(bytesOf(text), byte => {
    const sign = String.fromCharCode(byte)
    const isSpace = /[\t-\r \x85\xa0]/.test(sign)
    const isFirst = isStart && !isSpace
    isStart = isSpace
    return isFirst ? sign : ''
  })
  return letters.join('')
}

/** xstrings.ToPascalCase. Connectors at the start and adjacent connectors stay. In a text of only connectors, the last one is doubled. */
const pascal = (text: string): string => {
  const [, lead = '', body = ''] = /^([-_\s\x85]*)([\s\S]*)$/.exec(text) ?? []
  const [first = '', ...rest] = [...body]
  const written: string[] = []
  let isShouting = isUpper(first)
  let before = upper(first)
  if (first === '') return lead + (lead.at(-1) ?? '')
  for (const rune of rest) {
    let now = rune
    if (isConnector(rune) && isConnector(before)) written.push(before)
    else if (isConnector(before)) {
      isShouting = isUpper(rune)
      now = upper(rune)
    } else {
      if (isShouting && isUpper(rune)) now = lower(rune)
      else isShouting = false
      written.push(before)
    }
    before = now
  }
  return lead + written.join('') + before
}

type Word = {
  readonly kind: 'number' | 'upper' | 'letters' | 'connector' | 'punctuation' | 'other'
  readonly text: string
}

const small = '(?:(?!\\p{Lu})\\p{L})'

const wordPatterns: readonly (readonly [Word['kind'], RegExp])[] = [
  ['connector', /[-_\s\x85]+/y],
  ['punctuation', /\p{P}+/uy],
  ['upper', new RegExp(`\\p{Lu}+(?=\\p{Lu}${small})|\\p{Lu}{2,}|\\p{Lu}${small}*`, 'uy')],
  ['letters', new RegExp(`${small}+`, 'uy')],
  ['number', /\p{N}+/uy],
  ['other', /[^-_\s\x85\p{L}\p{N}\p{P}]+/uy],
]

/** The words of xstrings: HTTPStatus2xx is HTTP, Status, 2, xx. */
const words = (text: string): readonly Word[] => {
  const found: Word[] = []
  for (let at = 0; at < text.length; ) {
    const word = wordAt(text, at)
    found.push(word)
    at += word.text.length
  }
  return found
}

const wordAt = (text: string, at: number): Word => {
  for (const [kind, pattern] of wordPatterns) {
    pattern.lastIndex = at
    const [found] = pattern.exec(text) ?? []
    if (found !== undefined) return { kind, text: found }
  }
  return { kind: 'other', text: text.slice(at, at + 1) }
}

const isRun = (word: Word | undefined): boolean => word?.kind === 'letters' || word?.kind === 'number'
const isSign = (word: Word | undefined): boolean => word?.kind === 'connector' || word?.kind === 'punctuation'

/** Number of words that follow this word without a connector. */
const attached = (list: readonly Word[], at: number): number => {
  const runFrom = (start: number): number => {
    let end = start
    while (isRun(list[end])) end += 1
    return end - start
  }
  if (list[at]?.kind === 'number') return runFrom(at + 1)
  const isNumberNext = list[at + 1]?.kind === 'number'
  return isNumberNext && list[at + 2]?.kind !== 'letters' ? 1 : 0
}

const lowered = (word: Word, connector: string): string => {
  if (word.kind !== 'upper' && word.kind !== 'connector') return word.text
  return each(word.text, rune => (isConnector(rune) ? connector : lower(rune)))
}

/** xstrings.ToSnakeCase and ToKebabCase. A number before letters begins a word. Other numbers end one. */
const joined = (text: string, connector: string): string => {
  const list = words(text)
  const written: string[] = []
  for (let at = 0; at < list.length; ) {
    const group = isSign(list[at]) ? 1 : 1 + attached(list, at)
    const next = list[at + group]
    written.push(...list.slice(at, at + group).map(word => lowered(word, connector)))
    if (next !== undefined && !isSign(list[at]) && !isSign(next)) written.push(connector)
    at += group
  }
  return written.join('')
}

type Wrapping = { readonly width: number; readonly separator: string; readonly isBreakingWords: boolean }

const space = 0x20

const wrapped = (text: string, { width, separator, isBreakingWords }: Wrapping): string => {
  const bytes = Buffer.from(bytesOf(text))
  const most = Math.max(width, 1)
  const written: Uint8Array[] = []
  let at = 0
  while (bytes.length - at > most) {
    if (bytes[at] === space) at += 1
    else {
      const cut = cutOf(bytes, at, { most, isBreakingWords })
      written.push(bytes.subarray(at, cut.end), bytesOf(separator || '\n'))
      if (cut.next > bytes.length) return textOf(Buffer.concat(written.slice(0, -1)))
      at = cut.next
    }
  }
  return textOf(Buffer.concat([...written, bytes.subarray(at)]))
}

type Cut = { readonly end: number; readonly next: number }

/** The end of the line, and the start of the next line. Without a next line, the start is beyond the text. */
const cutOf = (
  bytes: Buffer,
  at: number,
  { most, isBreakingWords }: { readonly most: number; readonly isBreakingWords: boolean },
): Cut => {
  const within = bytes.subarray(at, at + most + 1).lastIndexOf(space)
  if (within >= 0) return { end: at + within, next: at + within + 1 }
  if (isBreakingWords) return { end: at + most, next: at + most }
  const later = bytes.indexOf(space, at + most)
  return later < 0 ? { end: bytes.length, next: bytes.length + 1 } : { end: later, next: later + 1 }
}

export const wordFunctions: FunctionTable = {
  camelcase: fn('string', pascal),
  initials: fn('string', initials),
  kebabcase: fn('string', text => joined(text, '-')),
  lower: fn('string', text => (isAscii(text) ? text.toLowerCase() : each(text, lower))),
  snakecase: fn('string', text => joined(text, '_')),
  swapcase: fn('string', swapped),
  title: fn('string', title),
  untitle: fn('string', text => afterSpace(text, lower)),
  upper: fn('string', text => (isAscii(text) ? text.toUpperCase() : each(text, upper))),
  wrap: fn('int string', (width, text) => wrapped(text, { width, separator: '\n', isBreakingWords: false })),
  wrapWith: within('int string string', ({ budget }, width, separator, text) => {
    budget.fits(text.length + (text.length / Math.max(width, 1)) * separator.length)
    return wrapped(text, { width, separator, isBreakingWords: true })
  }),
}
