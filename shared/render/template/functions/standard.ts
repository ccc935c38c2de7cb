// The functions that every template has: Go's, sprig's without `env` and `expandenv`, Helm's and ours. If two tables have the same name,
// the later table wins, as Helm's functions win over sprig's.
import { formatted, sprint, sprintln } from '../format/print.ts'
import { sprintf } from '../format/printf.ts'
import { Failure } from '../run/environment.ts'
import { printable } from '../syntax/literals.ts'
import { byteLength, bytesOf, compareText } from '../value/bytes.ts'
import { isBlank } from '../value/casting.ts'
import { type FunctionTable, fn, within } from '../value/function.ts'
import {
  asMap,
  elementsOf,
  integerOf,
  isDeepEqual,
  isTrue,
  kindName,
  lengthOf,
  plain,
  typeName,
} from '../value/kinds.ts'
import { type GoValue, Instant, isMissing, Sized, Struct } from '../value/value.ts'
import { certificates } from './certificates.ts'
import { dates } from './dates.ts'
import { dicts, lookups } from './dicts.ts'
import { digests, passwords, random } from './digests.ts'
import { documents } from './documents.ts'
import { lists } from './lists.ts'
import { bits, math } from './math.ts'
import { regexes } from './regex.ts'
import { encoding, strings } from './strings.ts'
import { escaped, paths, urls } from './urls.ts'
import { versions } from './versions.ts'
import { wordFunctions } from './words.ts'

/** `getHostByName` finds nothing, because a rendering must not use the network. */
const templateFunctions: FunctionTable = {
  getHostByName: fn('string', () => ''),
  include: within('string any', ({ include }, name, data) => include(name, data)),
  tpl: within('string any', ({ render }, text, data) => render(text, data)),
}

const reflection: FunctionTable = {
  deepEqual: fn('any any', isDeepEqual),
  kindIs: fn('string any', (kind, value) => kindName(value) === kind),
  kindOf: fn('any', kindName),
  typeIs: fn('string any', (type, value) => typeName(value) === type),
  typeIsLike: fn('string any', (type, value) => [type, `*${type}`].includes(typeName(value))),
  typeOf: fn('any', typeName),
}

const byAuthor = (message: string): Failure => new Failure(message, message)

const flow: FunctionTable = {
  coalesce: fn('...any', (...values) => values.find(value => !isBlank(value))),
  default: fn('any ...any', (usual, ...given) => (isBlank(given[0]) ? usual : given[0])),
  empty: fn('any', isBlank),
  fail: fn('string', message => {
    throw byAuthor(message)
  }),
  hello: fn('', () => 'Hello!'),
  required: fn('string any', (message, value) => {
    if (isMissing(value) || value === '') throw byAuthor(message)
    return value
  }),
  ternary: fn('any any bool', (yes, no, isYes) => (isYes ? yes : no)),
}

const widest = /%[^a-zA-Z%]*?(\d{3,})/g

const builtins: FunctionTable = {
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
  len: fn('value', value => length(value)),
  not: fn('value', value => !isTrue(value)),
  print: fn('...any', (...values) => sprint(values)),
  printf: within('string ...any', ({ budget }, format, ...values) => {
    for (const [, width] of format.matchAll(widest)) budget.fits(Number(width))
    return sprintf(format, values)
  }),
  println: fn('...any', (...values) => sprintln(values)),
  urlquery: fn('...any', (...values) => escaped(shown(values), 'query').replaceAll('%20', '+')),
  eq: fn('value ...value', (first, ...others) => equalToAny(first, others)),
  ne: fn('value value', (a, b) => !isEqualTo(a, b)),
  lt: fn('value value', (a, b) => compared(a, b) < 0),
  le: fn('value value', (a, b) => compared(a, b) < 0 || isEqualTo(a, b)),
  gt: fn('value value', (a, b) => !(compared(a, b) < 0 || isEqualTo(a, b))),
  ge: fn('value value', (a, b) => !(compared(a, b) < 0)),
}

const tables: readonly FunctionTable[] = [
  ...[builtins, strings, wordFunctions, lists, dicts, math, bits, dates, digests, encoding, paths, reflection, flow],
  ...[regexes, random, passwords, documents, versions, urls, certificates, templateFunctions, lookups],
]

export const standardFunctions: FunctionTable = Object.assign({}, ...tables)

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

const shown = (values: readonly GoValue[]): string =>
  sprint(values.map(value => (isMissing(value) ? '<no value>' : value)))

type Basic = 'bool' | 'int' | 'float' | 'string'

const basicKind = (value: GoValue): Basic | undefined => {
  if (integerOf(value) !== undefined) return 'int'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float'
  return typeof value === 'string' ? 'string' : undefined
}

const isEqualTo = (a: GoValue, b: GoValue): boolean => {
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind !== other) {
    if (isMissing(a) || isMissing(b)) return false
    throw incompatible(a, b)
  }
  if (kind === 'int') return integerOf(a) === integerOf(b)
  if (kind !== undefined) return a === b
  if (isMissing(a) || isMissing(b)) return isMissing(a) && isMissing(b)
  if (a instanceof Instant && b instanceof Instant) return a.nanoseconds === b.nanoseconds && a.zone === b.zone
  if (kindName(a) !== kindName(b)) throw ofOtherKind(a, b)
  if (a instanceof Struct && b instanceof Struct && a.under === undefined) return a === b
  throw new Failure(`non-comparable type ${formatted(b)}: ${typeName(b)}`)
}

const ofOtherKind = (a: GoValue, b: GoValue): Failure =>
  new Failure(`non-comparable types ${formatted(a)}: ${typeName(a)}, ${typeName(b)}: ${formatted(b)}`)

/** Negative if `a` is less than `b`. As in Go, NaN is not less than any number, and no number is less than NaN. */
const compared = (a: GoValue, b: GoValue): number => {
  const [kind, other] = [basicKind(a), basicKind(b)]
  if (kind === undefined || other === undefined) throw new Failure('invalid type for comparison')
  if (kind !== other) throw incompatible(a, b)
  if (kind === 'bool') throw new Failure('invalid type for comparison')
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  const [x, y] = [integerOf(a) ?? Number(a), integerOf(b) ?? Number(b)]
  return x < y ? -1 : 1
}

const incompatible = (a: GoValue, b: GoValue): Failure =>
  new Failure(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`)
