// One document while it is read: the text and where the reader stands in it, what readers do not agree on, and the values that were
// given names. Nodes become values here.
import { isMap } from '../json/json.ts'
import type { Cursor } from './cursor.ts'

export type Repeated = (key: string, lineOf: () => number) => void

/** What readers of YAML do not agree on. */
export type Dialect = {
  /** What an unquoted scalar means. */
  readonly plain: (text: string) => unknown
  /** What a scalar with a tag means; undefined where it cannot be that. */
  readonly tagged: (tag: string, text: string) => unknown
  /** What a node is that is not there. */
  readonly nothing: null | undefined
  /** What becomes of a text that is folded behind `>`. */
  readonly folded: (text: string) => string
  /** The text that a key is, which may be written otherwise; undefined where it can be none. */
  readonly keyText: (key: unknown, written: string) => string | undefined
  /** Whether a key must not be there twice, and is stronger than the same one that is merged in. */
  readonly isStrict: boolean
  /** Gets each key that its map has already. `lineOf` counts lines from the beginning, to where its value begins. */
  readonly repeated?: Repeated
  /** Nodes that aliases may stand for: a few lines could mean billions. */
  readonly aliasedMost: number
}

/** What stands before a node: `&name !tag`. */
export type Properties = { readonly anchor?: string | undefined; readonly tag?: string | undefined }

export const noProperties: Properties = {}

/** What a node holds, before its properties count. */
export type Content =
  | { readonly is: 'text'; readonly text: string; readonly isPlain: boolean; readonly at: number }
  | { readonly is: 'value'; readonly value: unknown; readonly at: number }

const open = Symbol('a node that is being read')

const nestingMost = 1_000

export class DocumentReading {
  readonly cursor: Cursor
  readonly dialect: Dialect
  /** Prefixes of tags by their handle. */
  readonly tagPrefixes: ReadonlyMap<string, string>
  private readonly anchors = new Map<string, unknown>()
  private depth = 0
  private aliased = 0

  constructor(cursor: Cursor, dialect: Dialect, tagPrefixes: ReadonlyMap<string, string>) {
    this.cursor = cursor
    this.dialect = dialect
    this.tagPrefixes = tagPrefixes
  }

  /** Before a collection is read, which may hold others, and after. */
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

  /** The same for what may be a key, where numbers are allowed that JSON does not know. */
  meaning(content: Content, { anchor, tag }: Properties): unknown {
    const value = content.is === 'value' ? content.value : this.scalar(content, tag)
    if (anchor !== undefined) this.anchors.set(anchor, value)
    return value
  }

  ofJson(value: unknown, at: number): unknown {
    if (typeof value === 'number' && !Number.isFinite(value)) throw this.cursor.fault('this is no number in JSON', at)
    return value
  }

  /** A list or map that has been read; its tag says nothing. */
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

  /** Before the node is read that an anchor names. */
  begin(anchor: string): void {
    this.anchors.set(anchor, open)
  }

  /** A copy of what the anchor names: what becomes of one of them must not happen to the other. */
  alias(name: string, at: number): unknown {
    const value = this.anchors.get(name)
    if (value === open) throw this.cursor.fault('an anchor is within what it names', at)
    if (value === undefined && !this.anchors.has(name)) throw this.cursor.fault('unknown anchor', at)
    return this.copy(value)
  }

  private copy(value: unknown): unknown {
    this.aliased += 1
    if (this.aliased > this.dialect.aliasedMost) throw this.cursor.fault('too much comes through aliases')
    if (Array.isArray(value)) return value.map(item => this.copy(item))
    if (!isMap(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.copy(inner)]))
  }
}
