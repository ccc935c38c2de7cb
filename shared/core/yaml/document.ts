// Reads the first document of a text. Like Go, ignores the rest of the text.
import { blockValue } from './block.ts'
import { blanksOrBreaks, breaks, Cursor, signs, YamlError } from './cursor.ts'
import { type Dialect, DocumentReading } from './reading.ts'

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
