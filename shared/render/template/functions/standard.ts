// The functions that every template has: Go's, sprig's without `env` and `expandenv`, Helm's and ours. If two tables have the same name, the later table
// wins, as Helm's functions win over sprig's.

import { quote } from '../format/quote.ts'
import { Failure } from '../run/failure.ts'
import { isBlank, toInt64 } from '../value/casting.ts'
import { isDeepEqual, kindName, typeName } from '../value/kinds.ts'
import { type FunctionTable, fn, within } from '../value/signature.ts'
import { int64, isMissing, type TemplateFunction } from '../value/value.ts'
import { builtins } from './builtins.ts'
import { certificates } from './certificates.ts'
import { dates } from './dates.ts'
import { dicts, lookups } from './dicts.ts'
import { digests, passwords } from './digests.ts'
import { documents } from './documents.ts'
import { encoding } from './encoding.ts'
import { lists } from './lists.ts'
import { math, whole } from './math.ts'
import { random } from './random.ts'
import { regexes } from './regex.ts'
import { strings } from './strings.ts'
import { paths, urls, versions } from './urls.ts'
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

const shift = (does: (value: bigint, by: bigint) => bigint): TemplateFunction =>
  fn('any any', (by, value) => {
    const amount = toInt64(by)
    if (amount < 0n) throw new Failure('runtime error: negative shift amount')
    return int64(does(toInt64(value), amount > 64n ? 64n : amount))
  })

const address = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

const parseAddress = (text: string): bigint => {
  const parts = (address.exec(text) ?? []).slice(1).map(Number)
  if (parts.length !== 4 || parts.some(part => part > 255) || /(^|\.)0\d/.test(text)) {
    throw new Failure(`invalid IPv4 address: ${quote(text)}`)
  }
  return parts.reduce((value, part) => value * 256n + BigInt(part), 0n)
}

const formatAddress = (value: bigint): string => {
  if (value < 0n || value > 0xffffffffn) throw new Failure(`not an IPv4 address: ${value}`)
  return [24n, 16n, 8n, 0n].map(by => (value >> by) & 255n).join('.')
}

const bits: FunctionTable = {
  bitwiseAnd: whole((a, b) => a & b),
  bitwiseOr: whole((a, b) => a | b),
  bitwiseXor: whole((a, b) => a ^ b),
  bitwiseShiftLeft: shift((value, by) => value << by),
  bitwiseShiftRight: shift((value, by) => value >> by),
  formatIPv4Address: fn('any', value => formatAddress(toInt64(value))),
  parseIPv4Address: fn('string', text => int64(parseAddress(text))),
}

const tables: readonly FunctionTable[] = [
  ...[builtins, strings, wordFunctions, lists, dicts, math, bits, dates, digests, encoding, paths, reflection, flow],
  ...[regexes, random, passwords, documents, versions, urls, certificates, templateFunctions, lookups],
]

export const standardFunctions: FunctionTable = Object.assign({}, ...tables)
