// The position in a YAML text. Counts lines, columns, blanks and comments as Go's scanner does, which helm and kubectl use.

/**
 * Thrown if the text is not YAML, or contains values that JSON does not have. `line` counts from 1. `fault` does not quote the text,
 * because the text may be secret.
 */
export class YamlError extends Error {
  override readonly name = 'YamlError'
  readonly fault: string
  readonly line: number

  constructor(fault: string, line: number) {
    super(`line ${line}: ${fault}`)
    this.fault = fault
    this.line = line
  }
}

/** Line breaks and separators, for use in a character class of a regular expression. */
export const breaks = '\\n\\r\\x85\\u2028\\u2029'
export const blanksOrBreaks = ` \\t${breaks}`

export const signs = {
  tab: 0x09,
  lineFeed: 0x0a,
  space: 0x20,
  exclamation: 0x21,
  quote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  apostrophe: 0x27,
  asterisk: 0x2a,
  comma: 0x2c,
  dash: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  greater: 0x3e,
  question: 0x3f,
  openList: 0x5b,
  backslash: 0x5c,
  closeList: 0x5d,
  openMap: 0x7b,
  bar: 0x7c,
  closeMap: 0x7d,
} as const

export const isBreak = (code: number): boolean =>
  code === 0x0a || code === 0x0d || code === 0x85 || code === 0x2028 || code === 0x2029

export const isBlank = (code: number): boolean => code === signs.space || code === signs.tab

const byteOrderMark = 0xfeff
const restOfLine = new RegExp(`[^${breaks}]*`, 'y')
const oneBreak = new RegExp(`\\r\\n|[${breaks}]`, 'y')
const everyBreak = new RegExp(`\\r\\n|[${breaks}]`, 'g')
const beforeNode = new RegExp(`:?(?:[${blanksOrBreaks}]|(?<=[${blanksOrBreaks}])#[^${breaks}]*)*`, 'y')
const documentMark = new RegExp(`(?:---|\\.\\.\\.)(?=[${blanksOrBreaks}]|$)`, 'y')

export class Cursor {
  readonly text: string
  at: number
  lineStart: number
  /** The column of the current block collection; -1 outside of collections. */
  indent = -1
  brackets = 0
  /** Whether the next token may be a key: at the start of a line, and after a sign that may start a map. */
  mayStartKey = true

  constructor(text: string) {
    this.text = text
    this.at = text.charCodeAt(0) === byteOrderMark ? 1 : 0
    this.lineStart = this.at
  }

  get column(): number {
    return this.at - this.lineStart
  }

  /** The character code at this offset; NaN after the end. */
  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead)
  }

  isBlankOrEnd(ahead: number): boolean {
    const code = this.code(ahead)
    return isBlank(code) || isBreak(code) || Number.isNaN(code)
  }

  /** Whether the sign is here, followed by a blank or the end of the line: `- `. */
  isIndicator(sign: number): boolean {
    return this.code() === sign && this.isBlankOrEnd(1)
  }

  isAtLineEnd(): boolean {
    const code = this.code()
    return isBreak(code) || code === signs.hash || Number.isNaN(code)
  }

  /** `---` or `...` on a line of its own. */
  isAtMark(): boolean {
    const code = this.at === this.lineStart ? this.code() : Number.NaN
    if (code !== signs.dash && code !== signs.dot) return false
    documentMark.lastIndex = this.at
    return documentMark.test(this.text)
  }

  isAtEnd(): boolean {
    return this.at >= this.text.length || this.isAtMark()
  }

  skip(pattern: RegExp): void {
    pattern.lastIndex = this.at
    if (pattern.test(this.text)) this.at = pattern.lastIndex
  }

  /** Skips the match and returns it; '' without a match. */
  take(pattern: RegExp): string {
    const { at } = this
    this.skip(pattern)
    return this.text.slice(at, this.at)
  }

  takeBlanks(): string {
    const { at } = this
    while (isBlank(this.code())) this.at += 1
    return this.at === at ? '' : this.text.slice(at, this.at)
  }

  takeLine(): string {
    return this.take(restOfLine)
  }

  /** Skips a line break and returns its meaning in a scalar; '' without a line break. */
  takeBreak(): string {
    if (this.code() === signs.lineFeed) {
      this.at += 1
      this.lineStart = this.at
      return '\n'
    }
    const taken = this.take(oneBreak)
    if (taken !== '') this.lineStart = this.at
    return taken === '' || taken === '\u2028' || taken === '\u2029' ? taken : '\n'
  }

  /** Skips blanks, comments and line breaks. Where a key may start, a tab is not a blank. */
  toToken(): void {
    for (;;) {
      let code = this.code()
      while (code === signs.space || (code === signs.tab && !(this.mayStartKey && this.brackets === 0)))
        code = this.next()
      if (code === signs.hash) this.takeLine()
      if (!isBreak(this.code())) return
      this.takeBreak()
      if (this.brackets === 0) this.mayStartKey = true
    }
  }

  private next(): number {
    this.at += 1
    return this.code()
  }

  fault(what: string, at = this.at): YamlError {
    return new YamlError(what, this.lineOf(at))
  }

  /** The line of the next node, after an optional colon, blanks, comments and line breaks. */
  lineOfNode(at: number): number {
    beforeNode.lastIndex = at
    return this.lineOf(at + (beforeNode.exec(this.text)?.[0].length ?? 0))
  }

  private lineOf(at: number): number {
    return (this.text.slice(0, at).match(everyBreak)?.length ?? 0) + 1
  }
}
