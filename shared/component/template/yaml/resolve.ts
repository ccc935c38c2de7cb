// What an unquoted YAML scalar is to Go and kubectl: YAML 1.1, with 0644 in octal and `yes` for true.
import { Failure } from '../run/failure.ts'
import { integer } from '../syntax/literals.ts'
import { parseInstant } from '../time/parse.ts'
import { floatOf } from '../value/casting.ts'

export type Resolved =
  | { readonly is: 'null' | 'string' | 'timestamp' }
  | { readonly is: 'bool'; readonly value: boolean }
  | { readonly is: 'int'; readonly value: bigint }
  | { readonly is: 'float'; readonly value: number }

const words: Readonly<Record<string, Resolved>> = Object.fromEntries([
  ...spelled(['y', 'yes', 'true', 'on'], { is: 'bool', value: true }),
  ...spelled(['n', 'no', 'false', 'off'], { is: 'bool', value: false }),
  ...spelled(['null'], { is: 'null' }),
  ...['', '~'].map(word => [word, { is: 'null' }] as const),
  ...['.nan', '.NaN', '.NAN'].map(word => [word, { is: 'float', value: Number.NaN }] as const),
  ...['.inf', '.Inf', '.INF'].flatMap(word => [
    [word, { is: 'float', value: Infinity }] as const,
    [`+${word}`, { is: 'float', value: Infinity }] as const,
    [`-${word}`, { is: 'float', value: -Infinity }] as const,
  ]),
])

/** Each word in small letters, capitalised and in capitals. */
function spelled(list: readonly string[], as: Resolved): (readonly [string, Resolved])[] {
  const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
  return list.flatMap(word => [word, capital(word), word.toUpperCase()].map(form => [form, as] as const))
}

const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const dated = /^\d{4}-\d/
const layouts: readonly string[] = [
  '2006-1-2T15:4:5.999999999Z07:00',
  '2006-1-2t15:4:5.999999999Z07:00',
  '2006-1-2 15:4:5.999999999',
  '2006-1-2',
]
const string: Resolved = { is: 'string' }
const least = -(2n ** 63n)
const most = 2n ** 64n

/** The kind of a plain scalar, and what it is worth. */
export const resolve = (text: string): Resolved => {
  if (Object.hasOwn(words, text)) return words[text] ?? string
  const first = text[0] ?? ''
  if (first === '.') {
    const value = floatOf(text)
    return value === undefined ? string : { is: 'float', value }
  }
  if (!/[0-9+-]/.test(first)) return string
  return isTimestamp(text) ? { is: 'timestamp' } : numeric(text.replaceAll('_', ''))
}

const numeric = (text: string): Resolved => {
  const whole = integer(text)
  if (whole !== undefined && whole >= least && whole < most) return { is: 'int', value: whole }
  const value = float.test(text) ? floatOf(text) : undefined
  return value === undefined ? string : { is: 'float', value }
}

const isTimestamp = (text: string): boolean => dated.test(text) && layouts.some(layout => isOf(layout, text))

const isOf = (layout: string, text: string): boolean => {
  try {
    parseInstant(layout, text)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

const sexagesimal = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/

/** Whether a string can stand unquoted without being taken for something else, now or by older readers. */
export const isPlainString = (text: string): boolean => resolve(text).is === 'string' && !sexagesimal.test(text)
