// Parses a text, statement by statement, into its own template and the templates that it defines.
import { quote } from './literals.ts'
import { type Branch, isEmpty, type Source, type Statement, type Template } from './nodes.ts'
import { type Grammar, PipelineParser } from './pipelines.ts'

type Parsed = { readonly own: Template; readonly all: readonly Template[] }

export const parse = (source: Source, grammar: Grammar): Parsed => new Parser(source, grammar).file()

type Stop = { readonly word: 'end' | 'else'; readonly at: number; readonly follows: 'if' | 'with' | undefined }
type Listed = { readonly body: readonly Statement[]; readonly stop: Stop }

class Parser extends PipelineParser {
  private readonly templates = new Map<string, Template>()
  private ranges = 0

  file(): Parsed {
    const body: Statement[] = []
    while (this.peek().kind !== 'end') {
      if (this.isDefinition()) this.definition()
      else {
        const node = this.statement()
        if ('word' in node) this.fail(`unexpected {{${node.word}}}`)
        body.push(node)
      }
    }
    const own = { name: this.source.name, source: this.source, body }
    this.add(own)
    return { own, all: [...this.templates.values()] }
  }

  private add(template: Template): void {
    const former = this.templates.get(template.name)
    if (former === undefined || isEmpty(former)) this.templates.set(template.name, template)
    else if (!isEmpty(template)) {
      this.fail(`template: multiple definition of template ${quote(template.name)}`)
    }
  }

  private isDefinition(): boolean {
    if (this.peek().kind !== 'left') return false
    const word = [this.next + 1, this.next + 2].map(index => this.token(index)).find(({ kind }) => kind !== 'space')
    return word?.kind === 'keyword' && word.text === 'define'
  }

  private definition(): void {
    this.take()
    this.takeWord()
    const name = this.templateName('define clause')
    this.expect('right', 'define clause')
    this.separately(name, 'define clause')
  }

  /** Parses a body. The body cannot use variables and loops that surround it. */
  private separately(name: string, context: string): void {
    const { variables, ranges } = this
    this.variables = ['$']
    this.ranges = 0
    const { body, stop } = this.list()
    if (stop.word !== 'end') this.fail(`unexpected {{${stop.word}}} in ${context}`)
    this.add({ name, source: this.source, body })
    this.variables = variables
    this.ranges = ranges
  }

  private templateName(context: string): string {
    const token = this.takeWord()
    if (token.kind !== 'string' && token.kind !== 'raw') this.unexpected(token, context)
    return this.unquoted(token)
  }

  private list(): Listed {
    return this.nested(() => {
      const body: Statement[] = []
      while (this.peekWord().kind !== 'end') {
        const node = this.statement()
        if ('word' in node) return { body, stop: node }
        body.push(node)
      }
      return this.fail('unexpected EOF')
    })
  }

  private statement(): Statement | Stop {
    const token = this.takeWord()
    if (token.kind === 'text') return { is: 'text', at: token.at, text: token.text }
    if (token.kind !== 'left') this.unexpected(token, 'input')
    this.actionLine = token.line
    const node = this.action()
    this.actionLine = 0
    return node
  }

  private action(): Statement | Stop {
    const token = this.peekWord()
    if (token.kind !== 'keyword' || token.text === 'nil') {
      return { is: 'action', at: token.at, pipe: this.pipeline('command', 'right') }
    }
    this.take()
    switch (token.text) {
      case 'if':
      case 'with':
      case 'range':
        return this.branch(token.text)
      case 'end':
        return { word: 'end', at: this.expect('right', 'end').at, follows: undefined }
      case 'else':
        return this.elseStop()
      case 'template':
        return this.templateCall()
      case 'block':
        return this.block()
      case 'break':
      case 'continue':
        return this.jump(token.text, token.at)
      default:
        return this.unexpected(token, 'command')
    }
  }

  private jump(word: 'break' | 'continue', at: number): Statement {
    const token = this.takeWord()
    if (token.kind !== 'right') this.unexpected(token, `{{${word}}}`)
    if (this.ranges === 0) this.fail(`{{${word}}} outside {{range}}`)
    return { is: word, at }
  }

  private elseStop(): Stop {
    const token = this.peekWord()
    if (token.kind === 'keyword' && (token.text === 'if' || token.text === 'with')) {
      return { word: 'else', at: token.at, follows: token.text }
    }
    return { word: 'else', at: this.expect('right', 'else').at, follows: undefined }
  }

  private branch(is: Branch['is']): Branch {
    const seen = this.variables.length
    const pipe = this.pipeline(is, 'right')
    if (is === 'range') this.ranges += 1
    const { body, stop } = this.list()
    if (is === 'range') this.ranges -= 1
    const otherwise = stop.word === 'else' ? this.otherwise(is, stop) : undefined
    this.variables.length = seen
    return { is, at: pipe.at, pipe, body, otherwise }
  }

  private otherwise(is: Branch['is'], stop: Stop): readonly Statement[] {
    if (stop.follows !== undefined && stop.follows === is) {
      this.take()
      return [this.nested(() => this.branch(is))]
    }
    const last = this.list()
    if (last.stop.word !== 'end') this.fail(`expected end; found {{${last.stop.word}}}`)
    return last.body
  }

  private templateCall(): Statement {
    const { at } = this.peekWord()
    const name = this.templateName('template clause')
    if (this.peekWord().kind !== 'right') {
      return { is: 'template', at, name, pipe: this.pipeline('template clause', 'right') }
    }
    this.take()
    return { is: 'template', at, name, pipe: undefined }
  }

  private block(): Statement {
    const { at } = this.peekWord()
    const name = this.templateName('block clause')
    const pipe = this.pipeline('block clause', 'right')
    this.separately(name, 'block clause')
    return { is: 'template', at, name, pipe }
  }
}
