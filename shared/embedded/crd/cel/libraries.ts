// The functions that Kubernetes adds to CEL: of lists, sets, texts, regular expressions, quantities, URLs and addresses.
import type { Environment } from '@marcbachmann/cel-js'
import { addAddresses } from './addresses.ts'
import { addQuantities } from './quantities.ts'
import { addTexts } from './texts.ts'

export const addLibraries = (environment: Environment): Environment =>
  [addLists, addSets, addTexts, addQuantities, addAddresses].reduce((before, add) => add(before), environment)

type Ordered = bigint | number | string

const extreme = (list: Ordered[], isBetter: (candidate: Ordered, best: Ordered) => boolean, name: string): Ordered => {
  const [first, ...rest] = list
  if (first === undefined) throw new Error(`${name} called on empty list`)
  return rest.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}

const total = (list: (bigint | number)[]): bigint | number =>
  list.every(each => typeof each === 'bigint')
    ? list.reduce((sum, each) => sum + each, 0n)
    : list.reduce<number>((sum, each) => sum + Number(each), 0)

const addLists = (environment: Environment): Environment =>
  environment
    .registerFunction('list.isSorted(): bool', (list: Ordered[]) =>
      list.every((each, index) => index === 0 || (list[index - 1] ?? each) <= each),
    )
    .registerFunction('list.sum(): dyn', total)
    .registerFunction('list.min(): dyn', (list: Ordered[]) => extreme(list, (each, best) => each < best, 'min'))
    .registerFunction('list.max(): dyn', (list: Ordered[]) => extreme(list, (each, best) => each > best, 'max'))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findIndex(each => isEqual(each, item))),
    )
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      BigInt(list.findLastIndex(each => isEqual(each, item))),
    )

const spelled = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'null'

const isEqual = (left: unknown, right: unknown): boolean => spelled(left) === spelled(right)
const includes = (list: unknown[], item: unknown): boolean => list.some(each => isEqual(each, item))
const containsAll = (list: unknown[], part: unknown[]): boolean => part.every(item => includes(list, item))

class SetsNamespace {}

const addSets = (environment: Environment): Environment =>
  environment
    .registerType('SetsNamespace', SetsNamespace)
    .registerConstant('sets', 'SetsNamespace', new SetsNamespace())
    .registerFunction('SetsNamespace.contains(list, list): bool', (_: unknown, list: unknown[], part: unknown[]) =>
      containsAll(list, part),
    )
    .registerFunction(
      'SetsNamespace.equivalent(list, list): bool',
      (_: unknown, left: unknown[], right: unknown[]) => containsAll(left, right) && containsAll(right, left),
    )
    .registerFunction('SetsNamespace.intersects(list, list): bool', (_: unknown, left: unknown[], right: unknown[]) =>
      left.some(item => includes(right, item)),
    )
