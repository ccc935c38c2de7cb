// Decides whether a parameter accepts a value, and which value the function gets. Follows Go's rules of assignment, without conversions.
import { type Expression, spelled } from '../syntax/nodes.ts'
import { asMap, parameterNames, typeName } from '../value/kinds.ts'
import { GoMap, type GoValue, Instant, isList, type ParameterType, Sized, Struct, TypedList } from '../value/value.ts'
import type { Frame } from './frame.ts'

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

export const fitted = (frame: Frame, value: GoValue, type: ParameterType): GoValue => {
  if (type === 'any' || type === 'value') return value instanceof Struct ? (value.passed ?? value) : value
  const fitting = fittings[type]
  if (value === undefined) return fitting.nil?.() ?? frame.fail(`invalid value; expected ${parameterNames[type]}`)
  const fit = fitting.from(value)
  if (fit !== undefined) return fit
  const got = value === null ? 'interface {}' : typeName(value)
  return frame.fail(`wrong type for value; expected ${parameterNames[type]}; got ${got}`)
}

const nilable: ReadonlySet<ParameterType> = new Set(['any', 'value', 'map', 'list'])

export const fittedNil = (frame: Frame, type: ParameterType): GoValue =>
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

export const fittedLiteral = (frame: Frame, node: Literal, type: ParameterType): GoValue => {
  const read = literals[type]
  if (read === undefined) return frame.fail(`can't handle ${spelled(node)} for arg of type ${parameterNames[type]}`)
  return read.from(node) ?? frame.fail(`expected ${read.name}; found ${spelled(node)}`)
}
