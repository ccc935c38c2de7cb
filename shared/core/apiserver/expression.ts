// CEL expressions in configurations of API servers: whether they can be parsed, which names they use, and whether they yield a bool. Functions
// and the types of values are not checked, so that nothing is refused with which an API server starts.
//
//   expressionFault('claim.sub', { of: claims }) // "compilation failed: undeclared reference to 'claim'"
import { Environment, ParseError } from '@marcbachmann/cel-js'

/** The variable of an expression. */
type Variable = {
  readonly name: string
  /** Absent: any. */
  readonly fields?: readonly string[]
}

export const claims: Variable = { name: 'claims' }
export const user: Variable = { name: 'user', fields: ['username', 'uid', 'groups', 'extra'] }
export const request: Variable = {
  name: 'request',
  fields: ['resourceAttributes', 'nonResourceAttributes', 'user', 'groups', 'extra', 'uid'],
}

type Expected = { readonly of: Variable; readonly isBool?: boolean }

/** Why an API server does not compile the expression. */
export const expressionFault = (expression: string, { of, isBool = false }: Expected): string | undefined => {
  const parsed = parse(expression)
  if (parsed === undefined) return undefined
  if ('fault' in parsed) return `compilation failed: ${parsed.fault}`
  const fault = nameFault(of, parsed.tree)
  if (fault !== undefined) return `compilation failed: ${fault}`
  return isBool && isOtherThanBool(parsed.tree) ? 'must evaluate to bool' : undefined
}

/** Whether the expression reads a field of a variable as `claims.email` or `claims.?email`. */
export const readsField = (expression: string, of: Variable, field: string): boolean => {
  const parsed = parse(expression)
  if (parsed === undefined || 'fault' in parsed) return false
  return nodesIn(parsed.tree).some(node => isSelect(node) && isName(node.args[0], of.name) && node.args[1] === field)
}

type Node = { readonly op: string; readonly args: unknown }
type Parsed = { readonly tree: Node } | { readonly fault: string }

let language: Environment | undefined

/** undefined: it has names in backquotes, constructions such as `Timestamp{…}`, or a leading dot, which the library does not know. */
const parse = (expression: string): Parsed | undefined => {
  language ??= new Environment({ enableOptionalTypes: true })
  try {
    return { tree: language.parse(expression).ast as Node }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const isUnknown = /`|\w\s*\{|(^|[^\w\s)\]}'"])\s*\.\w/.test(expression)
    return isUnknown ? undefined : { fault: `Syntax error: ${error.summary}` }
  }
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'op' in value

/** A node and all below it. */
const nodesIn = (value: unknown): Node[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value, ...(value.op === 'value' ? [] : nodesIn(value.args))] : []
}

const isName = (value: unknown, name: string): boolean => isNode(value) && value.op === 'id' && value.args === name

type Call = { readonly args: readonly unknown[] }

const isSelect = (node: Node): node is Node & Call => node.op === '.' || node.op === '.?'

/** `a.b(c)`: the name, what it is called on, and a list of what it is given. */
const isMethod = (node: Node): node is Node & Call => node.op === 'rcall'

const types = 'bool bytes double dyn google int list map null_type optional_type string type uint'.split(' ')

const nameFault = ({ name, fields }: Variable, tree: Node): string | undefined => {
  const nodes = nodesIn(tree)
  const known = new Set<unknown>([name, ...types, ...nodes.filter(isMethod).flatMap(spokenFor)])
  const unknown = nodes.find(({ op, args }) => op === 'id' && !known.has(args))
  if (unknown) return `undeclared reference to '${unknown.args}'`
  const wrong = nodes.find(
    node => isSelect(node) && isName(node.args[0], name) && fields?.includes(String(node.args[1])) === false,
  )
  return wrong && `undefined field '${(wrong.args as unknown[])[1]}'`
}

/** Names that a macro declares, as `x` in `list.all(x, x > 1)`, and the namespace of a function, as `sets` in `sets.contains(a, b)`. */
const spokenFor = ({ args: [, target, given] }: Call): unknown[] => {
  const declared = Array.isArray(given) ? given.slice(0, -1) : []
  return [target, ...declared].flatMap(each => (isNode(each) && each.op === 'id' ? [each.args] : []))
}

/** Of what they yield no bool, whatever they are given. */
const otherThanBool = new Set(['id', '.?', '[?]', 'list', 'map', '+', '-', '*', '/', '%', '-_'])

const isOtherThanBool = (node: Node): boolean => {
  if (node.op === 'value') return typeof node.args !== 'boolean'
  if (node.op === '?:') return (node.args as Node[]).slice(1).some(isOtherThanBool)
  return otherThanBool.has(node.op) || isPart(node)
}

/** `claims.a.b`, `claims.a[0]`: no field of a variable is known to be a bool. */
const isPart = ({ op, args }: Node): boolean => {
  const [whole] = Array.isArray(args) ? (args as unknown[]) : []
  return (op === '.' || op === '[]') && isNode(whole) && (whole.op === 'id' || isPart(whole))
}
