// One template under execution: its variables, its output, and the node that an error is reported at.
import { quote } from '../format/quote.ts'
import { type Node, spelled, type Template } from '../syntax/nodes.ts'
import { byteLength } from '../value/bytes.ts'
import type { GoValue } from '../value/value.ts'
import type { Budget } from './budget.ts'
import type { Call, Environment } from './call.ts'
import { ExecutionFault } from './failure.ts'
import type { TemplateSet } from './set.ts'

export type Rendering = {
  readonly set: TemplateSet
  readonly environment: Environment
  /** What functions get to reach. */
  readonly call: Call
}

/** A value out of a map or list is of the type interface {}, which error messages tell. */
type Variable = { readonly name: string; value: GoValue; isElement: boolean }

/** A variable is looked for among all that are declared. */
const variablesPerStep = 32

export class Frame {
  readonly rendering: Rendering
  readonly template: Template
  readonly output: string[]
  readonly variables: Variable[]
  readonly budget: Budget
  /** What is being executed. */
  at: Node | undefined
  /** Whether the dot is an element that a loop has come to. */
  isDotElement = false

  constructor(rendering: Rendering, template: Template, data: GoValue, output: string[]) {
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
    this.budget.step(this.variables.length / variablesPerStep)
    return this.variables.findLast(variable => variable.name === name) ?? this.fail(`undefined variable: ${name}`)
  }

  /** What is being executed, as a place in its file. */
  place(): string {
    return this.at === undefined ? this.template.name : placeOf(this.template, this.at.at)
  }

  fail(message: string, byAuthor?: string): never {
    const { template, at } = this
    const place = this.place()
    if (at === undefined) throw new ExecutionFault(`template: ${place}: ${message}`, place, byAuthor)
    const context = `executing ${quote(template.name)} at <${spelled(at)}>`
    throw new ExecutionFault(`template: ${place}: ${context}: ${message}`, place, byAuthor)
  }
}

/** `file:line:column`, the column in bytes from 0. */
const placeOf = ({ source }: Template, at: number): string => {
  const before = source.text.slice(0, at)
  const line = before.split('\n').length
  return `${source.name}:${line}:${byteLength(before.slice(before.lastIndexOf('\n') + 1))}`
}
