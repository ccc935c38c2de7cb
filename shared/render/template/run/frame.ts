// One template under execution, with its variables, its output and the node that an error names. Also the set of templates of a rendering, to which a
// text given to `tpl` can add.
import type { Blame } from '../../generator.ts'
import { quote } from '../syntax/literals.ts'
import { type Delimiters, isEmpty, type Node, spelled, type Template } from '../syntax/nodes.ts'
import { parse } from '../syntax/parser.ts'
import { SyntaxFault } from '../syntax/pipelines.ts'
import { byteLength } from '../value/bytes.ts'
import type { FunctionTable } from '../value/function.ts'
import type { Call, GoValue } from '../value/value.ts'
import { type Budget, type Environment, ExecutionFault, type Failure, TemplateError } from './environment.ts'

export type TemplateRun = {
  readonly set: TemplateSet
  readonly environment: Environment
  readonly call: Call
}

/** `isElement`: the value came out of a map or list and has type interface {}, which error messages mention. */
type Variable = { readonly name: string; value: GoValue; isElement: boolean }

export class Frame {
  readonly rendering: TemplateRun
  readonly template: Template
  readonly output: string[]
  readonly variables: Variable[]
  readonly budget: Budget
  at: Node | undefined
  isDotElement = false

  constructor(rendering: TemplateRun, template: Template, data: GoValue, output: string[]) {
    this.rendering = rendering
    this.template = template
    this.output = output
    this.variables = [{ name: '$', value: data, isElement: false }]
    this.budget = rendering.environment.budget
  }

  write(text: string): 'through' {
    this.budget.write(text.length)
    this.output.push(text)
    return 'through'
  }

  declare(name: string, value: GoValue): void {
    this.variables.push({ name, value, isElement: false })
  }

  assign(name: string, value: GoValue): void {
    this.variable(name).value = value
  }

  redeclare(index: number, value: GoValue): void {
    const { name } = this.variables[index] ?? this.fail('a loop has lost its variables')
    this.variables[index] = { name, value, isElement: true }
  }

  variable(name: string): Variable {
    return this.variables.findLast(variable => variable.name === name) ?? this.fail(`undefined variable: ${name}`)
  }

  place(): string {
    return this.at === undefined ? this.template.name : placeOf(this.template, this.at.at)
  }

  fail(message: string, complaint?: Complaint): never {
    const { template, at } = this
    const place = this.place()
    const stop = { place, byAuthor: complaint?.failure.byAuthor, blame: this.blame(complaint) }
    if (at === undefined) throw new ExecutionFault(`template: ${place}: ${message}`, stop)
    const context = `executing ${quote(template.name)} at <${spelled(at)}>`
    throw new ExecutionFault(`template: ${place}: ${context}: ${message}`, stop)
  }

  /** The blame of an inner template is more precise and wins. A text for `tpl` has no file. */
  private blame(complaint: Complaint | undefined): Blame {
    const { source } = this.template
    const file = source.name === textName ? {} : { file: source.name, line: lineOf(this.template, this.at?.at ?? 0) }
    if (complaint === undefined) return { ...file, kind: 'execution' }
    const { function: called, failure } = complaint
    return {
      ...file,
      kind: failure.byAuthor === undefined ? 'execution' : 'author',
      function: called,
      ...failure.blame,
    }
  }
}

type Complaint = { readonly failure: Failure; readonly function: string }

/** Go's name for the root of all templates, and for a text given to `tpl`. */
export const textName = 'gotpl'

/** `file:line:column`. The column counts bytes from 0. */
const placeOf = (template: Template, at: number): string => {
  const { name, text } = template.source
  const before = text.slice(0, at)
  return `${name}:${lineOf(template, at)}:${byteLength(before.slice(before.lastIndexOf('\n') + 1))}`
}

const lineOf = ({ source }: Template, at: number): number => source.text.slice(0, at).split('\n').length

/** Only parsing adds templates. */
export type TemplateSet = {
  readonly templates: Templates
  readonly functions: FunctionTable
  readonly delimiters: Delimiters
}

/** A text given to `tpl` adds a layer over the other templates instead of copying them: charts call `tpl` thousands of times. */
export class Templates {
  private readonly own = new Map<string, Template>()
  private readonly below: Templates | undefined

  constructor(below?: Templates) {
    this.below = below
  }

  get(name: string): Template | undefined {
    return this.own.get(name) ?? this.below?.get(name)
  }

  set(template: Template): void {
    this.own.set(template.name, template)
  }
}

const shortCircuits = new Set(['and', 'or'])

/** Returns the template of the text itself. Throws a SyntaxFault. */
export const addTemplates = (set: TemplateSet, name: string, text: string): Template => {
  const isFunction = (word: string): boolean => shortCircuits.has(word) || Object.hasOwn(set.functions, word)
  const { own, all } = parse({ name, text }, { delimiters: set.delimiters, isFunction })
  for (const template of all) {
    // A text of nothing but space does not replace an earlier definition.
    if (!isEmpty(template) || !set.templates.get(template.name)) set.templates.set(template)
  }
  return own
}

export const parseInto = (set: TemplateSet, name: string, text: string): void => {
  try {
    addTemplates(set, name, text)
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error
    const { line } = error
    throw new TemplateError(`parse error at (${name}:${line}): ${error.message.split(': ').at(-1)}`, {
      blame: { kind: 'syntax', file: name, line },
      quotesNoValues: true,
    })
  }
}
