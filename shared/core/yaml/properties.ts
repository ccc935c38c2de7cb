// Reads properties before a node, `&anchor` and `!tag`, and aliases, `*alias`.
import { blanksOrBreaks, type Cursor, signs } from './cursor.ts'
import { type DocumentReading, noProperties, type Properties } from './reading.ts'

const nameEnd = `(?=[${blanksOrBreaks}?:,\\]}%@\`]|$)`
const name = new RegExp(`[&*][\\w-]+${nameEnd}`, 'y')
const tagEnd = `(?=[${blanksOrBreaks}]|$)`
const inTag = "(?:[\\w;/?:@&=+$,.!~*'()\\[\\]-]|%[\\da-fA-F]{2})"
const verbatimTag = new RegExp(`!<${inTag}+>${tagEnd}`, 'y')
const tag = new RegExp(`(!(?:[\\w-]*!)?)(${inTag}*)${tagEnd}`)
const wholeTag = new RegExp(`!${inTag}*${tagEnd}`, 'y')

/** Reads at most one anchor and one tag. `between` skips the text after each. */
export const takeProperties = (reading: DocumentReading, between: (cursor: Cursor) => void): Properties => {
  const { cursor } = reading
  let found = noProperties
  for (;;) {
    const code = cursor.code()
    if (code === signs.ampersand && found.anchor === undefined) found = { ...found, anchor: takeAnchor(reading) }
    else if (code === signs.exclamation && found.tag === undefined) found = { ...found, tag: takeTag(reading) }
    else return found
    cursor.mayStartKey = false
    between(cursor)
  }
}

const takeAnchor = (reading: DocumentReading): string => {
  const anchor = takeName(reading.cursor)
  reading.begin(anchor)
  return anchor
}

export const takeAlias = (reading: DocumentReading): unknown => {
  const { at } = reading.cursor
  const alias = takeName(reading.cursor)
  reading.cursor.mayStartKey = false
  return reading.alias(alias, at)
}

const takeName = (cursor: Cursor): string => {
  const found = cursor.take(name)
  if (found === '') throw cursor.fault('did not find expected alphabetic or numeric character')
  return found.slice(1)
}

/** The full tag, such as `tag:yaml.org,2002:str` for `!!str`. */
const takeTag = ({ cursor, tagPrefixes }: DocumentReading): string => {
  const { at } = cursor
  const verbatim = cursor.take(verbatimTag)
  if (verbatim !== '') return verbatim.slice(2, -1)
  const [, handle = '', suffix = ''] = tag.exec(cursor.take(wholeTag)) ?? []
  if (handle === '') throw cursor.fault('did not find expected tag', at)
  if (suffix === '' && handle === '!') return handle
  const prefix = tagPrefixes.get(handle)
  if (prefix === undefined || suffix === '') throw cursor.fault('found undefined tag handle', at)
  return prefix + suffix
}
