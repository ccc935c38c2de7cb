// Reads tokens one by one, with a look ahead. Faults have Go's words and the line of the furthest token.
import { quote } from '../format/quote.ts'
import { tokens } from './lexer.ts'
import type { Delimiters, Source, Token, TokenKind } from './nodes.ts'

export class SyntaxFault extends Error {
  override readonly name = 'SyntaxFault'
  readonly line: number

  constructor(message: string, line: number) {
    super(message)
    this.line = line
  }
}

/** Limit of nested parentheses and blocks, so that the stack cannot overflow. */
const depthMost = 1_000

export class TokenStream {
  protected readonly source: Source
  protected next = 0
  /** Line where the current action begins; 0 outside of actions. */
  protected actionLine = 0
  private readonly tokens: readonly Token[]
  private furthest = 0
  private depth = 0

  constructor(source: Source, delimiters: Delimiters) {
    this.source = source
    this.tokens = tokens(source.text, delimiters)
  }

  protected token(index: number): Token {
    const last = this.tokens.length - 1
    return this.tokens[Math.min(index, last)] ?? { kind: 'end', at: 0, text: '', line: 1 }
  }

  protected take(): Token {
    const token = this.token(this.next)
    this.furthest = Math.max(this.furthest, this.next)
    this.next += 1
    return token
  }

  protected peek(): Token {
    this.furthest = Math.max(this.furthest, this.next)
    return this.token(this.next)
  }

  protected takeWord(): Token {
    this.skipSpace()
    return this.take()
  }

  protected peekWord(): Token {
    this.skipSpace()
    return this.peek()
  }

  protected skipSpace(): void {
    while (this.peek().kind === 'space') this.take()
  }

  protected fail(message: string): never {
    throw new SyntaxFault(message, this.token(this.furthest).line)
  }

  protected unexpected(token: Token, context: string): never {
    if (token.kind !== 'fault') this.fail(`unexpected ${shown(token)} in ${context}`)
    const isElsewhere = this.actionLine !== 0 && this.actionLine !== token.line
    const started = isElsewhere ? ` in action started at ${this.source.name}:${this.actionLine}` : ''
    this.fail(token.text + (token.text.endsWith(' action') ? started.slice(' in action'.length) : started))
  }

  protected expect(kind: TokenKind, context: string): Token {
    const token = this.takeWord()
    return token.kind === kind ? token : this.unexpected(token, context)
  }

  protected nested<Result>(run: () => Result): Result {
    if (this.depth >= depthMost) this.fail('max expression depth exceeded')
    this.depth += 1
    const result = run()
    this.depth -= 1
    return result
  }
}

const shown = ({ kind, text }: Token): string => {
  if (kind === 'end') return 'EOF'
  if (kind === 'keyword' || kind === 'dot') return `<${text}>`
  return text.length > 10 ? `${quote(text.slice(0, 10))}...` : quote(text)
}
