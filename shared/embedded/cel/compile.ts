// Compiles an expression and returns its type, or cel-go's message: the fault, its place, and the line with a mark. The message contains
// only the first fault, while cel-go lists all faults. Object types have generated names in cel-go and are called `object` here.
import type { Environment, TypeCheckResult } from '@marcbachmann/cel-js'
import { withCalls } from './constructions.ts'
import { withPresence } from './nodes.ts'
import { mentionsOldSelf } from './program.ts'
import { objectPrefix } from './values.ts'

export const compiled = (
  expression: string,
  environment: Environment,
): { fault?: string; type?: string; usesOldSelf?: boolean } => {
  const { text, placeOf } = withCalls(expression)
  const words = (error: CompileError) => {
    const functions = new Set(environment.getDefinitions().functions.map(({ name }) => name))
    return compileWords({ expression: text, error, functions }, expression, placeOf)
  }
  try {
    const program = withPresence(environment.parse(text))
    const { type, error } = program.check()
    if (error) return { fault: words(error) }
    return { type, usesOldSelf: mentionsOldSelf(program.ast) }
  } catch (error) {
    if (!isCompileError(error)) throw error
    return { fault: words(error) }
  }
}

const isCompileError = (error: unknown): error is CompileError =>
  error instanceof Error && (error.name === 'ParseError' || error.name === 'TypeError') && 'summary' in error

type CompileError = NonNullable<TypeCheckResult['error']>

type Node = {
  readonly op: string
  readonly args: unknown
  readonly start: number
  readonly end: number
  readonly checkedType?: { readonly name: string }
}

type Place = { readonly expression: string; readonly error: CompileError; readonly functions: ReadonlySet<string> }
type Words = { readonly text: string; readonly at: number }
type Wording = (node: Node, place: Place) => Words

/** `ERROR: <input>:1:6: undefined field 'b'`, the line, and a mark. `placeOf` maps a position to the original text. */
const compileWords = (place: Place, original: string, placeOf: (at: number) => number): string => {
  const { error } = place
  const node = error.node as unknown as Node | undefined
  const { text, at } = (node && wordings[error.code]?.(node, place)) ?? plain(place)
  const before = original.slice(0, placeOf(at)).split('\n')
  const column = before.at(-1)?.length ?? 0
  const line = original.split('\n')[before.length - 1] ?? ''
  return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${'.'.repeat(column)}^`
}

const plain = ({ error }: Place): Words => ({
  text: error.name === 'ParseError' ? `Syntax error: ${error.summary}` : error.summary,
  at: error.range?.start ?? 0,
})

const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** If the expression ends too early, the message is cel-go's. Other syntax errors have the library's message. */
const syntaxWords: Wording = (_, place) => {
  const words = plain(place)
  const isAtEnd = words.at >= place.expression.trimEnd().length
  return isAtEnd ? { ...words, text: `Syntax error: mismatched input '<EOF>' expecting ${expected}` } : words
}

const undeclared = (name: unknown, at: number): Words => ({
  text: `undeclared reference to '${name}' (in container '')`,
  at,
})

const noOverload = (name: string, types: string, at: number): Words => ({
  text: `found no matching overload for '${name}' applied to '${types}'`,
  at,
})

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])
const asNode = (value: unknown): Node => value as Node
const endOf = (value: unknown): number => asNode(value).end

const typeText = (value: unknown): string => goType(asNode(value).checkedType?.name ?? 'dyn')

/** cel-go writes `list<string>` as `list(string)`. */
export const goType = (name: string): string =>
  name
    .replace(/^list$/, 'list<dyn>')
    .replace(/^map$/, 'map<dyn, dyn>')
    .replaceAll('<', '(')
    .replaceAll('>', ')')
    .replaceAll(/google\.protobuf\.(\w+)/g, (_, name: string) => name.toLowerCase())
    .replaceAll(new RegExp(`${objectPrefix}\\d+`, 'g'), 'object')
    .replaceAll('optional(', 'optional_type(')

const typesText = (values: readonly unknown[]): string => `(${values.map(typeText).join(', ')})`

const signAt = ({ expression }: Place, sign: string, after: number): number =>
  Math.max(after, expression.indexOf(sign, after))

const operators: Readonly<Record<string, string>> = { '!_': '!_', '-_': '-_', in: '@in' }

/** The position that cel-go names for an expression: its operator, its parenthesis, or its start. */
const placeOf = (node: Node, place: Place): number => {
  const parts = listOf(node.args)
  if (node.op === '.' || node.op === '.?') return signAt(place, '.', endOf(parts[0]))
  if (node.op === '[]') return signAt(place, '[', endOf(parts[0]))
  if (node.op === 'call') return signAt(place, '(', node.start)
  if (node.op === 'rcall') return signAt(place, '(', signAt(place, `.${parts[0]}`, endOf(parts[1])))
  return parts.length === 2 && isOperand(parts[0]) ? signAt(place, node.op, endOf(parts[0])) : node.start
}

const isOperand = (value: unknown): boolean => typeof value === 'object' && value !== null && 'end' in value

const operandWords: Wording = (node, place) => {
  const wrong = listOf(node.args).find(each => !['bool', 'dyn'].includes(typeText(each)))
  return { text: `expected type 'bool' but found '${typeText(wrong)}'`, at: placeOf(asNode(wrong), place) }
}

const operatorWords: Wording = (node, place) => {
  const operands = listOf(node.args)
  const [left] = operands
  const name = operators[node.op] ?? `_${node.op}_`
  const at = operands.length === 1 ? node.start : signAt(place, node.op, endOf(left))
  return noOverload(name, typesText(operands), at)
}

const opening = /\bhas(\(\s*)$/

/** For a fault in the argument of has(), cel-go names the position of the parenthesis. */
const selectWords: Wording = (node, place) => {
  const { expression } = place
  const parenthesis = opening.exec(expression.slice(0, node.start))?.[1]
  const isAskedFor = parenthesis !== undefined && /^\s*\)/.test(expression.slice(node.end))
  const at = isAskedFor ? node.start - parenthesis.length : placeOf(node, place)
  return { text: `undefined field '${listOf(node.args)[1]}'`, at }
}

const unselectable: Wording = (node, place) => {
  const [owner, index] = listOf(node.args)
  const at = placeOf(node, place)
  if (node.op === '[]') return noOverload('_[_]', typesText([owner, index]), at)
  return { text: `type '${typeText(owner)}' does not support field selection`, at }
}

const callWords: Wording = (node, place) => {
  const [name, ...rest] = listOf(node.args)
  const at = placeOf(node, place)
  if (!place.functions.has(String(name))) return undeclared(name, at)
  if (node.op === 'call') return noOverload(String(name), typesText(listOf(rest[0])), at)
  return noOverload(String(name), `${typeText(rest[0])}.${typesText(listOf(rest[1]))}`, at)
}

const wordings: Readonly<Record<string, Wording>> = {
  unknown_variable: ({ args, start }) => undeclared(args, start),
  no_such_key: selectWords,
  invalid_macro_argument: ({ start }, { expression }) => ({
    text: opening.test(expression.slice(0, start))
      ? 'invalid argument to has() macro'
      : 'argument must be a simple name',
    at: start,
  }),
  unexpected_token: syntaxWords,
  no_such_overload: operatorWords,
  invalid_logical_operand: operandWords,
  cannot_index_type: unselectable,
  invalid_index_type: unselectable,
  no_matching_overload: callWords,
  incompatible_ternary_branches: (node, place) =>
    noOverload('_?_:_', typesText(listOf(node.args)), signAt(place, '?', endOf(listOf(node.args)[0]))),
}
