// Reads flow style: lists in brackets, maps in braces, and scalars and aliases on one line.
import type { JsonMap } from '../json/json.ts'
import { type Cursor, signs } from './cursor.ts'
import {
  type Content,
  type DocumentReading,
  Entries,
  entryKey,
  type Node,
  nodeOf,
  noProperties,
  type Properties,
  takeAlias,
  takeProperties,
} from './reading.ts'
import { doubleQuotedText, plainText, singleQuotedText } from './scalar-text.ts'

/** A node that needs no separate lines; undefined if there are only the properties before it. */
export const inlineContent = (reading: DocumentReading, properties: Properties): Content | undefined => {
  const { cursor } = reading
  const isBare = properties === noProperties
  if (!isBare && cursor.code() === signs.asterisk) throw cursor.fault('an alias cannot have an anchor or a tag')
  const content = contentHere(reading)
  if (content === undefined && isBare) throw cursor.fault('did not find expected node content')
  return content
}

const contentHere = (reading: DocumentReading): Content | undefined => {
  const { cursor } = reading
  const { at } = cursor
  switch (cursor.code()) {
    case signs.openList:
      return { is: 'value', value: flowList(reading), at }
    case signs.openMap:
      return { is: 'value', value: flowMap(reading), at }
    case signs.quote:
      return { is: 'text', text: doubleQuotedText(cursor), isPlain: false, at }
    case signs.apostrophe:
      return { is: 'text', text: singleQuotedText(cursor), isPlain: false, at }
    case signs.asterisk:
      return { is: 'value', value: takeAlias(reading), at }
  }
  return startsPlain(cursor) ? { is: 'text', text: plainText(cursor), isPlain: true, at } : undefined
}

/** These characters never start a plain scalar. */
const indicators = new Set(Array.from(',[]{}#&*!|>\'"%@`\t', sign => sign.charCodeAt(0)))

const startsPlain = (cursor: Cursor): boolean => {
  const code = cursor.code()
  if (code === signs.dash) return !cursor.isBlankOrEnd(1)
  if (code === signs.question || code === signs.colon) return cursor.brackets === 0 && !cursor.isBlankOrEnd(1)
  return !indicators.has(code) && !cursor.isBlankOrEnd(0)
}

const keyLengthMost = 1_024

/** Whether the text since `start` is a key: it is on one line, and a colon follows. */
export const isKeyEnd = (cursor: Cursor, start: { readonly at: number; readonly lineStart: number }): boolean =>
  cursor.lineStart === start.lineStart &&
  cursor.code() === signs.colon &&
  (cursor.brackets > 0 || cursor.isBlankOrEnd(1)) &&
  cursor.at - start.at <= keyLengthMost

const toNext = (cursor: Cursor): void => cursor.toToken()

const takeNode = (reading: DocumentReading): Node => {
  const properties = takeProperties(reading, toNext)
  return nodeOf(reading, inlineContent(reading, properties), properties)
}

const absent = (reading: DocumentReading): Node => nodeOf(reading, undefined, noProperties)

/** The node after a colon or a question mark; absent if one of the `ends` follows. */
const nodeBehind = (reading: DocumentReading, ends: readonly number[]): Node => {
  const { cursor } = reading
  cursor.at += 1
  cursor.mayStartKey = false
  cursor.toToken()
  return ends.includes(cursor.code()) ? absent(reading) : takeNode(reading)
}

/** Without a pair, `key` is the whole entry. */
type Entry = { readonly key: Node; readonly value: Node; readonly isPair: boolean }

const takeEntry = (reading: DocumentReading, end: number): Entry => {
  const { cursor } = reading
  const { at, lineStart } = cursor
  const isExplicit = cursor.code() === signs.question
  const key = isExplicit ? nodeBehind(reading, [signs.comma, signs.colon, end]) : takeNode(reading)
  cursor.toToken()
  const hasValue = isExplicit ? cursor.code() === signs.colon : isKeyEnd(cursor, { at, lineStart })
  const value = hasValue ? nodeBehind(reading, [signs.comma, end]) : absent(reading)
  return { key, value, isPair: isExplicit || hasValue }
}

const eachEntry = (reading: DocumentReading, end: number, take: (entry: Entry) => void): void => {
  const { cursor } = reading
  reading.enter()
  cursor.brackets += 1
  let isOpen = isNextEntry(cursor, end)
  while (isOpen) {
    take(takeEntry(reading, end))
    cursor.toToken()
    if (cursor.code() !== signs.comma && cursor.code() !== end)
      throw cursor.fault(`did not find expected ',' or '${String.fromCharCode(end)}'`)
    isOpen = cursor.code() === signs.comma && isNextEntry(cursor, end)
  }
  cursor.at += 1
  cursor.brackets -= 1
  cursor.mayStartKey = false
  reading.leave()
}

const isNextEntry = (cursor: Cursor, end: number): boolean => {
  cursor.at += 1
  cursor.mayStartKey = true
  cursor.toToken()
  if (cursor.isAtMark()) throw cursor.fault('did not find expected node content')
  return cursor.code() !== end
}

const flowList = (reading: DocumentReading): unknown[] => {
  const items: unknown[] = []
  eachEntry(reading, signs.closeList, entry =>
    items.push(entry.isPair ? pairOf(reading, entry) : inJson(reading, entry.key)),
  )
  return items
}

const flowMap = (reading: DocumentReading): JsonMap => {
  const entries = new Entries(reading)
  eachEntry(reading, signs.closeMap, ({ key, value }) =>
    entries.add(entryKey(reading, key), inJson(reading, value), value.at),
  )
  return entries.map
}

const inJson = (reading: DocumentReading, { value, at }: Node): unknown => reading.ofJson(value, at)

/** `[a: b]` contains a map with one entry. */
const pairOf = (reading: DocumentReading, { key, value }: Entry): JsonMap => {
  const entries = new Entries(reading)
  entries.add(entryKey(reading, key), inJson(reading, value))
  return entries.map
}
