// Splits template text into tokens. A fault becomes the last token, which is reported only if the parser reaches it.
import { quote } from './literals.ts'
import type { Delimiters, Token, TokenKind } from './nodes.ts'

const keywords = new Set([
  ...['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'range', 'nil', 'template', 'with'],
])
const spaces = ' \t\r\n'
const trimMarker = '-'
const leadingSpaces = /[ \t\r\n]*/y
const wordRun = /[\p{L}\p{Nd}_]*/uy
const wordStart = /[\p{L}\p{Nd}_]/uy
const spaceRun = /[ \t\r\n]+/y
const quoted = /"(?:\\[^\n]|[^"\\\n])*"/y
const raw = /`[^`]*`/y
const character = /'(?:\\[^\n]|[^'\\\n])*'/y
const number =
  /[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/y

export const tokens = (text: string, delimiters: Delimiters): readonly Token[] => {
  const lexer = new Lexer(text, delimiters)
  while (lexer.scan());
  return lexer.found
}

class Lexer {
  readonly found: Token[] = []
  private at = 0
  private line = 1
  private lineEnd: number
  private isInside = false
  private parentheses = 0
  private readonly text: string
  private readonly delimiters: Delimiters

  constructor(text: string, delimiters: Delimiters) {
    this.text = text
    this.delimiters = delimiters
    this.lineEnd = this.lineEndFrom(0)
  }

  scan(): boolean {
    return this.isInside ? this.inside() : this.outside()
  }

  private emit(kind: TokenKind, end: number): boolean {
    this.found.push({ kind, at: this.at, text: this.text.slice(this.at, end), line: this.lineAt(this.at) })
    this.at = end
    return kind !== 'end'
  }

  private fault(text: string): false {
    this.found.push({ kind: 'fault', at: this.at, text, line: this.lineAt(this.at) })
    return false
  }

  private lineAt(at: number): number {
    for (; this.lineEnd < at; this.lineEnd = this.lineEndFrom(this.lineEnd + 1)) this.line += 1
    return this.line
  }

  private lineEndFrom(at: number): number {
    const end = this.text.indexOf('\n', at)
    return end < 0 ? this.text.length : end
  }

  private outside(): boolean {
    const start = this.text.indexOf(this.delimiters.left, this.at)
    if (start < 0) {
      if (this.at < this.text.length) this.emit('text', this.text.length)
      return this.emit('end', this.at)
    }
    const after = start + this.delimiters.left.length
    const isTrimmed = this.text[after] === trimMarker && spaces.includes(this.text[after + 1] ?? 'x')
    const end = isTrimmed ? this.beforeSpaces(start) : start
    if (end > this.at) this.emit('text', end)
    this.at = start
    return this.leftDelimiter(after + (isTrimmed ? 2 : 0))
  }

  /** Goes back space by space, because a regular expression would take quadratic time. */
  private beforeSpaces(end: number): number {
    let at = end
    while (at > this.at && spaces.includes(this.text[at - 1] ?? 'x')) at -= 1
    return at
  }

  private leftDelimiter(after: number): boolean {
    if (this.text.startsWith('/*', after)) {
      this.at = after
      return this.comment()
    }
    this.found.push({ kind: 'left', at: this.at, text: this.delimiters.left, line: this.lineAt(this.at) })
    this.at = after
    this.isInside = true
    this.parentheses = 0
    return true
  }

  private comment(): boolean {
    const end = this.text.indexOf('*/', this.at + 2)
    if (end < 0) return this.fault('unclosed comment')
    const right = this.rightDelimiter(end + 2)
    if (right === undefined) return this.fault('comment ends before closing delimiter')
    this.at = right.after
    return true
  }

  /** Start and end of the right delimiter at this place; `after` is the position behind the spaces that it trims. */
  private rightDelimiter(at: number): { start: number; end: number; after: number } | undefined {
    const isTrimmed = spaces.includes(this.text[at] ?? 'x') && this.text[at + 1] === trimMarker
    const start = isTrimmed && this.text.startsWith(this.delimiters.right, at + 2) ? at + 2 : at
    if (!this.text.startsWith(this.delimiters.right, start)) return undefined
    const end = start + this.delimiters.right.length
    return { start, end, after: start > at ? this.matchEnd(leadingSpaces, end) : end }
  }

  private matchEnd(pattern: RegExp, at: number): number {
    pattern.lastIndex = at
    return pattern.test(this.text) ? pattern.lastIndex : at
  }

  private inside(): boolean {
    const right = this.rightDelimiter(this.at)
    if (right !== undefined) {
      if (this.parentheses > 0) return this.fault('unclosed left paren')
      this.at = right.start
      this.emit('right', right.end)
      this.at = right.after
      this.isInside = false
      return true
    }
    return this.item(this.text[this.at])
  }

  private item(first: string | undefined): boolean {
    if (first === undefined) return this.fault('unclosed action')
    if (spaces.includes(first)) return this.space()
    const scan = scans[first]
    if (scan !== undefined) return scan(this)
    if (/[0-9+-]/.test(first)) return this.number()
    if (this.matchEnd(wordStart, this.at) > this.at) return this.word()
    if (/[!-~]/.test(first)) return this.emit('sign', this.at + 1)
    return this.fault(`unrecognized character in action: ${shown(this.text, this.at)}`)
  }

  private space(): boolean {
    const end = this.matchEnd(spaceRun, this.at)
    const isBeforeMarker = this.text[end] === trimMarker && this.text.startsWith(this.delimiters.right, end + 1)
    if (!isBeforeMarker) return this.emit('space', end)
    if (end - this.at > 1) this.emit('space', end - 1)
    return true
  }

  single(kind: TokenKind): boolean {
    return this.emit(kind, this.at + 1)
  }

  declare(): boolean {
    return this.text[this.at + 1] === '=' ? this.emit('declare', this.at + 2) : this.fault('expected :=')
  }

  matched(kind: TokenKind, pattern: RegExp, fault: string): boolean {
    const end = this.matchEnd(pattern, this.at)
    return end > this.at ? this.emit(kind, end) : this.fault(fault)
  }

  parenthesis(kind: 'open' | 'close'): boolean {
    this.parentheses += kind === 'open' ? 1 : -1
    return this.parentheses < 0 ? this.fault('unexpected right paren') : this.single(kind)
  }

  dot(): boolean {
    if (/[0-9]/.test(this.text[this.at + 1] ?? '')) return this.number()
    return this.isTerminated(this.at + 1) ? this.single('dot') : this.named('field')
  }

  named(kind: 'field' | 'variable'): boolean {
    const end = this.matchEnd(wordRun, this.at + 1)
    return this.isTerminated(end) ? this.emit(kind, end) : this.fault(`bad character ${shown(this.text, end)}`)
  }

  private number(): boolean {
    const end = this.matchEnd(number, this.at)
    const tail = this.matchEnd(wordStart, end)
    if (tail > end || '+-'.includes(this.text[end] ?? 'x')) {
      return this.fault(`bad number syntax: ${quote(this.text.slice(this.at, Math.max(tail, end)))}`)
    }
    return this.emit('number', end)
  }

  private word(): boolean {
    const end = this.matchEnd(wordRun, this.at)
    if (!this.isTerminated(end)) return this.fault(`bad character ${shown(this.text, end)}`)
    const word = this.text.slice(this.at, end)
    if (keywords.has(word)) return this.emit('keyword', end)
    return this.emit(word === 'true' || word === 'false' ? 'bool' : 'identifier', end)
  }

  private isTerminated(at: number): boolean {
    const next = this.text[at]
    return next === undefined || ' \t\r\n.,|:)('.includes(next) || this.text.startsWith(this.delimiters.right, at)
  }
}

const scans: Readonly<Record<string, (lexer: Lexer) => boolean>> = {
  '=': lexer => lexer.single('assign'),
  ':': lexer => lexer.declare(),
  '|': lexer => lexer.single('pipe'),
  '"': lexer => lexer.matched('string', quoted, 'unterminated quoted string'),
  '`': lexer => lexer.matched('raw', raw, 'unterminated raw quoted string'),
  "'": lexer => lexer.matched('character', character, 'unterminated character constant'),
  $: lexer => lexer.named('variable'),
  '.': lexer => lexer.dot(),
  '(': lexer => lexer.parenthesis('open'),
  ')': lexer => lexer.parenthesis('close'),
}

/** `U+0021 '!'`. */
const shown = (text: string, at: number): string => {
  const code = text.codePointAt(at) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(code)}'`
}
