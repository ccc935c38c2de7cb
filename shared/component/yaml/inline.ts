// What stands on one line behind a key or a dash, as block.ts meets it: a quoted scalar, or a list or map in brackets.
import { plainScalar } from './plain-scalar.ts'

/** Thrown where the full parser is to say what a text means. */
export const unread = Symbol('left to the full parser')

/** What a plain scalar means. */
export type ReadPlain = (text: string) => unknown

/** The value of a text that begins with a quote or a bracket; a comment may follow. Throws `unread`. */
export const inlineValue = (text: string, readPlain: ReadPlain): unknown => new InlineReader(text, readPlain).only()

/** As JSON has them: YAML has more escapes, and none for half of a character. */
const doubleQuoted = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\da-fA-F]{4}))*"/uy
const singleQuoted = /'((?:[^']|'')*)'/y
const plain = /(?:[^\s,[\]{}&*!|>%@`"'#?:-]|-(?=[^ ,[\]{}]))(?:[^,[\]{}#:]|:(?=[^ ,[\]{}]))*/y
const key = /(?:([A-Za-z_/.$][\w/.$-]{0,100})|"([^"\\]{0,100})"|'([^']{0,100})'): +/y
const comma = / *, */y
const end = / *(?:$| #)/y
const opening = { list: /\[ */y, map: /\{ */y } as const
const closing = { list: / *\]/y, map: / *\}/y } as const

const depthMost = 50

class InlineReader {
  private at = 0
  private depth = 0
  private readonly text: string
  private readonly readPlain: ReadPlain

  constructor(text: string, readPlain: ReadPlain) {
    this.text = text
    this.readPlain = readPlain
  }

  only(): unknown {
    const value = this.value()
    return this.taken(end) ? value : this.refuse()
  }

  private refuse(): never {
    throw unread
  }

  private taken(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text) ?? undefined
    if (found) this.at = pattern.lastIndex
    return found
  }

  private value(): unknown {
    if (this.taken(opening.list)) return this.nested('list', this.list)
    if (this.taken(opening.map)) return this.nested('map', this.map)
    return this.scalar()
  }

  private nested(kind: 'list' | 'map', filled: () => unknown): unknown {
    if (++this.depth > depthMost) this.refuse()
    const value = this.taken(closing[kind]) ? emptyOf[kind]() : filled.call(this)
    this.depth -= 1
    return value
  }

  private list(): unknown[] {
    const items = [this.value()]
    while (!this.taken(closing.list)) {
      if (!this.taken(comma)) this.refuse()
      items.push(this.value())
    }
    return items
  }

  private map(): unknown {
    const entries = new Map([this.entry()])
    while (!this.taken(closing.map)) {
      const [key, value] = this.taken(comma) ? this.entry() : this.refuse()
      entries.set(entries.has(key) ? this.refuse() : key, value)
    }
    return Object.fromEntries(entries)
  }

  private entry(): [key: string, value: unknown] {
    const [, plain, double, single] = this.taken(key) ?? this.refuse()
    if (plain !== undefined && typeof plainScalar(plain) !== 'string') this.refuse()
    return [plain ?? double ?? single ?? '', this.value()]
  }

  private scalar(): unknown {
    const double = this.taken(doubleQuoted)
    if (double) return JSON.parse(double[0])
    const single = this.taken(singleQuoted)
    if (single) return single[1]?.replaceAll("''", "'")
    const bare = this.taken(plain) ?? this.refuse()
    return this.readPlain(bare[0].trimEnd())
  }
}

const emptyOf = { list: () => [], map: () => ({}) } as const
