// Evaluates expressions: pipelines, fields, methods, and calls of functions with a check of their arguments. Errors name the node that Go's
// executor names.
import { quote } from '../syntax/literals.ts'
import { type Command, type Expression, type Node, type NumberNode, type Pipe, spelled } from '../syntax/nodes.ts'
import { instantMethod } from '../time/layout.ts'
import { asMap, isTrue, parameterNames, typeName } from '../value/kinds.ts'
import {
  GoMap,
  type GoValue,
  Instant,
  isList,
  type ParameterType,
  Sized,
  Struct,
  type TemplateFunction,
  TypedList,
} from '../value/value.ts'
import { Failure } from './environment.ts'
import type { Frame } from './frame.ts'

type Final = { readonly value: GoValue } | undefined

export const evaluatePipe = (frame: Frame, pipe: Pipe, dot: GoValue): GoValue => {
  frame.at = pipe
  let final: Final
  for (const command of pipe.commands) final = { value: evaluateCommand(frame, command, dot, final) ?? undefined }
  for (const name of pipe.variables) {
    if (pipe.isAssignment) frame.assign(name, final?.value)
    else frame.declare(name, final?.value)
  }
  return final?.value
}

const evaluateCommand = (frame: Frame, command: Command, dot: GoValue, final: Final): GoValue => {
  const { first, args } = command
  switch (first.is) {
    case 'field':
    case 'chain':
    case 'variable':
      return evaluateNames(frame, first, { dot, args, final })
    case 'identifier':
      frame.at = first
      return evaluateFunction(frame, first.name, { node: command, dot, args, final })
  }
  if (first.is !== 'pipe') frame.at = first
  if (args.length > 0 || final !== undefined) frame.fail(`can't give argument to non-function ${spelled(first)}`)
  if (first.is === 'nil') frame.fail('nil is not a command')
  return evaluate(frame, first, dot)
}

type Given = { readonly dot: GoValue; readonly args: readonly Expression[]; readonly final: Final }

const evaluate = (frame: Frame, node: Expression, dot: GoValue): GoValue => {
  frame.at = node
  switch (node.is) {
    case 'dot':
      return dot
    case 'nil':
      return undefined
    case 'bool':
    case 'string':
      return node.value
    case 'number':
      return constant(frame, node)
    case 'pipe':
      return evaluatePipe(frame, node, dot)
    case 'identifier':
      return evaluateFunction(frame, node.name, { node, dot, args: [], final: undefined })
    default:
      return evaluateNames(frame, node, { dot, args: [], final: undefined })
  }
}

const constant = (frame: Frame, node: NumberNode): GoValue => {
  if (node.isFloat) return node.float
  return node.int ?? frame.fail(`${node.text} overflows int`)
}

type Named = Expression & { is: 'field' | 'chain' | 'variable' }

const evaluateNames = (frame: Frame, node: Named, given: Given): GoValue => {
  frame.at = node
  const { value: start, isElement } = receiver(frame, node, given.dot)
  if (node.names.length === 0) {
    if (given.args.length > 0 || given.final !== undefined) {
      frame.fail(`can't give argument to non-function ${spelled(node)}`)
    }
    return start
  }
  return node.names.reduce<GoValue>((value, name, index) => {
    const isLast = index === node.names.length - 1
    const rest = isLast ? given : { ...given, args: [], final: undefined }
    return field(frame, { node, name, value, isElement: index > 0 || isElement }, rest)
  }, start)
}

type Receiver = { readonly value: GoValue; readonly isElement: boolean }

const receiver = (frame: Frame, node: Named, dot: GoValue): Receiver => {
  if (node.is === 'field') return { value: dot, isElement: frame.isDotElement }
  if (node.is === 'variable') return frame.variable(node.name)
  if (node.start.is === 'nil') frame.fail(`indirection through explicit nil in ${spelled(node)}`)
  return { value: evaluate(frame, node.start, dot), isElement: false }
}

type FieldOf = {
  readonly node: Node
  readonly name: string
  readonly value: GoValue
  /** The value came out of a map or list, so its static type is interface {}. */
  readonly isElement: boolean
}

const field = (frame: Frame, { node, name, value, isElement }: FieldOf, given: Given): GoValue => {
  if (value === undefined) return undefined
  if (value === null) frame.fail(`nil pointer evaluating interface {}.${name}`)
  const method = methodOf(value, name)
  if (method !== undefined) return callWith(frame, method, { name, node, ...given })
  const hasArguments = given.args.length > 0 || given.final !== undefined
  if (value instanceof Struct && value.under === undefined && value.fields.has(name)) {
    if (!/^\p{Lu}/u.test(name)) frame.fail(`${name} is an unexported field of struct type ${typeName(value)}`)
    if (hasArguments) frame.fail(`${name} has arguments but cannot be invoked as function`)
    return value.fields.get(name)
  }
  const map = asMap(value)
  if (map === undefined)
    return frame.fail(`can't evaluate field ${name} in type ${isElement ? 'interface {}' : typeName(value)}`)
  if (hasArguments) frame.fail(`${name} is not a method but has arguments`)
  return map.get(name) ?? map.zero
}

const methodOf = (value: GoValue, name: string): TemplateFunction | undefined => {
  if (value instanceof Struct) return value.methods.get(name)
  return value instanceof Instant ? instantMethod(value, name) : undefined
}

type Invocation = Given & { readonly node: Node }

const evaluateFunction = (frame: Frame, name: string, invocation: Invocation): GoValue => {
  if (name === 'and' || name === 'or') return shortCircuit(frame, name, invocation)
  const { functions } = frame.rendering.set
  const row = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (row === undefined) return frame.fail(`${quote(name)} is not a defined function`)
  return callWith(frame, row, { name, ...invocation })
}

const shortCircuit = (frame: Frame, name: 'and' | 'or', { dot, args, final }: Invocation): GoValue => {
  if (args.length === 0 && final === undefined) frame.fail(`wrong number of args for ${name}: want at least 1 got 0`)
  let value: GoValue
  for (const arg of args) {
    value = argument(frame, arg, 'value', dot)
    if (isTrue(value) === (name === 'or')) return value
  }
  return final === undefined ? value : final.value
}

type NamedInvocation = Invocation & { readonly name: string }

const callWith = (frame: Frame, row: TemplateFunction, invocation: NamedInvocation): GoValue => {
  const values = argumentsFor(frame, row, invocation)
  try {
    return written(frame, row.call(frame.rendering.call, values))
  } catch (error) {
    return complain(frame, invocation, error)
  }
}

const argumentsFor = (frame: Frame, row: TemplateFunction, { name, args, final, dot }: NamedInvocation): GoValue[] => {
  checkCount(frame, row, name, { written: args.length, given: args.length + (final === undefined ? 0 : 1) })
  const values = args.map((arg, index) => argument(frame, arg, typeOfParameter(row, index), dot))
  if (final !== undefined) values.push(fitted(frame, final.value, typeOfParameter(row, args.length)))
  return values
}

const written = (frame: Frame, result: GoValue): GoValue => {
  if (typeof result === 'string') frame.budget.fits(result.length)
  return result
}

const complain = (frame: Frame, { name, node }: NamedInvocation, error: unknown): never => {
  if (!(error instanceof Failure)) throw error
  frame.at = node
  return frame.fail(`error calling ${name}: ${error.message}`, { failure: error, function: name })
}

const typeOfParameter = (row: TemplateFunction, index: number): ParameterType =>
  row.parameters[index] ?? row.rest ?? 'any'

type Counts = { readonly written: number; readonly given: number }

const checkCount = (frame: Frame, row: TemplateFunction, name: string, { written, given }: Counts): void => {
  const wanted = row.parameters.length
  if (row.rest !== undefined) {
    if (given < wanted) frame.fail(`wrong number of args for ${name}: want at least ${wanted} got ${written}`)
  } else if (given !== wanted) frame.fail(`wrong number of args for ${name}: want ${wanted} got ${given}`)
}

const argument = (frame: Frame, node: Expression, type: ParameterType, dot: GoValue): GoValue => {
  frame.at = node
  switch (node.is) {
    case 'nil':
      return fittedNil(frame, type)
    case 'bool':
    case 'string':
    case 'number':
      return type === 'any' || type === 'value' ? evaluate(frame, node, dot) : fittedLiteral(frame, node, type)
    default:
      return fitted(frame, evaluate(frame, node, dot), type)
  }
}

type Fitting = {
  /** The value that the function gets; undefined if the argument has another type. */
  readonly from: (value: GoValue) => GoValue
  /** The value that the function gets instead of nil. If absent, nil is refused. */
  readonly nil?: () => GoValue
}

const isOrdinary = (list: readonly GoValue[]): boolean =>
  !(list instanceof TypedList) || list.elementType === 'interface {}'

const sized = (kind: Sized['kind'], value: GoValue): bigint | undefined =>
  value instanceof Sized && value.kind === kind ? value.value : undefined

const numbered = (value: bigint | undefined): number | undefined => (value === undefined ? undefined : Number(value))

const fittings: Record<Exclude<ParameterType, 'any' | 'value'>, Fitting> = {
  string: { from: value => (typeof value === 'string' ? value : undefined) },
  bool: { from: value => (typeof value === 'boolean' ? value : undefined) },
  int: { from: value => (typeof value === 'bigint' ? Number(value) : undefined) },
  int64: { from: value => sized('int64', value) },
  uint32: { from: value => numbered(sized('uint32', value)) },
  float64: { from: value => (typeof value === 'number' ? value : undefined) },
  map: {
    from: value => {
      const map = asMap(value)
      return map?.zero === null ? map : undefined
    },
    nil: () => Object.assign(new GoMap(), { isNil: true }),
  },
  list: { from: value => (isList(value) && isOrdinary(value) ? value : undefined), nil: () => [] },
  time: { from: value => (value instanceof Instant ? value : undefined) },
  certificate: {
    from: value => (value instanceof Struct && value.typeName === parameterNames.certificate ? value : undefined),
  },
}

const fitted = (frame: Frame, value: GoValue, type: ParameterType): GoValue => {
  if (type === 'any' || type === 'value') return value instanceof Struct ? (value.passed ?? value) : value
  const fitting = fittings[type]
  if (value === undefined) return fitting.nil?.() ?? frame.fail(`invalid value; expected ${parameterNames[type]}`)
  const fit = fitting.from(value)
  if (fit !== undefined) return fit
  const got = value === null ? 'interface {}' : typeName(value)
  return frame.fail(`wrong type for value; expected ${parameterNames[type]}; got ${got}`)
}

const nilable: ReadonlySet<ParameterType> = new Set(['any', 'value', 'map', 'list'])

const fittedNil = (frame: Frame, type: ParameterType): GoValue =>
  nilable.has(type) ? fitted(frame, undefined, type) : frame.fail(`cannot assign nil to ${parameterNames[type]}`)

type Literal = Expression & { is: 'bool' | 'string' | 'number' }

type ReadLiteral = { readonly name: string; readonly from: (node: Literal) => GoValue }

const integerLiteral = (from: (int: bigint) => GoValue): ReadLiteral => ({
  name: 'integer',
  from: node => (node.is === 'number' && node.int !== undefined ? from(node.int) : undefined),
})

/** A literal takes the type of its parameter, as an untyped constant does in Go. */
const literals: Partial<Record<ParameterType, ReadLiteral>> = {
  string: { name: 'string', from: node => (node.is === 'string' ? node.value : undefined) },
  bool: { name: 'bool', from: node => (node.is === 'bool' ? node.value : undefined) },
  float64: { name: 'float', from: node => (node.is === 'number' ? node.float : undefined) },
  int: integerLiteral(Number),
  int64: integerLiteral(int => int),
  uint32: {
    name: 'unsigned integer',
    from: node => (node.is === 'number' && node.int !== undefined && node.int >= 0n ? Number(node.int) : undefined),
  },
}

const fittedLiteral = (frame: Frame, node: Literal, type: ParameterType): GoValue => {
  const read = literals[type]
  if (read === undefined) return frame.fail(`can't handle ${spelled(node)} for arg of type ${parameterNames[type]}`)
  return read.from(node) ?? frame.fail(`expected ${read.name}; found ${spelled(node)}`)
}
