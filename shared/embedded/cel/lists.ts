// CEL functions of lists and sets that the library lacks, and equality of optional values.
import { type Environment, Optional } from '@marcbachmann/cel-js'
import { withFunctions } from './functions.ts'

type Ordered = bigint | number | string | boolean

const extreme = (list: Ordered[], isBetter: (candidate: Ordered, best: Ordered) => boolean, name: string): Ordered => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}

const includes = (list: unknown[], item: unknown): boolean => list.some(each => celEqual(each, item))
const containsAll = (list: unknown[], part: unknown[]): boolean => part.every(item => includes(list, item))

const ascending = (left: unknown, right: unknown): number =>
  left === right ? 0 : (left as Ordered) < (right as Ordered) ? -1 : 1

const distinct = (list: unknown[]): unknown[] =>
  list.filter((item, index) => list.findIndex(each => celEqual(each, item)) === index)

const part = (list: unknown[], from: bigint, to: bigint): unknown[] => {
  if (from < 0n || from > to || to > list.length)
    throw new Error(`cannot slice(${from}, ${to}), list is length ${list.length}`)
  return list.slice(Number(from), Number(to))
}

class ListsNamespace {}

const atEnd = (list: unknown[], index: number): Optional =>
  list.length > 0 ? Optional.of(list.at(index)) : Optional.none()

export const addLists = (environment: Environment): Environment =>
  withFunctions(
    addOrders(environment)
      .registerType('ListsNamespace', ListsNamespace)
      .registerConstant('lists', 'ListsNamespace', new ListsNamespace()),
    {
      'ListsNamespace.range(int): list<int>': (_: unknown, count: bigint) =>
        Array.from({ length: Number(count) }, (_, index) => BigInt(index)),
      'list<T>.first(): optional<T>': (list: unknown[]) => atEnd(list, 0),
      'list<T>.last(): optional<T>': (list: unknown[]) => atEnd(list, -1),
      'list<int>.sum(): int': (list: bigint[]) => list.reduce((sum, each) => sum + each, 0n),
      'list<double>.sum(): double': (list: number[]) => list.reduce((sum, each) => sum + each, 0),
      'list<T>.min(): T': (list: Ordered[]) => extreme(list, (each, best) => each < best, 'min'),
      'list<T>.max(): T': (list: Ordered[]) => extreme(list, (each, best) => each > best, 'max'),
      'list<T>.indexOf(T): int': (list: unknown[], item: unknown) =>
        BigInt(list.findIndex(each => celEqual(each, item))),
      'list<T>.lastIndexOf(T): int': (list: unknown[], item: unknown) =>
        BigInt(list.findLastIndex(each => celEqual(each, item))),
    },
  )

const addOrders = (environment: Environment): Environment =>
  withFunctions(environment, {
    'list.isSorted(): bool': (list: Ordered[]) =>
      list.every((each, index) => index === 0 || (list[index - 1] ?? each) <= each),
    'list<T>.sort(): list<T>': (list: unknown[]) => list.toSorted(ascending),
    'list<T>.reverse(): list<T>': (list: unknown[]) => list.toReversed(),
    'list<T>.distinct(): list<T>': distinct,
    'list<T>.slice(int, int): list<T>': part,
    'list.flatten(): list<dyn>': (list: unknown[]) => list.flat(),
    'list.flatten(int): list<dyn>': (list: unknown[], depth: bigint) => list.flat(Number(depth)),
  })

class SetsNamespace {}

export const addSets = (environment: Environment): Environment =>
  withFunctions(
    environment
      .registerType('SetsNamespace', SetsNamespace)
      .registerConstant('sets', 'SetsNamespace', new SetsNamespace()),
    {
      'SetsNamespace.contains(list, list): bool': (_: unknown, list: unknown[], part: unknown[]) =>
        containsAll(list, part),
      'SetsNamespace.equivalent(list, list): bool': (_: unknown, left: unknown[], right: unknown[]) =>
        containsAll(left, right) && containsAll(right, left),
      'SetsNamespace.intersects(list, list): bool': (_: unknown, left: unknown[], right: unknown[]) =>
        left.some(item => includes(right, item)),
    },
  )

const celEqual = (left: unknown, right: unknown): boolean => spelled(left) === spelled(right)

const spelled = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'null'

/** Types that can be compared with null although their values are never null. */
const nullable = ['optional<list<string>>', 'google.protobuf.Timestamp', 'google.protobuf.Duration']

export const addEqualities = (environment: Environment): Environment => {
  environment.registerOperator('optional<T> == optional<T>', (left: Optional, right: Optional) =>
    left.hasValue() && right.hasValue() ? celEqual(left.value(), right.value()) : left.hasValue() === right.hasValue(),
  )
  for (const type of nullable) environment.registerOperator(`${type} == null`, () => false)
  return environment
}
