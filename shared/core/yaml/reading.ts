// The state of reading one document: position, dialect, and anchors. Reads properties before a node (`&anchor`, `!tag`) and aliases (`*alias`),
// and collects the entries of maps.
import { put } from '../json/fields.ts'
import { isMap, type JsonMap } from '../json/json.ts'
import { blanksOrBreaks, type Cursor, signs } from './cursor.ts'

export type Repeated = (key: string, lineOf: () => number) => void

/** Differences between YAML readers. */
export type Dialect = {
  readonly plain: (text: string) => unknown
  /** Interprets a tagged scalar; undefined when the text does not fit the tag. */
  readonly tagged: (tag: string, text: string) => unknown
  readonly nothing: null | undefined
  readonly folded: (text: string) => string
  /** Converts a key to text; undefined when the value cannot be a key. */
  readonly keyText: (key: unknown, written: string) => string | undefined
  /** Whether repeated keys are errors, and a key of the map wins over a merged key. */
  readonly isStrict: boolean
  /** Called for each key that occurs again in its map. `lineOf` returns the line where the value starts. */
  readonly repeated?: Repeated
  /** Maximum number of nodes from aliases. A few lines with aliases could expand to billions of nodes. */
  readonly aliasedMost: number
}

/** Properties before a node: `&name !tag`. */
export type Properties = { readonly anchor?: string | undefined; readonly tag?: string | undefined }

export const noProperties: Properties = {}

export type Content =
  | { readonly is: 'text'; readonly text: string; readonly isPlain: boolean; readonly at: number }
  | { readonly is: 'value'; readonly value: unknown; readonly at: number }

const open = Symbol('a node that is being read')

const nestingMost = 1_000

export class DocumentReading {
  readonly cursor: Cursor
  readonly dialect: Dialect
  /** Tag prefixes by handle. */
  readonly tagPrefixes: ReadonlyMap<string, string>
  private readonly anchors = new Map<string, unknown>()
  private depth = 0
  private aliased = 0

  constructor(cursor: Cursor, dialect: Dialect, tagPrefixes: ReadonlyMap<string, string>) {
    this.cursor = cursor
    this.dialect = dialect
    this.tagPrefixes = tagPrefixes
  }

  /** Call `enter` before reading a collection, and `leave` after it. */
  enter(): void {
    this.depth += 1
    if (this.depth > nestingMost) throw this.cursor.fault('is nested too deep')
  }

  leave(): void {
    this.depth -= 1
  }

  value(content: Content, properties: Properties = noProperties): unknown {
    return this.ofJson(this.meaning(content, properties), content.at)
  }

  /** Like `value`, for nodes that may be keys: allows numbers that JSON does not have. */
  meaning(content: Content, { anchor, tag }: Properties): unknown {
    const value = content.is === 'value' ? content.value : this.scalar(content, tag)
    if (anchor !== undefined) this.anchors.set(anchor, value)
    return value
  }

  ofJson(value: unknown, at: number): unknown {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw this.cursor.fault('this number does not exist in JSON', at)
    return value
  }

  /** A complete list or map. Its tag is ignored. */
  collection(value: unknown, { anchor }: Properties): unknown {
    if (anchor !== undefined) this.anchors.set(anchor, value)
    return value
  }

  nothing(properties: Properties): unknown {
    const { tag } = properties
    if (tag !== undefined) return this.value({ is: 'text', text: '', isPlain: false, at: this.cursor.at }, properties)
    return this.value({ is: 'value', value: this.dialect.nothing, at: this.cursor.at }, properties)
  }

  private scalar({ text, isPlain, at }: Content & { is: 'text' }, tag: string | undefined): unknown {
    if (tag === undefined && !isPlain) return text
    const value = tag === undefined ? this.dialect.plain(text) : this.dialect.tagged(tag, text)
    if (value === undefined) throw this.cursor.fault(`cannot read this as ${tag}`, at)
    return value
  }

  /** Call before reading the node of an anchor. */
  begin(anchor: string): void {
    this.anchors.set(anchor, open)
  }

  /** Returns a copy, so that a change of one value does not change the other. */
  alias(name: string, at: number): unknown {
    const value = this.anchors.get(name)
    if (value === open) throw this.cursor.fault('an alias refers to a node that contains it', at)
    if (value === undefined && !this.anchors.has(name)) throw this.cursor.fault('unknown anchor', at)
    return this.copy(value)
  }

  private copy(value: unknown): unknown {
    this.aliased += 1
    if (this.aliased > this.dialect.aliasedMost) throw this.cursor.fault('aliases expand to too much data')
    if (Array.isArray(value)) return value.map(item => this.copy(item))
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.copy(inner)]))
  }
}

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
