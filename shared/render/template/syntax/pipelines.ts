// Reads tokens one by one, and parses actions: pipelines of commands, their operands, and the variables that they declare. Faults have Go's words
// and the line of the furthest token.
import { tokens } from './lexer.ts'
import { numberLiteral, quote, unquote } from './literals.ts'
import type { Command, Delimiters, Expression, Pipe, Source, Token, TokenKind } from './nodes.ts'

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

class TokenStream {
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

export type Grammar = { readonly delimiters: Delimiters; readonly isFunction: (name: string) => boolean }

export class PipelineParser extends TokenStream {
  protected variables: string[] = ['$']
  private readonly grammar: Grammar

  constructor(source: Source, grammar: Grammar) {
    super(source, grammar.delimiters)
    this.grammar = grammar
  }

  protected pipeline(context: string, end: TokenKind): Pipe {
    const { at } = this.peekWord()
    const { variables, isAssignment } = this.declarations(context)
    const commands: Command[] = []
    for (;;) {
      const token = this.peekWord()
      if (token.kind === end) break
      if (!isOperand(token)) this.unexpected(this.take(), context)
      commands.push(this.command())
    }
    this.take()
    this.checkPipeline(commands, context)
    return { is: 'pipe', at, variables, isAssignment, commands }
  }

  private checkPipeline(commands: readonly Command[], context: string): void {
    if (commands.length === 0) this.fail(`missing value for ${context}`)
    const literal = commands.findIndex(({ first }, index) => index > 0 && literals.has(first.is))
    if (literal > 0) this.fail(`non executable command in pipeline stage ${literal + 1}`)
  }

  private declarations(context: string): { variables: string[]; isAssignment: boolean } {
    const variables: string[] = []
    while (this.peekWord().kind === 'variable') {
      const start = this.next
      const variable = this.take()
      const sign = this.takeWord()
      const isComma = sign.kind === 'sign' && sign.text === ','
      if (sign.kind !== 'assign' && sign.kind !== 'declare' && !isComma) {
        this.next = start
        break
      }
      variables.push(variable.text)
      this.variables.push(variable.text)
      if (!isComma) return { variables, isAssignment: sign.kind === 'assign' }
      this.checkSecond(context, variables.length)
    }
    return { variables, isAssignment: false }
  }

  private checkSecond(context: string, count: number): void {
    if (context !== 'range' || count > 1) this.fail(`too many declarations in ${context}`)
    if (!['variable', 'right', 'close'].includes(this.peekWord().kind)) this.fail('range can only initialize variables')
  }

  private command(): Command {
    const { at } = this.peekWord()
    const operands: Expression[] = []
    for (;;) {
      this.skipSpace()
      const operand = this.operand()
      if (operand !== undefined) operands.push(operand)
      const token = this.peek()
      if (token.kind === 'right' || token.kind === 'close') break
      this.take()
      if (token.kind === 'pipe') break
      if (token.kind !== 'space') this.unexpected(token, 'operand')
    }
    const [first, ...args] = operands
    return first === undefined ? this.fail('empty command') : { is: 'command', at, first, args }
  }

  private operand(): Expression | undefined {
    const term = this.term()
    if (term === undefined || this.peek().kind !== 'field') return term
    const { at } = this.peek()
    const names: string[] = []
    while (this.peek().kind === 'field') names.push(this.take().text.slice(1))
    if (term.is === 'field' || term.is === 'variable') return { ...term, at, names: [...term.names, ...names] }
    if (literals.has(term.is)) this.fail(`unexpected . after term ${quote(literalText(term))}`)
    return { is: 'chain', at, start: term, names }
  }

  private term(): Expression | undefined {
    const token = this.peekWord()
    const read = terms[token.kind === 'keyword' ? token.text : token.kind]
    if (read === undefined) return undefined
    this.take()
    return read(token, this)
  }

  protected unquoted(token: Token): string {
    return unquote(token.text) ?? this.fail('invalid syntax')
  }

  identifier(token: Token): Expression {
    if (!this.grammar.isFunction(token.text)) this.fail(`function ${quote(token.text)} not defined`)
    return { is: 'identifier', at: token.at, name: token.text }
  }

  variable(token: Token): Expression {
    if (!this.variables.includes(token.text)) this.fail(`undefined variable ${quote(token.text)}`)
    return { is: 'variable', at: token.at, name: token.text, names: [] }
  }

  numeral(token: Token): Expression {
    const value = numberLiteral(token.text)
    if (typeof value === 'string') this.fail(value)
    return { is: 'number', at: token.at, text: token.text, ...value }
  }

  quotation(token: Token): Expression {
    return { is: 'string', at: token.at, value: this.unquoted(token), quoted: token.text }
  }

  parenthesized(): Expression {
    return this.nested(() => this.pipeline('parenthesized pipeline', 'close'))
  }
}

const literals: ReadonlySet<Expression['is']> = new Set(['bool', 'string', 'number', 'nil', 'dot'])

const isOperand = (token: Token): boolean => terms[token.kind === 'keyword' ? token.text : token.kind] !== undefined

const terms: Readonly<Record<string, ((token: Token, parser: PipelineParser) => Expression) | undefined>> = {
  identifier: (token, parser) => parser.identifier(token),
  variable: (token, parser) => parser.variable(token),
  number: (token, parser) => parser.numeral(token),
  character: (token, parser) => parser.numeral(token),
  string: (token, parser) => parser.quotation(token),
  raw: (token, parser) => parser.quotation(token),
  open: (_, parser) => parser.parenthesized(),
  dot: ({ at }) => ({ is: 'dot', at }),
  nil: ({ at }) => ({ is: 'nil', at }),
  bool: ({ at, text }) => ({ is: 'bool', at, value: text === 'true' }),
  field: ({ at, text }) => ({ is: 'field', at, names: [text.slice(1)] }),
}

const literalText = (node: Expression): string => {
  if (node.is === 'string') return node.quoted
  return node.is === 'number' ? node.text : node.is === 'bool' ? String(node.value) : node.is === 'nil' ? 'nil' : '.'
}
