// sprig's functions on lists. Each function also exists with the prefix `must`; in templates both fail with the same message.
import { Failure } from '../run/environment.ts'
import { isBlank, toInt64 } from '../value/casting.ts'
import { type FunctionTable, fn } from '../value/function.ts'
import { elementsOf, isDeepEqual, kindName } from '../value/kinds.ts'
import { type GoValue, isMissing, nilList, type TemplateFunction, TypedList, typedList } from '../value/value.ts'

const listOr = (complaint: string, value: GoValue): readonly GoValue[] => {
  const items = elementsOf(value)
  if (items !== undefined) return items
  // Go dereferences nil to get its type, which panics.
  if (isMissing(value)) throw new Failure('runtime error: invalid memory address or nil pointer dereference')
  throw new Failure(`${complaint} ${kindName(value)}`)
}

const includes = (list: readonly GoValue[], item: GoValue): boolean => list.some(one => isDeepEqual(item, one))

const unique = (list: GoValue): GoValue => {
  const kept: GoValue[] = []
  for (const item of listOr('Cannot find uniq on type', list)) {
    if (!includes(kept, item)) kept.push(item)
  }
  return kept
}

const without = (list: GoValue, omitted: readonly GoValue[]): GoValue =>
  listOr('Cannot find without on type', list).filter(item => !includes(omitted, item))

const has = (item: GoValue, list: GoValue): boolean =>
  isMissing(list) ? false : includes(listOr('Cannot find has on type', list), item)

const slice = (list: GoValue, indices: readonly GoValue[]): GoValue => {
  const items = listOr('list should be type of slice or array but', list)
  if (items.length === 0) return null
  const start = indices.length > 0 ? Number(toInt64(indices[0])) : 0
  const end = indices.length > 1 ? Number(toInt64(indices[1])) : items.length
  if (start < 0 || end > items.length || start > end)
    throw new Failure('reflect.Value.Slice: slice index out of bounds')
  const part = items.slice(start, end)
  return list instanceof TypedList ? typedList(list.elementType, part) : part
}

const chunked = (size: number, list: GoValue): GoValue => {
  const items = listOr('Cannot chunk type', list)
  if (size <= 0) throw new Failure('runtime error: integer divide by zero')
  const count = Math.ceil(items.length / size)
  const parts = Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
  return typedList('[]interface {}', parts)
}

const concatenated = (lists: readonly GoValue[]): GoValue => {
  const all = lists.flatMap(list => listOr('Cannot concat type', list))
  return all.length === 0 ? nilList() : all
}

/** The items from start to end; nil if `items` is empty. */
const part = (items: readonly GoValue[], start: number, end: number): GoValue =>
  items.length === 0 ? nilList() : items.slice(start, end)

const copying = (complaint: string, does: (items: readonly GoValue[]) => GoValue): TemplateFunction =>
  fn('any', list => does(listOr(complaint, list)))

const growing = (complaint: string, does: (items: readonly GoValue[], item: GoValue) => GoValue): TemplateFunction =>
  fn('any any', (list, item) => does(listOr(complaint, list), item))

const twins: FunctionTable = {
  append: growing('Cannot push on type', (items, item) => [...items, item]),
  chunk: fn('int any', chunked),
  compact: copying('Cannot compact on type', items => items.filter(item => !isBlank(item))),
  first: fn('any', list => listOr('Cannot find first on type', list)[0]),
  has: fn('any any', has),
  initial: copying('Cannot find initial on type', items => part(items, 0, -1)),
  last: fn('any', list => listOr('Cannot find last on type', list).at(-1)),
  prepend: growing('Cannot prepend on type', (items, item) => [item, ...items]),
  push: growing('Cannot push on type', (items, item) => [...items, item]),
  rest: copying('Cannot find rest on type', items => part(items, 1, items.length)),
  reverse: copying('Cannot find reverse on type', items => items.toReversed()),
  slice: fn('any ...any', (list, ...indices) => slice(list, indices)),
  uniq: fn('any', unique),
  without: fn('any ...any', (list, ...omitted) => without(list, omitted)),
}

/** Adds `mustFirst` to `first`, and so on. */
const withMust = (table: FunctionTable): FunctionTable => ({
  ...table,
  ...Object.fromEntries(
    Object.entries(table).map(([name, row]) => [`must${name.slice(0, 1).toUpperCase()}${name.slice(1)}`, row]),
  ),
})

const list = fn('...any', (...items) => items)

export const lists: FunctionTable = {
  ...withMust(twins),
  concat: fn('...any', (...all) => concatenated(all)),
  list,
  tuple: list,
  all: fn('...any', (...values) => !values.some(isBlank)),
  any: fn('...any', (...values) => values.some(value => !isBlank(value))),
}
