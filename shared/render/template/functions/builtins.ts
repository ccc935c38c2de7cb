// The functions of text/template itself; `and` and `or` are evaluated by the executor, since they do not look at every argument.
import { sprint, sprintln } from '../format/print.ts'
import { sprintf } from '../format/printf.ts'
import { printable } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'
import { byteLength, bytesOf } from '../value/bytes.ts'
import { compared, isEqualTo } from '../value/comparison.ts'
import { asMap, elementsOf, integerOf, isTrue, lengthOf, plain, typeName } from '../value/kinds.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import { type GoValue, isMissing, Sized } from '../value/value.ts'

const length = (value: GoValue): bigint => {
  if (isMissing(value))
    throw new Failure(value === null ? 'len of nil pointer' : 'reflect: call of reflect.Value.Type on zero Value')
  const count = lengthOf(value)
  if (count === undefined) throw new Failure(`len of type ${typeName(value)}`)
  return BigInt(count)
}

const indexed = (item: GoValue, key: GoValue): GoValue => {
  if (isMissing(item)) throw new Failure('index of nil pointer')
  const map = asMap(item)
  if (map !== undefined) {
    if (isMissing(key)) throw new Failure('value is nil; should be of type string')
    if (typeof key !== 'string') throw new Failure(`value has type ${typeName(key)}; should be string`)
    return map.has(key) ? map.get(key) : map.zero
  }
  if (typeof item === 'string') {
    return new Sized('uint8', BigInt(bytesOf(item)[position(key, byteLength(item))] ?? 0))
  }
  if (item instanceof Uint8Array) return new Sized('uint8', BigInt(item[position(key, item.length)] ?? 0))
  const list = elementsOf(item)
  if (list === undefined) throw new Failure(`can't index item of type ${typeName(item)}`)
  return list[position(key, list.length)]
}

const position = (key: GoValue, size: number): number => {
  if (isMissing(key)) throw new Failure('cannot index slice/array with nil')
  const index = integerOf(key)
  if (index === undefined) throw new Failure(`cannot index slice/array with type ${typeName(key)}`)
  if (index < 0n || index > BigInt(size)) throw new Failure(`index out of range: ${index}`)
  if (index === BigInt(size)) throw new Failure('reflect: slice index out of range')
  return Number(index)
}

const equalToAny = (first: GoValue, others: readonly GoValue[]): boolean => {
  if (others.length === 0) throw new Failure('missing argument for comparison')
  return others.some(other => isEqualTo(first, other))
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
}

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '"': '\\"',
  '<': '\\u003C',
  '>': '\\u003E',
  '&': '\\u0026',
  '=': '\\u003D',
}

const unicode = (rune: string): string => `\\u${(rune.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const shownOtherwise = new RegExp(String.raw`[\\'"<>&=]|[^${printable}]`, 'gu')

const javascript = (text: string): string => text.replaceAll(shownOtherwise, rune => jsEscapes[rune] ?? unicode(rune))

const query = (text: string): string =>
  Array.from(bytesOf(text), byte => {
    const sign = String.fromCharCode(byte)
    if (/[A-Za-z0-9\-_.~]/.test(sign)) return sign
    return byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }).join('')

/** Text of the arguments, as printing shows them. */
const shown = (values: readonly GoValue[]): string =>
  sprint(values.map(value => (isMissing(value) ? '<no value>' : value)))

const widest = /%[^a-zA-Z%]*?(\d{3,})/g

export const builtins: FunctionTable = {
  call: fn('value ...value', callee => {
    if (isMissing(callee)) throw new Failure('call of nil')
    throw new Failure(`non-function of type ${typeName(callee)}`)
  }),
  html: fn('...any', (...values) => shown(values).replaceAll(/[\0"'&<>]/g, sign => htmlEscapes[sign] ?? sign)),
  index: fn('value ...value', (item, ...keys) => {
    if (isMissing(item)) throw new Failure('index of untyped nil')
    return keys.reduce<GoValue>((value, key) => indexed(plain(value), key), item)
  }),
  js: fn('...any', (...values) => javascript(shown(values))),
  len: fn('value', length),
  not: fn('value', value => !isTrue(value)),
  print: fn('...any', (...values) => sprint(values)),
  printf: within('string ...any', ({ budget }, format, ...values) => {
    for (const [, width] of format.matchAll(widest)) budget.fits(Number(width))
    return sprintf(format, values)
  }),
  println: fn('...any', (...values) => sprintln(values)),
  urlquery: fn('...any', (...values) => query(shown(values))),
  eq: fn('value ...value', (first, ...others) => equalToAny(first, others)),
  ne: fn('value value', (a, b) => !isEqualTo(a, b)),
  lt: fn('value value', (a, b) => compared(a, b) < 0),
  le: fn('value value', (a, b) => compared(a, b) < 0 || isEqualTo(a, b)),
  gt: fn('value value', (a, b) => !(compared(a, b) < 0 || isEqualTo(a, b))),
  ge: fn('value value', (a, b) => !(compared(a, b) < 0)),
}
