// Collects the entries of a map: keys, repeated keys, and merges by `<<`.
import { put } from '../json/fields.ts'
import { isMap, type JsonMap } from '../json/json.ts'
import type { Content, DocumentReading, Properties } from './reading.ts'

const merging = Symbol('<<')

export type Node = { readonly value: unknown; readonly text: string; readonly isMerge: boolean; readonly at: number }

/** The node with this content; an empty node without content. */
export const nodeOf = (reading: DocumentReading, content: Content | undefined, properties: Properties): Node => ({
  value: content === undefined ? reading.nothing(properties) : reading.meaning(content, properties),
  text: content?.is === 'text' ? content.text : '',
  isMerge: content?.is === 'text' && isMerge(content, properties),
  at: content?.at ?? reading.cursor.at,
})

const mergeTag = 'tag:yaml.org,2002:merge'

const isMerge = ({ text, isPlain }: Content & { is: 'text' }, { tag }: Properties): boolean =>
  text === '<<' && (tag === undefined ? isPlain : tag === mergeTag)

/** A key, or the symbol for `<<`: merge the entries of the value. */
export type EntryKey = string | typeof merging

export const entryKey = (reading: DocumentReading, { value, text, isMerge, at }: Node): EntryKey => {
  if (isMerge) return merging
  const key = reading.dialect.keyText(value, text)
  if (key === undefined) throw reading.cursor.fault('a key must be a text, a number or a boolean', at)
  return key
}

const wordKey = /[A-Za-z][\w./-]{0,200}(?=:[ \n])/y

/** Fast path for the most frequent keys: a word before a colon. Returns undefined for other keys, and reads nothing. */
export const takeWordKey = ({ cursor, dialect }: DocumentReading): string | undefined => {
  const word = cursor.take(wordKey)
  if (word !== '' && dialect.plain(word) === word) return word
  cursor.at -= word.length
  return undefined
}

export class Entries {
  readonly map: JsonMap = {}
  private readonly reading: DocumentReading
  private merged: Set<string> | undefined

  constructor(reading: DocumentReading) {
    this.reading = reading
  }

  /** `at`: a position between the end of the key and the start of the value. */
  add(key: EntryKey, value: unknown, at = this.reading.cursor.at): void {
    if (key === merging) this.merge(value)
    else {
      const { isStrict, repeated } = this.reading.dialect
      if ((isStrict || repeated) && Object.hasOwn(this.map, key)) this.repeats(key, at)
      put(this.map, key, value)
    }
  }

  private repeats(key: string, at: number): void {
    const { cursor, dialect } = this.reading
    if (dialect.isStrict && !this.merged?.delete(key)) throw cursor.fault('a key occurs twice')
    dialect.repeated?.(key, () => cursor.lineOfNode(at))
  }

  /** If several maps have the same key, the first map wins. */
  private merge(value: unknown): void {
    const { isStrict } = this.reading.dialect
    this.merged ??= new Set()
    for (const [key, inner] of this.mergedEntries(value)) {
      if (isStrict && Object.hasOwn(this.map, key) && !this.merged.has(key)) continue
      this.merged.add(key)
      put(this.map, key, inner)
    }
  }

  private mergedEntries(value: unknown): [string, unknown][] {
    return (Array.isArray(value) ? value.toReversed() : [value]).flatMap(one => {
      if (isMap(one)) return Object.entries(one)
      throw this.reading.cursor.fault('map merge requires a map or a sequence of maps as the value')
    })
  }
}
