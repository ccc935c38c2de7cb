// Executes the statements of a template, with one frame per template.
import { formatted } from '../format/print.ts'
import { quote } from '../syntax/literals.ts'
import type { Branch, Statement, Template } from '../syntax/nodes.ts'
import { compareText } from '../value/bytes.ts'
import { asMap, elementsOf, integerOf, isTrue, plain } from '../value/kinds.ts'
import { type GoValue, isMissing } from '../value/value.ts'
import { BudgetError, Failure } from './environment.ts'
import { evaluatePipe } from './evaluation.ts'
import { Frame, type TemplateRun } from './frame.ts'

type End = 'through' | 'break' | 'continue'

export const executeNamed = (rendering: TemplateRun, name: string, data: GoValue): string => {
  const template = rendering.set.templates.get(name)
  if (template === undefined) {
    throw new Failure(`template: no template ${quote(name)} associated with template "gotpl"`)
  }
  return executeTemplate(rendering, template, data)
}

/** A nil that is passed to a template has no type, so reading a field of nil returns no value and is not a fault. */
export const executeTemplate = (rendering: TemplateRun, template: Template, data: GoValue): string => {
  const output: string[] = []
  const root = data ?? undefined
  run(new Frame(rendering, template, root, output), root)
  return output.join('')
}

/** Uses no closure and few stack frames, because the stack limits the nesting of templates. */
const run = (frame: Frame, data: GoValue): void => {
  frame.budget.enter()
  try {
    walkAll(frame, frame.template.body, data)
  } catch (error) {
    if (error instanceof BudgetError) error.place ??= frame.place()
    throw error
  } finally {
    frame.budget.leave()
  }
}

const walkAll = (frame: Frame, statements: readonly Statement[], dot: GoValue): End => {
  for (const statement of statements) {
    const end = walk(frame, statement, dot)
    if (end !== 'through') return end
  }
  return 'through'
}

const walk = (frame: Frame, statement: Statement, dot: GoValue): End => {
  frame.at = statement
  switch (statement.is) {
    case 'text':
      return frame.write(statement.text)
    case 'action': {
      const value = evaluatePipe(frame, statement.pipe, dot)
      return statement.pipe.variables.length > 0 ? 'through' : frame.write(printed(value))
    }
    case 'template':
      return callTemplate(frame, statement, dot)
    case 'if':
    case 'with':
      return choose(frame, statement, dot)
    case 'range':
      return loop(frame, statement, dot)
    default:
      return statement.is
  }
}

const printed = (value: GoValue): string => {
  if (typeof value === 'string') return value
  return isMissing(value) ? '<no value>' : formatted(value)
}

const callTemplate = (frame: Frame, node: Statement & { is: 'template' }, dot: GoValue): End => {
  const template = frame.rendering.set.templates.get(node.name)
  if (template === undefined) frame.fail(`template ${quote(node.name)} not defined`)
  const data = node.pipe === undefined ? undefined : evaluatePipe(frame, node.pipe, dot)
  run(new Frame(frame.rendering, template, data, frame.output), data)
  return 'through'
}

const choose = (frame: Frame, node: Branch, dot: GoValue): End => {
  const mark = frame.variables.length
  const value = evaluatePipe(frame, node.pipe, dot)
  const isChosen = isTrue(value)
  const end = !isChosen
    ? walkAll(frame, node.otherwise ?? [], dot)
    : node.is === 'with'
      ? walkBody(frame, node, { value, isElement: false })
      : walkAll(frame, node.body, dot)
  frame.variables.length = mark
  return end
}

const walkBody = (frame: Frame, node: Branch, dot: { value: GoValue; isElement: boolean }): End => {
  const outer = frame.isDotElement
  frame.isDotElement = dot.isElement
  const end = walkAll(frame, node.body, dot.value)
  frame.isDotElement = outer
  return end
}

type Item = { readonly key: GoValue; readonly value: GoValue }

const loop = (frame: Frame, node: Branch, dot: GoValue): End => {
  const mark = frame.variables.length
  const subject = plain(evaluatePipe(frame, node.pipe, dot))
  const body = frame.variables.length
  let isEmpty = true
  for (const item of items(frame, node, subject)) {
    isEmpty = false
    bind(frame, node, item)
    const end = walkBody(frame, node, { value: item.value, isElement: true })
    frame.variables.length = body
    if (end === 'break') break
  }
  // As in Go, in `else` the loop's variables hold the whole subject.
  const end = isEmpty ? walkAll(frame, node.otherwise ?? [], dot) : 'through'
  frame.variables.length = mark
  return end
}

/** A single variable takes the value. Of two variables the first takes the key. */
const bind = (frame: Frame, node: Branch, item: Item): void => {
  const [first, second] = node.pipe.variables
  if (first === undefined) return
  if (node.pipe.isAssignment) {
    frame.assign(first, second === undefined ? item.value : item.key)
    if (second !== undefined) frame.assign(second, item.value)
  } else {
    const top = frame.variables.length
    frame.redeclare(top - 1, item.value)
    if (second !== undefined) frame.redeclare(top - 2, item.key)
  }
}

function* items(frame: Frame, node: Branch, subject: GoValue): Generator<Item> {
  const count = integerOf(subject)
  if (count !== undefined) {
    if (node.pipe.variables.length > 1) frame.fail(`can't use ${count} to iterate over more than one variable`)
    for (let value = 0n; value < count; value += 1n) yield { key: undefined, value }
    return
  }
  const map = asMap(subject)
  if (map !== undefined) {
    for (const key of [...map.keys()].sort(compareText)) yield { key, value: map.get(key) ?? map.zero }
    return
  }
  if (isMissing(subject)) return
  const list = elementsOf(subject) ?? frame.fail(`range can't iterate over ${formatted(subject)}`)
  for (const [index, value] of list.entries()) yield { key: BigInt(index), value: value ?? null }
}
