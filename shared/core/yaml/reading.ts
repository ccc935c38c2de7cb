// The state of reading one document: position, dialect, and anchors. Converts nodes to values.
import { isMap } from '../json/json.ts'
import type { Cursor } from './cursor.ts'

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
