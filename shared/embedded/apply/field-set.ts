// Immutable sets of field paths, as managedFields store them. A set is a tree whose edges are written as in FieldsV1:
// `f:name`, `k:{"name":"x"}` and `v:"x"`.
import { isMap, type JsonMap, put } from '../value.ts'

export type FieldSet = {
  readonly members: ReadonlySet<string>
  readonly children: ReadonlyMap<string, FieldSet>
}

export const emptySet: FieldSet = { members: new Set(), children: new Map() }

export const isEmptySet = (set: FieldSet): boolean => set.members.size === 0 && set.children.size === 0

const made = (members: Set<string>, children: Map<string, FieldSet>): FieldSet =>
  members.size || children.size ? { members, children } : emptySet

export const union = (left: FieldSet, right: FieldSet): FieldSet => {
  if (isEmptySet(left)) return right
  if (isEmptySet(right) || left === right) return left
  const children = new Map(left.children)
  for (const [key, child] of right.children) children.set(key, union(children.get(key) ?? emptySet, child))
  return made(new Set([...left.members, ...right.members]), children)
}

export const intersection = (left: FieldSet, right: FieldSet): FieldSet => {
  const children = new Map<string, FieldSet>()
  for (const [key, child] of left.children)
    setChild(children, key, intersection(child, right.children.get(key) ?? emptySet))
  return made(new Set([...left.members].filter(key => right.members.has(key))), children)
}

/** The paths that are only in `left`. A path of `right` removes the same path, but not the paths below. */
export const difference = (left: FieldSet, right: FieldSet): FieldSet => {
  if (isEmptySet(right)) return left
  const children = new Map<string, FieldSet>()
  for (const [key, child] of left.children)
    setChild(children, key, difference(child, right.children.get(key) ?? emptySet))
  return made(new Set([...left.members].filter(key => !right.members.has(key))), children)
}

/** Like `difference`, but a path of `right` also removes all paths below. */
export const deepDifference = (left: FieldSet, right: FieldSet): FieldSet => {
  if (isEmptySet(right)) return left
  const children = new Map<string, FieldSet>()
  for (const [key, child] of left.children)
    if (!right.members.has(key)) setChild(children, key, deepDifference(child, right.children.get(key) ?? emptySet))
  return made(new Set([...left.members].filter(key => !right.members.has(key))), children)
}

const setChild = (children: Map<string, FieldSet>, key: string, child: FieldSet): void => {
  if (!isEmptySet(child)) children.set(key, child)
}

export const setOfPaths = (...paths: (readonly string[])[]): FieldSet =>
  paths.map(path => setOfPath(path.map(name => `f:${name}`))).reduce(union, emptySet)

const setOfPath = ([key = '', ...rest]: readonly string[]): FieldSet =>
  rest.length
    ? { members: new Set(), children: new Map([[key, setOfPath(rest)]]) }
    : { members: new Set([key]), children: new Map() }

export class FieldSetBuilder {
  readonly #members = new Set<string>()
  readonly #children = new Map<string, FieldSet>()

  add(key: string): void {
    this.#members.add(key)
  }

  addChild(key: string, child: FieldSet): void {
    if (!isEmptySet(child)) this.#children.set(key, union(this.#children.get(key) ?? emptySet, child))
  }

  build(): FieldSet {
    return made(this.#members, this.#children)
  }
}

export const toFieldsV1 = (set: FieldSet): JsonMap => {
  const fields: JsonMap = {}
  for (const key of [...new Set([...set.members, ...set.children.keys()])].sort()) {
    const child = set.children.get(key)
    const below = child ? toFieldsV1(child) : {}
    put(fields, key, child && set.members.has(key) ? { '.': {}, ...below } : below)
  }
  return fields
}

export const fromFieldsV1 = (fields: unknown): FieldSet => {
  if (!isMap(fields)) return emptySet
  const members = new Set<string>()
  const children = new Map<string, FieldSet>()
  for (const [key, below] of Object.entries(fields)) {
    if (key === '.') continue
    const child = fromFieldsV1(below)
    if (isEmptySet(child) || (isMap(below) && Object.hasOwn(below, '.'))) members.add(key)
    setChild(children, key, child)
  }
  return made(members, children)
}

export const pathTexts = (set: FieldSet, prefix = ''): string[] => [
  ...[...set.members].map(key => prefix + keyText(key)),
  ...[...set.children].flatMap(([key, child]) => pathTexts(child, prefix + keyText(key))),
]

const keyText = (key: string): string => {
  const rest = key.slice(2)
  if (key.startsWith('f:')) return `.${rest}`
  if (key.startsWith('v:')) return `[=${rest}]`
  if (key.startsWith('i:')) return `[${rest}]`
  const fields = JSON.parse(rest) as JsonMap
  const parts = Object.keys(fields)
    .sort()
    .map(name => `${name}=${JSON.stringify(fields[name])}`)
  return `[${parts.join(',')}]`
}
