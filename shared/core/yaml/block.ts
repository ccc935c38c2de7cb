// Reads lists, maps and texts in block style: structure by indentation.
import type { JsonMap } from '../json/json.ts'
import { type Cursor, isBlank, isBreak, signs } from './cursor.ts'
import { inlineContent, isKeyEnd } from './flow.ts'
import {
  type Content,
  type DocumentReading,
  Entries,
  type EntryKey,
  entryKey,
  nodeOf,
  noProperties,
  type Properties,
  takeProperties,
  takeWordKey,
} from './reading.ts'

type Place = {
  /** Properties on lines before the node. */
  readonly given: Properties
  /** A list below a key may have the indentation of the key. */
  readonly isBelowKey: boolean
}

const inItem: Place = { given: noProperties, isBelowKey: false }
const behindKey: Place = { given: noProperties, isBelowKey: true }

/** The next node if it is indented deeper than the current collection, otherwise the value of an empty node. */
export const blockValue = (reading: DocumentReading, place: Place = inItem): unknown => {
  const { cursor } = reading
  cursor.toToken()
  if (cursor.isAtEnd()) return reading.nothing(place.given)
  const depth = cursor.column - cursor.indent
  const isBeside = place.isBelowKey && cursor.isIndicator(signs.dash)
  const isHere = depth > 0 || (depth === 0 && (isBeside || isBlockText(cursor)))
  return isHere ? node(reading, place) : reading.nothing(place.given)
}

const node = (reading: DocumentReading, place: Place): unknown => {
  const { cursor } = reading
  if (isBlockText(cursor)) return textOfBlock(reading, place.given)
  const isList = cursor.isIndicator(signs.dash)
  if (!isList && !cursor.isIndicator(signs.question)) return inlineOrMap(reading, place)
  if (!cursor.mayStartKey) throw cursor.fault('a block collection is not allowed in this context')
  return reading.collection(isList ? listAt(reading, cursor.column) : mapAt(reading, cursor.column), place.given)
}

const textOfBlock = (reading: DocumentReading, given: Properties): unknown => {
  const { cursor, dialect } = reading
  const { at } = cursor
  const isFolded = cursor.code() === signs.greater
  const text = blockText(cursor)
  return reading.value({ is: 'text', text: isFolded ? dialect.folded(text) : text, isPlain: false, at }, given)
}

const toNextInLine = (cursor: Cursor): void => {
  cursor.takeBlanks()
}

/** The start of a line, or the text after a dash or colon: a key, a whole node, or the properties of a following node. */
type Head = { readonly own: Properties; readonly content: Content | undefined; readonly isKey: boolean }

const takeHead = (reading: DocumentReading): Head => {
  const { cursor } = reading
  const { at, lineStart } = cursor
  const own = takeProperties(reading, toNextInLine)
  const content = inlineContent(reading, own)
  cursor.takeBlanks()
  return { own, content, isKey: isKeyEnd(cursor, { at, lineStart }) }
}

const inlineOrMap = (reading: DocumentReading, place: Place): unknown => {
  const { cursor } = reading
  const { column, mayStartKey } = cursor
  const word = mayStartKey ? takeWordKey(reading) : undefined
  if (word !== undefined) return reading.collection(mapAt(reading, column, word), place.given)
  const { own, content, isKey } = takeHead(reading)
  if (mayStartKey && isKey)
    return reading.collection(mapAt(reading, column, entryKey(reading, nodeOf(reading, content, own))), place.given)
  const given = own === noProperties ? place.given : together(cursor, place.given, own)
  if (content !== undefined) return reading.value(content, given)
  if (isBlockText(cursor)) return textOfBlock(reading, given)
  return cursor.isAtLineEnd() ? blockValue(reading, { ...place, given }) : reading.nothing(given)
}

const together = (cursor: Cursor, given: Properties, own: Properties): Properties => {
  const isTwice = (key: keyof Properties): boolean => given[key] !== undefined && own[key] !== undefined
  if (isTwice('anchor') || isTwice('tag')) throw cursor.fault('a node has two anchors or two tags')
  return { ...given, ...own }
}

/** A map with keys in this column. `first` is its first key if that has been read. */
const mapAt = (reading: DocumentReading, column: number, first?: EntryKey): JsonMap => {
  const { cursor } = reading
  const outer = cursor.indent
  const entries = new Entries(reading)
  cursor.indent = column
  reading.enter()
  if (first !== undefined) entries.add(first, valueBehindColon(reading))
  while (isNextKey(cursor, column))
    if (cursor.isIndicator(signs.question)) addExplicit(reading, entries)
    else addNext(reading, entries)
  reading.leave()
  cursor.indent = outer
  return entries.map
}

const isNextKey = (cursor: Cursor, column: number): boolean => {
  cursor.toToken()
  if (cursor.isAtEnd() || cursor.column < column) return false
  if (cursor.column > column || !cursor.mayStartKey) throw cursor.fault('did not find expected key')
  return true
}

const nextKey = (reading: DocumentReading): EntryKey => {
  const word = takeWordKey(reading)
  if (word !== undefined) return word
  const { own, content, isKey } = takeHead(reading)
  if (!isKey) throw reading.cursor.fault("could not find expected ':'")
  return entryKey(reading, nodeOf(reading, content, own))
}

const valueBehindColon = (reading: DocumentReading): unknown => {
  reading.cursor.at += 1
  reading.cursor.mayStartKey = false
  return blockValue(reading, behindKey)
}

const addNext = (reading: DocumentReading, entries: Entries): void => {
  const key = nextKey(reading)
  const { at } = reading.cursor
  entries.add(key, valueBehindColon(reading), at)
}

/** `? key`, with `: value` on a later line. */
const addExplicit = (reading: DocumentReading, entries: Entries): void => {
  const { cursor } = reading
  const { at, indent } = cursor
  const key = entryKey(reading, { value: valueBehindSign(reading), text: '', isMerge: false, at })
  cursor.toToken()
  const hasValue = !cursor.isAtEnd() && cursor.column === indent && cursor.isIndicator(signs.colon)
  if (hasValue && !cursor.mayStartKey) throw cursor.fault('mapping values are not allowed in this context')
  entries.add(key, hasValue ? valueBehindSign(reading) : reading.dialect.nothing)
}

/** Like `valueBehindColon`, but a collection may start on the line of the sign. */
const valueBehindSign = (reading: DocumentReading): unknown => {
  reading.cursor.at += 1
  reading.cursor.mayStartKey = true
  return blockValue(reading, behindKey)
}

const listAt = (reading: DocumentReading, column: number): unknown[] => {
  const { cursor } = reading
  const outer = cursor.indent
  const items: unknown[] = []
  cursor.indent = column
  reading.enter()
  do {
    cursor.at += 1
    cursor.mayStartKey = true
    items.push(blockValue(reading))
  } while (isNextItem(cursor, column, outer === column))
  reading.leave()
  cursor.indent = outer
  return items
}

/** A list in the column of its key ends at the next key. */
const isNextItem = (cursor: Cursor, column: number, isBesideKey: boolean): boolean => {
  cursor.toToken()
  if (cursor.isAtEnd() || cursor.column < column) return false
  const isItem = cursor.column === column && cursor.isIndicator(signs.dash) && cursor.mayStartKey
  if (!isItem && !isBesideKey) throw cursor.fault("did not find expected '-' indicator")
  return isItem
}

const isBlockText = (cursor: Cursor): boolean => cursor.code() === signs.bar || cursor.code() === signs.greater

/** Reads a block scalar: `|` keeps line breaks, `>` folds them. The cursor ends at the first line after the block. */
const blockText = (cursor: Cursor): string => {
  const isFolding = cursor.code() === signs.greater
  cursor.at += 1
  const { chomping, indent } = header(cursor)
  const block = lines(cursor, indent, isFolding)
  cursor.mayStartKey = true
  if (chomping === '-') return block.text
  return block.text + block.end + (chomping === '+' ? block.emptyLines : '')
}

const modifiers = /[-+][0-9]?|[0-9][-+]?/y

/** `indent` is 0 when the first line determines it. */
const header = (cursor: Cursor): { readonly chomping: string; readonly indent: number } => {
  const found = cursor.take(modifiers)
  const digit = found.replace(/[-+]/, '')
  if (digit === '0') throw cursor.fault('found an indentation indicator equal to 0')
  cursor.takeBlanks()
  if (cursor.code() === signs.hash) cursor.takeLine()
  if (!cursor.isAtLineEnd()) throw cursor.fault('did not find expected comment or line break')
  cursor.takeBreak()
  return { chomping: found.replace(/[0-9]/, ''), indent: digit === '' ? 0 : Math.max(cursor.indent, 0) + Number(digit) }
}

/** `end`: the break of the last line. `emptyLines`: the empty lines after it. */
type Block = { readonly text: string; readonly end: string; readonly emptyLines: string }

const lines = (cursor: Cursor, given: number, isFolding: boolean): Block => {
  let empty = emptyLines(cursor, given)
  const { indent } = empty
  const parts: string[] = []
  let end = ''
  let wasDeeper = false
  while (cursor.column === indent && cursor.at < cursor.text.length) {
    const isDeeper = isBlank(cursor.code())
    const isFolded = isFolding && end === '\n' && !wasDeeper && !isDeeper
    parts.push(isFolded ? (empty.breaks === '' ? ' ' : '') : end, empty.breaks, cursor.takeLine())
    end = cursor.takeBreak()
    wasDeeper = isDeeper
    empty = emptyLines(cursor, indent)
  }
  return { text: parts.join(''), end, emptyLines: empty.breaks }
}

/** Skips lines of spaces, and the indentation of the next line. If `known` is 0, determines the indentation. */
const emptyLines = (cursor: Cursor, known: number): { readonly breaks: string; readonly indent: number } => {
  let breaks = ''
  let deepest = 0
  for (;;) {
    while ((known === 0 || cursor.column < known) && cursor.code() === signs.space) cursor.at += 1
    deepest = Math.max(deepest, cursor.column)
    if ((known === 0 || cursor.column < known) && cursor.code() === signs.tab)
      throw cursor.fault('found a tab character where an indentation space is expected')
    if (!isBreak(cursor.code())) break
    breaks += cursor.takeBreak()
  }
  return { breaks, indent: known === 0 ? Math.max(deepest, cursor.indent + 1, 1) : known }
}
