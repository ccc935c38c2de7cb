// Makes and applies JSON patches (RFC 6902). Lists are compared element by element after their common beginning and end are cut off. This takes
// linear time. Finding the shortest patch would take quadratic time, so callers could block the process.
import { isDeepStrictEqual } from 'node:util'
import { own, put } from './fields.ts'
import { isMap, type JsonMap, sameJson } from './json.ts'

export type PatchOperation = { op: 'add' | 'replace'; path: string; value: unknown } | { op: 'remove'; path: string }

/** The operations in the order in which they apply; none when the documents are equal. */
export const jsonPatch = (before: unknown, after: unknown, path = ''): PatchOperation[] => {
  if (Object.is(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return listPatch(before, after, path)
  if (isMap(before) && isMap(after)) return mapPatch(before, after, path)
  return [{ op: 'replace', path, value: after }]
}

const mapPatch = (before: JsonMap, after: JsonMap, path: string): PatchOperation[] => [
  ...Object.keys(before)
    .filter(key => !has(after, key))
    .map(key => ({ op: 'remove' as const, path: `${path}/${escaped(key)}` })),
  ...Object.keys(after)
    .filter(key => after[key] !== undefined)
    .flatMap(key =>
      Object.hasOwn(before, key)
        ? jsonPatch(before[key], after[key], `${path}/${escaped(key)}`)
        : [{ op: 'add' as const, path: `${path}/${escaped(key)}`, value: after[key] }],
    ),
]

const listPatch = (before: unknown[], after: unknown[], path: string): PatchOperation[] => {
  const head = commonLength(before, after, index => index)
  const [oldRest, newRest] = [before.slice(head), after.slice(head)]
  const tail = commonLength(oldRest, newRest, (index, list) => list.length - 1 - index)
  const oldMiddle = oldRest.slice(0, oldRest.length - tail)
  const newMiddle = newRest.slice(0, newRest.length - tail)
  const shared = Math.min(oldMiddle.length, newMiddle.length)
  const changed = newMiddle
    .slice(0, shared)
    .flatMap((value, i) => jsonPatch(oldMiddle[i], value, `${path}/${head + i}`))
  const added = newMiddle
    .slice(shared)
    .map((value, i) => ({ op: 'add' as const, path: `${path}/${head + shared + i}`, value }))
  const removed = oldMiddle.slice(shared).map(() => ({ op: 'remove' as const, path: `${path}/${head + shared}` }))
  return [...changed, ...removed, ...added]
}

/** The number of equal elements at one end of both lists. `at` counts from this end. */
const commonLength = (a: unknown[], b: unknown[], at: (index: number, list: unknown[]) => number): number => {
  const longest = Math.min(a.length, b.length)
  let length = 0
  while (length < longest && isDeepStrictEqual(a[at(length, a)], b[at(length, b)])) length++
  return length
}

const has = (map: JsonMap, key: string): boolean => Object.hasOwn(map, key) && map[key] !== undefined

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError'
}

const usualCopies = 20 * 2 ** 20

/** Returns a new document. `copiedMost` limits the total size of all `copy` operations, because each of them could double the document. */
export const jsonPatched = (
  document: unknown,
  operations: readonly unknown[],
  copiedMost: number = usualCopies,
): unknown => {
  const root = { value: structuredClone(document), copied: 0, copiedMost }
  for (const operation of operations) perform(root, operation)
  return root.value
}

type Operation = { op: string; path: string; from?: string; value?: unknown }
type Root = { value: unknown; copied: number; readonly copiedMost: number }
type Container = JsonMap | unknown[]

const perform = (root: Root, given: unknown): void => {
  if (!isMap(given)) throw new JsonPatchError('a JSON patch must be a list of operations')
  const operation = { ...given, op: String(given.op), path: String(given.path ?? '') }
  const run = Object.hasOwn(operations, operation.op) ? operations[operation.op] : undefined
  if (!run) throw new JsonPatchError(`Unexpected kind: ${operation.op}`)
  run(root, operation)
}

const operations: Readonly<Record<string, (root: Root, operation: Operation) => void>> = {
  add: (root, { path, value }) => add(root, path, structuredClone(value ?? null), 'add'),
  remove: (root, { path }) => remove(root, path, 'remove'),
  replace: (root, { path, value }) => {
    if (path === '') root.value = value
    else set(root, path, structuredClone(value ?? null), 'replace')
  },
  move: (root, { path, from = '' }) => {
    const value = existing(root, from, 'move')
    remove(root, from, 'remove')
    add(root, path, value, 'move')
  },
  copy: (root, { path, from = '' }) => add(root, path, copied(root, from), 'copy'),
  test: (root, { path, value }) => {
    if (!sameJson(find(root, path) ?? null, value ?? null))
      throw new JsonPatchError(`testing value ${path} failed: test failed`)
  },
}

const copied = (root: Root, source: string): unknown => {
  const value = existing(root, source, 'copy')
  root.copied += JSON.stringify(value).length
  if (root.copied > root.copiedMost)
    throw new JsonPatchError(
      `unable to complete the copy of ${source}: all copies together exceed ${root.copiedMost} characters`,
    )
  return structuredClone(value)
}

const parts = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const step = (value: unknown, key: string): unknown =>
  Array.isArray(value) ? value[indexIn(value, key)] : isMap(value) ? own(value, key) : undefined

const indexIn = (list: unknown[], key: string): number => {
  const index = Number(key)
  return index < 0 ? index + list.length : index
}

const find = (root: Root, path: string): unknown => parts(path).reduce(step, root.value)

const existing = (root: Root, from: string, name: string): unknown => {
  const value = find(root, from)
  if (value === undefined) throw unfit(name, from, 'missing value')
  return value
}

const unfit = (name: string, path: string, why: string): JsonPatchError =>
  new JsonPatchError(`${name} operation does not apply: doc is missing path: ${path}: ${why}`)

const place = (root: Root, path: string, name: string): { container: Container; key: string } => {
  const keys = parts(path)
  const key = keys.pop() ?? ''
  const container = keys.reduce(step, root.value)
  if (isMap(container) || Array.isArray(container)) return { container, key }
  throw unfit(name, JSON.stringify(path), 'missing value')
}

/** For `add`, -1 means after the last element; for other operations, the last element. */
const position = (list: unknown[], key: string, path: string, name: string): number => {
  if (!/^-?\d+$/.test(key)) throw unfit(name, path, `value was not a proper array index: '${key}'`)
  const places = list.length + (adding.has(name) ? 1 : 0)
  const index = Number(key) < 0 ? Number(key) + places : Number(key)
  if (index < 0 || index >= places)
    throw unfit(name, path, `Unable to access invalid index: ${key}: invalid index referenced`)
  return index
}

const adding: ReadonlySet<string> = new Set(['add', 'copy', 'move'])

const add = (root: Root, path: string, value: unknown, name: string): void => {
  if (path === '') {
    root.value = value
    return
  }
  const { container, key } = place(root, path, name)
  if (!Array.isArray(container)) put(container, key, value)
  else if (key === '-') container.push(value)
  else container.splice(position(container, key, path, name), 0, value)
}

const set = (root: Root, path: string, value: unknown, name: string): void => {
  const { container, key } = place(root, path, name)
  if (Array.isArray(container)) container[position(container, key, path, name)] = value
  else put(container, key, value)
}

const remove = (root: Root, path: string, name: string): void => {
  const { container, key } = place(root, path, name)
  if (Array.isArray(container)) container.splice(position(container, key, path, name), 1)
  else if (Object.hasOwn(container, key)) delete container[key]
  else throw unfit(name, JSON.stringify(path), 'missing value')
}
