// Four operations of structured merge: the fields of a value, the difference and the merge of two values, and a value without some fields.
// The rules come from sigs.k8s.io/structured-merge-diff.
import { isMap, type JsonMap, mapOrEmpty, own, put, sameJson } from '../value.ts'
import { emptySet, type FieldSet, FieldSetBuilder } from './field-set.ts'
import {
  ElementError,
  elementKey,
  type Indexed,
  indexed,
  type ListShape,
  type MapShape,
  type Shape,
  shapeOf,
  type Typing,
} from './shape.ts'

export const fieldsOf = (value: unknown, typing: Typing): FieldSet => {
  const shape = shapeOf(typing, value)
  const set = new FieldSetBuilder()
  if (shape.is === 'map' && isMap(value) && !shape.isAtomic) addMapFields(set, shape, value)
  else if (shape.is === 'list' && Array.isArray(value) && !shape.isAtomic) addListFields(set, shape, value)
  return set.build()
}

/** A leaf is owned as a whole, by its own path. */
const isLeaf = (value: unknown, typing: Typing): boolean => {
  const shape = shapeOf(typing, value)
  if (shape.is === 'scalar' || shape.isAtomic) return true
  return value === null || (isMap(value) && Object.keys(value).length === 0)
}

const addMapFields = (set: FieldSetBuilder, shape: MapShape, value: JsonMap): void => {
  for (const [name, item] of Object.entries(value)) {
    const typing = shape.field(name)
    const key = `f:${name}`
    if (isLeaf(item, typing) || !shape.isDeclared(name)) set.add(key)
    set.addChild(key, fieldsOf(item, typing))
  }
}

const addListFields = (set: FieldSetBuilder, shape: ListShape, list: readonly unknown[]): void => {
  const { items, repeated } = indexed(shape, list)
  for (const [key, item] of items) {
    set.add(key)
    if (!repeated.has(key)) set.addChild(key, fieldsOf(item, shape.item))
  }
}

export type Comparison = { readonly added: FieldSet; readonly removed: FieldSet; readonly modified: FieldSet }

type Builders = Readonly<Record<keyof Comparison, FieldSetBuilder>>

const unchanged: Comparison = { added: emptySet, removed: emptySet, modified: emptySet }

export const compared = (left: unknown, right: unknown, typing: Typing): Comparison => {
  if (left === right) return unchanged
  const shape = shapeOf(typing, right ?? left)
  const [added, removed, modified] = [new FieldSetBuilder(), new FieldSetBuilder(), new FieldSetBuilder()]
  const result = { added, removed, modified }
  if (shape.is === 'map') compareMaps(result, shape, mapOrEmpty(left), mapOrEmpty(right))
  else if (shape.is === 'list') compareLists(result, shape, asList(left), asList(right))
  return { added: added.build(), removed: removed.build(), modified: modified.build() }
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const compareMaps = (result: Builders, shape: MapShape, left: JsonMap, right: JsonMap): void => {
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    comparePart(result, `f:${name}`, own(left, name), own(right, name), shape.field(name))
}

const comparePart = (result: Builders, key: string, left: unknown, right: unknown, typing: Typing): void => {
  if (left === right) return
  if (isWhole(left, right, typing)) {
    if (left === undefined) result.added.add(key)
    else if (right === undefined) result.removed.add(key)
    else if (!sameJson(left, right)) result.modified.add(key)
    return
  }
  if (left === undefined) result.added.add(key)
  if (right === undefined) result.removed.add(key)
  const below = compared(left, right, typing)
  result.added.addChild(key, below.added)
  result.removed.addChild(key, below.removed)
  result.modified.addChild(key, below.modified)
}

const isVoid = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isMap(value) && Object.keys(value).length === 0)

/** Whether two values are compared as a whole: if they are scalar or atomic, have different shapes, or are both empty. */
const isWhole = (left: unknown, right: unknown, typing: Typing): boolean => {
  const shape = shapeOf(typing, right ?? left)
  if (shape.is === 'scalar' || shape.isAtomic) return true
  if (isVoid(left) && isVoid(right)) return true
  const fits = (value: unknown) =>
    value === undefined || value === null || (shape.is === 'map' ? isMap(value) : Array.isArray(value))
  return !fits(left) || !fits(right)
}

const compareLists = (
  result: Builders,
  shape: ListShape,
  left: readonly unknown[],
  right: readonly unknown[],
): void => {
  const before = indexed(shape, left)
  const after = indexed(shape, right)
  for (const key of new Set([...before.items.keys(), ...after.items.keys()]))
    compareElement(result, shape, key, before, after)
}

const compareElement = (result: Builders, shape: ListShape, key: string, before: Indexed, after: Indexed): void => {
  const left = before.items.get(key)
  const right = after.items.get(key)
  if (!before.repeated.has(key) && !after.repeated.has(key)) comparePart(result, key, left, right, shape.item)
  else if (before.repeated.has(key) !== after.repeated.has(key)) {
    if (before.repeated.has(key)) result.removed.add(key)
    else result.added.add(key)
  } else if (!sameJson(left, right)) result.modified.add(key)
}

export const merged = (left: unknown, right: unknown, typing: Typing): unknown => {
  if (left === undefined) return right
  if (right === undefined) return left
  if (isWhole(left, right, typing)) return right
  const shape = shapeOf(typing, right)
  if (shape.is === 'map') return mergedMaps(shape, mapOrEmpty(left), mapOrEmpty(right))
  return shape.is === 'list' ? mergedLists(shape, asList(left), asList(right)) : right
}

const mergedMaps = (shape: MapShape, left: JsonMap, right: JsonMap): JsonMap => {
  const result: JsonMap = {}
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    put(result, name, merged(own(left, name), own(right, name), shape.field(name)))
  return result
}

/** Items of the right list keep their order. Items that are only in the left list stay between their neighbours. */
const mergedLists = (shape: ListShape, left: readonly unknown[], right: readonly unknown[]): unknown[] => {
  const before = indexed(shape, left)
  const after = indexed(shape, right)
  for (const key of after.repeated) throw new ElementError(`duplicate entries for key ${key.slice(2)}`)
  const value = (key: string) =>
    merged(before.repeated.has(key) ? undefined : before.items.get(key), after.items.get(key), shape.item)
  return interleaved(left, before, after).map(entry => ('own' in entry ? entry.own : value(entry.key)))
}

/** An item that is only in the left list, or the key of an item of the right list. */
type Entry = { own: unknown } | { key: string }

const interleaved = (left: readonly unknown[], before: Indexed, after: Indexed): Entry[] => {
  const entries: Entry[] = []
  const done = new Set<string>()
  const shared = after.order.filter(key => before.items.has(key))
  let l = 0
  let r = 0
  let expected = 0
  const takeRight = (key: string) => {
    done.add(key)
    entries.push({ key })
    r++
    if (shared[expected] === key) expected++
  }
  while (l < before.order.length || r < after.order.length) {
    const leftKey = before.order[l]
    const rightKey = after.order[r]
    if (leftKey !== undefined && leftKey === rightKey) {
      takeRight(leftKey)
      l++
      continue
    }
    const isLeftShared = leftKey !== undefined && after.items.has(leftKey)
    const isOutOfTurn =
      isLeftShared && rightKey !== undefined && expected < shared.length && shared[expected] !== leftKey
    if (leftKey !== undefined && !isLeftShared) entries.push({ own: left[l++] })
    else if (isOutOfTurn) l++
    else {
      if (isLeftShared && done.has(leftKey)) l++
      if (rightKey !== undefined) takeRight(rightKey)
    }
  }
  return entries
}

export const without = (value: unknown, set: FieldSet, typing: Typing): unknown => {
  const shape = shapeOf(typing, value)
  if (shape.is === 'map' && isMap(value)) return shape.isAtomic ? undefined : mapWithout(value, set, shape)
  if (shape.is === 'list' && Array.isArray(value)) return shape.isAtomic ? undefined : listWithout(value, set, shape)
  return value
}

const mapWithout = (value: JsonMap, set: FieldSet, shape: MapShape): JsonMap | undefined => {
  const result: JsonMap = {}
  for (const [name, item] of Object.entries(value)) {
    const key = `f:${name}`
    if (set.members.has(key)) continue
    const below = set.children.get(key)
    put(result, name, below ? (without(item, below, shape.field(name)) ?? null) : item)
  }
  return Object.keys(result).length ? result : undefined
}

const listWithout = (list: readonly unknown[], set: FieldSet, shape: ListShape): unknown[] | undefined => {
  const result: unknown[] = []
  for (const [index, item] of list.entries()) {
    const key = elementKey(shape, item, index)
    if (set.members.has(key)) continue
    const below = set.children.get(key)
    result.push(below ? without(item, below, shape.item) : item)
  }
  return result.length ? result : undefined
}

/** Adds the declared parent fields of each path, so that a parent field is also removed when it becomes empty. */
export const withNamedFields = (set: FieldSet, typing: Typing): FieldSet => {
  const members = new Set(set.members)
  const children = new Map<string, FieldSet>()
  for (const [key, child] of set.children) {
    const shape = shapeForKey(typing, key)
    if (shape.is === 'map' && key.startsWith('f:') && shape.isDeclared(key.slice(2))) members.add(key)
    children.set(key, withNamedFields(child, typingBelow(shape, key)))
  }
  return { members, children }
}

const shapeForKey = (typing: Typing, key: string): Shape => shapeOf(typing, key.startsWith('f:') ? {} : [])

const typingBelow = (shape: Shape, key: string): Typing => {
  if (shape.is === 'map') return shape.field(key.slice(2))
  return shape.is === 'list' ? shape.item : 'whole'
}
