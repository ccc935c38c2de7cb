// The YAML that programs write: maps and lists by indentation, and what may stand on one line. It is most of what is read, and read
// here twenty times as fast as by the full parser, which gets whatever else there is, faults included.
import { inlineValue, type ReadPlain, unread } from './inline.ts'
import { plainScalar } from './plain-scalar.ts'

/** What readers of YAML do not agree on. */
export type Dialect = {
  readonly plain: ReadPlain
  /** What a key without a value has. */
  readonly nothing: null | undefined
}

/** The value of the text; undefined where the full parser is to say what it means, as of keys that are there twice. */
export const readBlockYaml = (text: string, dialect: Dialect): { readonly value: unknown } | undefined => {
  const body = text.replace(/^---\n/, '')
  if (/[^\S \n]|^(?:---|\.\.\.|%)/m.test(body)) return undefined
  const reader = new BlockReader(body, dialect)
  try {
    return { value: reader.document() }
  } catch (reason) {
    if (reason === unread) return undefined
    throw reason
  }
}

const depthMost = 200

/** Letters first, and nothing that YAML gives a meaning; longer ones are rare. */
const plainKey = /^([A-Za-z_/.$][\w/.$-]{0,100}):(?: +|$)/
const quotedKey = /^(?:"([^"\\]{0,100})"|'([^']{0,100})'):(?: +|$)/
const isItem = (content: string): boolean => content === '-' || content.startsWith('- ')
const indicator = /^(?:[\]},&*!|>%@`#]|[-?:](?: |$))/

class BlockReader {
  private readonly lines: string[]
  private at = 0
  private depth = 0
  private readonly dialect: Dialect

  constructor(text: string, dialect: Dialect) {
    this.lines = text.split('\n')
    this.dialect = dialect
  }

  document(): unknown {
    const indent = this.nextIndent()
    const value = indent < 0 ? this.refuse() : this.collection(indent)
    return this.nextIndent() < 0 ? value : this.refuse()
  }

  private refuse(): never {
    throw unread
  }

  private line(at = this.at): string {
    return this.lines[at] ?? ''
  }

  /** That of the next line that says something, which is gone to; -1 at the end. */
  private nextIndent(): number {
    for (; this.at < this.lines.length; this.at += 1) {
      const indent = this.line().search(/[^ ]/)
      if (indent >= 0 && this.line()[indent] !== '#') return indent
    }
    return -1
  }

  private collection(indent: number): unknown {
    if (++this.depth > depthMost) this.refuse()
    const value = isItem(this.line().slice(indent)) ? this.list(indent) : this.map(indent)
    this.depth -= 1
    return value
  }

  private map(indent: number): unknown {
    const entries = new Map<string, unknown>()
    for (let next = indent; next >= indent; next = this.nextIndent()) {
      const content = this.line().slice(indent)
      const [whole, plain, double, single] = plainKey.exec(content) ?? quotedKey.exec(content) ?? this.refuse()
      const key = plain ?? double ?? single ?? ''
      if (next > indent || entries.has(key) || (plain !== undefined && typeof plainScalar(plain) !== 'string'))
        this.refuse()
      entries.set(key, this.value(content.slice(whole.length), { indent, isListBeside: true }))
    }
    return Object.fromEntries(entries)
  }

  private list(indent: number): unknown[] {
    const items: unknown[] = []
    for (let next = indent; next >= indent; next = this.nextIndent()) {
      if (next > indent) this.refuse()
      const content = this.line().slice(indent)
      // The list of a key may stand no deeper than the key, and ends with the next one.
      if (!isItem(content)) break
      items.push(this.item(indent, content))
    }
    return items
  }

  private item(indent: number, content: string): unknown {
    const rest = content.slice(1).trimStart()
    if (!isItem(rest) && !plainKey.test(rest) && !quotedKey.test(rest))
      return this.value(rest, { indent, isListBeside: false })
    const inner = indent + content.length - rest.length
    this.lines[this.at] = ' '.repeat(inner) + rest
    return this.collection(inner)
  }

  /** What stands behind a key or a dash, or below it. */
  private value(rest: string, { indent, isListBeside }: { indent: number; isListBeside: boolean }): unknown {
    this.at += 1
    if (rest !== '' && !rest.startsWith('#')) return this.scalar(rest.trimEnd(), indent)
    const next = this.nextIndent()
    const isBeside = isListBeside && next === indent && isItem(this.line().slice(indent))
    return next > indent || isBeside ? this.collection(next) : this.dialect.nothing
  }

  private scalar(rest: string, indent: number): unknown {
    if (rest === '|' || rest === '|-') return this.literal(indent, rest === '|')
    if (indicator.test(rest)) this.refuse()
    const { plain } = this.dialect
    const read = /^["'[{]/.test(rest) ? inlineValue(rest, plain) : plain(this.continued(rest, indent))
    return this.nextIndent() > indent ? this.refuse() : read
  }

  /** With the deeper lines that follow: a line break is a space, and an empty line a line break. */
  private continued(first: string, indent: number): string {
    const comment = first.indexOf(' #')
    let text = comment < 0 ? this.words(first) : this.words(first.slice(0, comment).trimEnd())
    let breaks = 0
    for (; comment < 0 && this.at < this.lines.length; this.at += 1) {
      const words = this.line().trim()
      if (words !== '' && this.line().search(/[^ ]/) <= indent) break
      if (words === '') breaks += 1
      else {
        if (words.startsWith('#') || words.includes(' #') || isItem(words)) this.refuse()
        text += (breaks > 0 ? '\n'.repeat(breaks) : ' ') + this.words(words)
        breaks = 0
      }
    }
    return text
  }

  /** Not what would be a key. */
  private words(text: string): string {
    return text.includes(': ') || text.endsWith(':') ? this.refuse() : text
  }

  private literal(outer: number, isEnded: boolean): string {
    const begin = this.at
    const indent = Math.max(this.nextContent(), outer + 1)
    const lines: string[] = []
    for (this.at = begin; this.at < this.lines.length; this.at += 1) {
      const found = this.line().search(/[^ ]/)
      if (found < 0 ? this.line().length > indent : found < indent && found > outer) this.refuse()
      if (found >= 0 && found < indent) break
      lines.push(this.line().slice(indent))
    }
    // The text ends within the block, and a line break that is not there is not made up.
    if (this.at >= this.lines.length && this.line(this.at - 1) !== '') this.refuse()
    const text = lines.slice(0, lines.findLastIndex(line => line !== '') + 1).join('\n')
    return isEnded && text !== '' ? `${text}\n` : text
  }

  /** The indent of the next line that is not empty, comments not being any here; -1 at the end. */
  private nextContent(): number {
    while (this.at < this.lines.length && this.line().trim() === '') this.at += 1
    return this.line().search(/[^ ]/)
  }
}
