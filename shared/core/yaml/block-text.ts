// Scalars that are written as a block of lines behind `|`, which keeps them, or `>`, which folds them.
import { type Cursor, isBlank, isBreak, signs } from './cursor.ts'

export const isBlockText = (cursor: Cursor): boolean => cursor.code() === signs.bar || cursor.code() === signs.greater

/** The text of the block whose sign stands here; the cursor ends in the first line that does not belong to it. */
export const blockText = (cursor: Cursor): string => {
  const isFolding = cursor.code() === signs.greater
  cursor.at += 1
  const { chomping, indent } = header(cursor)
  const block = lines(cursor, indent, isFolding)
  cursor.mayStartKey = true
  if (chomping === '-') return block.text
  return block.text + block.end + (chomping === '+' ? block.emptyLines : '')
}

const modifiers = /[-+][0-9]?|[0-9][-+]?/y

/** `indent` is 0 where the first line shows it. */
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

/** `end` is the last line's break, and `emptyLines` are those that follow it. */
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

/** Goes over lines of nothing but spaces, and the indentation of the next one; finds out how deep that is if nobody knows. */
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
