// Reads one YAML document to JSON values as kubectl and helm do. Callers split streams into documents, because helm and kubectl split
// differently.
import { formatFloat } from '../text/float-text.ts'
import { blockValue } from './block.ts'
import { blanksOrBreaks, breaks, Cursor, signs, YamlError } from './cursor.ts'
import { type Dialect, DocumentReading, type Repeated } from './reading.ts'
import { isWhole, plainScalar } from './scalar-text.ts'

export { YamlError }

/** The first document; null when the text is empty. Throws YamlError. */
export const readYaml = (text: string): unknown => readDocument(text, json)

/** Like `readYaml`; undefined if the text is not valid YAML. */
export const yamlOrNothing = (text: string): unknown => {
  try {
    return readYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}

/** Like `readYaml`; calls `repeated` for each key that occurs again in its map. The last value counts. */
export const readYamlNoting = (repeated: Repeated, text: string): unknown => readDocument(text, { ...json, repeated })

type ReadPlain = Dialect['plain']

/** Like `readYaml`, with another interpretation of unquoted scalars. */
export const readYamlWith = (plain: ReadPlain, text: string): unknown => readDocument(text, { ...json, plain })

const base64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/

const decoded = (text: string): string | undefined =>
  base64.test(text.replaceAll(/[\r\n]/g, '')) ? Buffer.from(text, 'base64').toString() : undefined

const ofType = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined)

type Tagged = (text: string, plain: ReadPlain) => unknown

const tagged: Readonly<Record<string, Tagged>> = {
  int: (text, plain) => (isWhole(text) ? plain(text) : undefined),
  float: (text, plain) => ofType('number', plain(text)),
  bool: (text, plain) => ofType('boolean', plain(text)),
  null: (text, plain) => (plain(text) === null ? null : undefined),
  binary: decoded,
}

/**
 * Interprets tagged scalars, based on `plain` for unquoted scalars. undefined when the text does not fit the tag. Unknown tags are
 * ignored.
 */
export const taggedScalar =
  (plain: ReadPlain): Dialect['tagged'] =>
  (tag, text) => {
    const name = tag.startsWith(prefix) ? tag.slice(prefix.length) : ''
    const read = Object.hasOwn(tagged, name) ? tagged[name] : undefined
    return read ? read(text, plain) : text
  }

const prefix = 'tag:yaml.org,2002:'

/** JSON keys are text; null and collections cannot become keys. */
const keyText = (key: unknown, written: string): string | undefined => {
  if (typeof key === 'string') return key
  if (typeof key === 'boolean' || (typeof key === 'number' && isWhole(written))) return String(key)
  if (typeof key !== 'number') return undefined
  return Number.isFinite(key)
    ? formatFloat(singlePrecision(key), 'g', -1)
    : Number.isNaN(key)
      ? '.nan'
      : key > 0
        ? '.inf'
        : '-.inf'
}

/** The shortest number with the same 32-bit value, because Go writes keys in 32 bits. */
const singlePrecision = (number: number): number => {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(count => Number(Math.fround(number).toPrecision(count)))
  return digits.find(short => Math.fround(short) === Math.fround(number)) ?? number
}

const json: Dialect = {
  plain: plainScalar,
  tagged: taggedScalar(plainScalar),
  nothing: null,
  folded: text => text,
  keyText,
  isStrict: false,
  aliasedMost: 100_000,
}

/** Throws YamlError. */
export const readDocument = (text: string, dialect: Dialect): unknown => {
  const cursor = new Cursor(text)
  refuseControls(cursor)
  const reading = new DocumentReading(cursor, dialect, begin(cursor))
  try {
    const value = blockValue(reading)
    if (typeof value !== 'object') refuseRestOfLine(cursor)
    return value
  } catch (error) {
    // Deep nesting can overflow the stack if the caller has used most of it.
    if (error instanceof RangeError) throw new YamlError('is nested too deep', 1)
    throw error
  }
}

const controls = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** Like `controls`, except that lone surrogates do not match. Five times as fast as `controls`. */
const controlUnits = /[^\t\n\r\x20-\x7e\x85\xa0-\ufffd]/

const refuseControls = (cursor: Cursor): void => {
  if (!controlUnits.test(cursor.text) && cursor.text.isWellFormed()) return
  const at = cursor.text.search(controls)
  if (at >= 0) throw cursor.fault('control characters are not allowed', at)
}

const lineEnd = `[ \\t]*(?:#[^${breaks}]*)?(?=[${breaks}]|$)`
const versionDirective = new RegExp(`%YAML[ \\t]+1\\.1${lineEnd}`, 'y')
const tagDirective = new RegExp(`%TAG[ \\t]+(![\\w-]*!?)[ \\t]+([^${blanksOrBreaks}]+)${lineEnd}`)
const directiveLine = new RegExp(`%[^${breaks}]*`, 'y')

/** Skips directives and `---`. Returns the prefixes of tags by handle. */
const begin = (cursor: Cursor): ReadonlyMap<string, string> => {
  const prefixes = new Map([
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ])
  const isDirective = (): boolean => cursor.code() === signs.percent && cursor.column === 0
  cursor.toToken()
  const hasDirectives = isDirective()
  for (; isDirective(); cursor.toToken()) takeDirective(cursor, prefixes)
  const isMarked = cursor.isAtMark()
  if (isMarked && cursor.code() === signs.dash) {
    cursor.at += 3
    cursor.mayStartKey = false
  } else if (isMarked || hasDirectives) throw cursor.fault('did not find expected document start')
  return prefixes
}

const takeDirective = (cursor: Cursor, prefixes: Map<string, string>): void => {
  if (cursor.take(versionDirective) !== '') return
  const { at } = cursor
  const [, handle, prefix] = tagDirective.exec(cursor.take(directiveLine)) ?? []
  if (handle === undefined || prefix === undefined) throw cursor.fault('found unknown directive', at)
  prefixes.set(handle, prefix)
}

/** A scalar document must not be followed by more text on its line. Go ignores later lines, and text after a list or map. */
const refuseRestOfLine = (cursor: Cursor): void => {
  cursor.toToken()
  if (!cursor.mayStartKey && !cursor.isAtEnd()) throw cursor.fault('did not find expected document end')
}
