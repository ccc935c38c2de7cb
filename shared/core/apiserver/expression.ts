// Checks CEL expressions in configurations of API servers: syntax, names, functions, types, and whether the result is a bool. The library
// does not know all functions of Kubernetes, so doubtful faults are ignored. Thus no valid expression is refused.
//
//   expressionFault('claim.sub', { variable: claims }) // "compilation failed: undeclared reference to 'claim'"
import { Environment, ParseError, type TypeCheckResult } from '@marcbachmann/cel-js'

/** The variable of an expression. The library defines the syntax of `type`. */
type Variable = { readonly name: string } & ({ readonly type: string } | { readonly schema: Schema })

type Schema = { readonly [field: string]: string | Schema }

const groupsAndExtra = { uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' }
const attributes = ['namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name']

export const claims: Variable = { name: 'claims', type: 'map<string, dyn>' }
export const user: Variable = { name: 'user', schema: { username: 'string', ...groupsAndExtra } }
export const request: Variable = {
  name: 'request',
  schema: {
    resourceAttributes: {
      ...Object.fromEntries(attributes.map(name => [name, 'string'])),
      fieldSelector: 'dyn',
      labelSelector: 'dyn',
    },
    nonResourceAttributes: { path: 'string', verb: 'string' },
    user: 'string',
    ...groupsAndExtra,
  },
}

type Expected = { readonly variable: Variable; readonly isBool?: boolean }

/** The reason why an API server does not compile the expression; undefined when the API server may compile it. */
export const expressionFault = (expression: string, { variable, isBool = false }: Expected): string | undefined => {
  const parsed = parse(expression, variable)
  if (parsed === undefined) return undefined
  if ('fault' in parsed) return `compilation failed: ${parsed.fault}`
  const { tree } = parsed
  const { type, error } = parsed.check()
  const fault = nameFault(variable, tree) ?? (error && typeFault(error))
  if (fault !== undefined) return `compilation failed: ${fault}`
  return isBool && (isOtherThanBool(tree) || isNoBool(type)) ? 'must evaluate to bool' : undefined
}

/** Whether the expression reads a field of a variable as `claims.email` or `claims.?email`. */
export const readsField = (expression: string, variable: Variable, field: string): boolean => {
  const parsed = parse(expression, variable)
  if (parsed === undefined || 'fault' in parsed) return false
  return nodesIn(parsed.tree).some(
    node => isSelect(node) && isName(node.args[0], variable.name) && node.args[1] === field,
  )
}

type Parsed = { readonly tree: CelNode; readonly check: () => TypeCheckResult } | { readonly fault: string }

/** Each expression gets its own Environment, because an Environment keeps all functions and types of the expressions it has seen. */
const languageFor = (variable: Variable): Environment => {
  const made = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  made.registerVariable(variable)
  return made
}

/**
 * Parses the expression. undefined when it contains syntax that the library does not know: names in backquotes, constructions such as
 * `Timestamp{…}`, a leading dot, or optional elements such as `[?a]`.
 */
const parse = (expression: string, variable: Variable): Parsed | undefined => {
  try {
    const program = languageFor(variable).parse(expression)
    return { tree: program.ast as CelNode, check: () => program.check() }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const isUnknown = /`|\w\s*\{|[[{,]\s*\?|(^|[^\w\s)\]}'"])\s*\.\w/.test(expression)
    return isUnknown ? undefined : { fault: `Syntax error: ${error.summary}` }
  }
}

const isNode = (value: unknown): value is CelNode => typeof value === 'object' && value !== null && 'op' in value

const nodesIn = (value: unknown): CelNode[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn)
  return isNode(value) ? [value, ...(value.op === 'value' ? [] : nodesIn(value.args))] : []
}

const isName = (value: unknown, name: string): boolean => isNode(value) && value.op === 'id' && value.args === name

type Call = { readonly args: readonly unknown[] }

const isSelect = (node: CelNode): node is CelNode & Call => node.op === '.' || node.op === '.?'

/** `a.b(c)`. The arguments are the name, the receiver, and the list of arguments. */
const isMethod = (node: CelNode): node is CelNode & Call => node.op === 'rcall'

const types = 'bool bytes double dyn google int list map null_type optional_type string type uint'.split(' ')

const nameFault = (variable: Variable, tree: CelNode): string | undefined => {
  const { name } = variable
  const nodes = nodesIn(tree)
  const known = new Set<unknown>([name, ...types, ...nodes.filter(isMethod).flatMap(spokenFor)])
  const unknown = nodes.find(({ op, args }) => op === 'id' && !known.has(args))
  const undeclared = unknown ? unknown.args : unknownFunction(nodes)
  if (undeclared !== undefined) return `undeclared reference to '${undeclared}'`
  const wrong = nodes.find(
    node =>
      isSelect(node) &&
      isName(node.args[0], name) &&
      'schema' in variable &&
      !Object.hasOwn(variable.schema, String(node.args[1])),
  )
  return wrong && `undefined field '${(wrong.args as unknown[])[1]}'`
}

/**
 * Names that a macro declares, such as `x` in `list.all(x, x > 1)`, and the namespace of a function, such as `sets` in `sets.contains(a,
 * b)`.
 */
const spokenFor = ({ args: [, target, given] }: Call): unknown[] => {
  const declared = Array.isArray(given) ? given.slice(0, -1) : []
  return [target, ...declared].flatMap(each => (isNode(each) && each.op === 'id' ? [each.args] : []))
}

/** Operations that never result in a bool. */
const otherThanBool = new Set(['id', '.?', '[?]', 'list', 'map', '+', '-', '*', '/', '%', '-_'])

const isOtherThanBool = (node: CelNode): boolean => {
  if (node.op === 'value') return typeof node.args !== 'boolean'
  if (node.op === '?:') return (node.args as CelNode[]).slice(1).some(isOtherThanBool)
  return otherThanBool.has(node.op) || isPart(node)
}

/** Whether the node is a part of a variable, such as `claims.a.b` or `claims.a[0]`. No known variable has a field of type bool. */
const isPart = ({ op, args }: CelNode): boolean => {
  const [whole] = Array.isArray(args) ? (args as unknown[]) : []
  return (op === '.' || op === '[]') && isNode(whole) && (whole.op === 'id' || isPart(whole))
}

type CelNode = { readonly op: string; readonly args: unknown }

type TypeFault = NonNullable<TypeCheckResult['error']>

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Functions of CEL, its extensions, and Kubernetes 1.36. The namespace of a function, such as `sets` in `sets.contains`, is left out. */
const functions = words(
  `all bool bytes contains double duration dyn endsWith exists existsOne exists_one filter first getDate getDayOfMonth getDayOfWeek
  getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has hasValue int last map matches none of ofNonZeroValue
  optFlatMap optMap or orValue size startsWith string timestamp transformList transformMap transformMapEntry type uint unwrap unwrapOpt value
  charAt distinct equivalent flatten format indexOf intersects join lastIndexOf lowerAscii quote range replace reverse slice sort sortBy split
  substring trim upperAscii
  add allowed asApproximateFloat asInteger byte check cidr compareTo containsCIDR containsIP date datetime dns1035Label dns1035LabelPrefix
  dns1123Label dns1123LabelPrefix dns1123Subdomain dns1123SubdomainPrefix error errored escapeKey family
  fieldSelector find findAll getEscapedPath getHost getHostname getPort getQuery getScheme group ip isCIDR isCanonical isGlobalUnicast
  isGreaterThan isIP isInteger isLessThan isLinkLocalMulticast isLinkLocalUnicast isLoopback isQuantity isSemver isSorted isURL isUnspecified
  labelSelector labelValue major masked max min minor name named namespace patch path prefixLength qualifiedName quantity reason resource semver
  serviceAccount sign sub subresource sum uri url uuid validate`,
)

/** The name `f` in `f(a)` or `a.f(b)`. */
const calledBy = ({ op, args }: CelNode): string | undefined =>
  (op === 'call' || op === 'rcall') && Array.isArray(args) ? String(args[0]) : undefined

const unknownFunction = (nodes: readonly CelNode[]): string | undefined =>
  nodes.map(calledBy).find(name => name !== undefined && !functions.has(name))

/** Functions whose overloads are the same in Kubernetes and in the library. */
const sameFunctions = words('size startsWith endsWith contains matches lowerAscii upperAscii trim getFullYear getHours')

/**
 * The summary of the fault; undefined when an API server may accept the expression. API servers can, for example, compare optionals and
 * order bytes.
 */
const typeFault = ({ code, node, summary }: TypeFault): string | undefined => {
  if (code === 'no_matching_overload') return sameFunctions.has(calledBy(node as CelNode) ?? '') ? summary : undefined
  return believed.has(code) && !disbelieved.test(summary) ? summary : undefined
}

const disbelieved = /\b(null|optional)\b|: bytes [<>]=? bytes$/

const believed = words(
  'no_such_key no_such_overload invalid_logical_operand invalid_condition_type incompatible_ternary_branches',
)

/** Whether the type is known and is not bool. */
const isNoBool = (type: string | undefined): boolean =>
  type !== undefined && /^(string|int|uint|double|bytes|null|type|(list|map)\b.*|google\.protobuf\..*)$/.test(type)
