// A document from its start to its end. What follows in the text is not looked at, as by Go.
import { blockValue } from './block.ts'
import { blanksOrBreaks, breaks, Cursor, signs, YamlError } from './cursor.ts'
import { type Dialect, DocumentReading } from './reading.ts'

/** The value of the first document. Throws YamlError. */
export const readDocument = (text: string, dialect: Dialect): unknown => {
  const cursor = new Cursor(text)
  refuseControls(cursor)
  const reading = new DocumentReading(cursor, dialect, begin(cursor))
  try {
    const value = blockValue(reading)
    if (typeof value !== 'object') refuseRestOfLine(cursor)
    return value
  } catch (error) {
    // Who calls may have used up most of the stack.
    if (error instanceof RangeError) throw new YamlError('is nested too deep', 1)
    throw error
  }
}

const controls = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u

/** The same but for halves of surrogates, found five times as fast. */
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

/** Goes over directives and `---`; prefixes of tags by their handle. */
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

/** Behind a scalar that is all of a document. Later lines, and what follows a bracket, are nothing to whoever reads one document. */
const refuseRestOfLine = (cursor: Cursor): void => {
  cursor.toToken()
  if (!cursor.mayStartKey && !cursor.isAtEnd()) throw cursor.fault('did not find expected document end')
}
