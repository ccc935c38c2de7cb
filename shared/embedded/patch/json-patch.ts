// JSON patch (RFC 6902), with the API server's limits and words for what does not apply.
import { badRequest, StatusError, tooLarge } from '../status.ts'
import { type Fields, isFields, put, same } from '../value.ts'

type Operation = { op: string; path: string; from?: string; value?: unknown }
type Container = Fields | unknown[]

const mostOperations = 10_000

/** The document after all operations; the given one is not changed. */
export const jsonPatched = (document: unknown, patch: unknown): unknown => {
  if (!Array.isArray(patch)) throw badRequest('json: cannot unmarshal object into Go value of type jsonpatch.Patch')
  if (patch.length > mostOperations)
    throw tooLarge(`The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`)
  const root = { value: structuredClone(document) }
  for (const operation of patch) perform(root, operation)
  return root.value
}

/** The API server keeps the cause to itself: every operation that does not apply is answered alike. */
export class PatchFault extends StatusError {
  readonly why: string

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
    this.why = why
  }
}

type Root = { value: unknown }

const perform = (root: Root, given: unknown): void => {
  if (!isFields(given)) throw badRequest('json: cannot unmarshal into Go value of type jsonpatch.Operation')
  const operation = given as Operation
  const run = operations[operation.op]
  if (!run) throw new PatchFault(`Unexpected kind: ${operation.op}`)
  run(root, operation)
}

const operations: Readonly<Record<string, (root: Root, operation: Operation) => void>> = {
  add: (root, { path, value }) => add(root, path, value ?? null, 'add'),
  remove: (root, { path }) => remove(root, path, 'remove'),
  replace: (root, { path, value }) => {
    if (path === '') root.value = value
    else {
      set(root, path, value ?? null, 'replace')
    }
  },
  move: (root, { path, from = '' }) => {
    const value = find(root, from)
    if (value === undefined)
      throw new PatchFault(`move operation does not apply: doc is missing from path: ${from}: missing value`)
    remove(root, from, 'move')
    add(root, path, value, 'move')
  },
  copy: (root, { path, from = '' }) => {
    const value = find(root, from)
    if (value === undefined)
      throw new PatchFault(`copy operation does not apply: doc is missing from path: ${from}: missing value`)
    add(root, path, structuredClone(value), 'copy')
  },
  test: (root, { path, value }) => {
    const found = find(root, path)
    if (!same(found ?? null, value ?? null)) throw new PatchFault(`testing value ${path} failed: test failed`)
  },
}

const parts = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))

const step = (value: unknown, key: string): unknown => {
  if (Array.isArray(value)) return value[indexOf(value, key)]
  return isFields(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

const indexOf = (list: unknown[], key: string): number => {
  const index = Number(key)
  return index < 0 ? index + list.length : index
}

const find = (root: Root, path: string): unknown => parts(path).reduce(step, root.value)

const place = (root: Root, path: string, name: string): { container: Container; key: string } => {
  const keys = parts(path)
  const key = keys.pop() ?? ''
  const container = keys.reduce(step, root.value)
  if (isFields(container) || Array.isArray(container)) return { container, key }
  throw new PatchFault(`${name} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`)
}

const position = (list: unknown[], key: string, path: string, name: string): number => {
  if (!/^-?\d+$/.test(key))
    throw new PatchFault(
      `${name} operation does not apply: doc is missing path: ${path}: value was not a proper array index: '${key}'`,
    )
  const index = indexOf(list, key)
  if (
    index < 0 ||
    index > list.length ||
    (index === list.length && name !== 'add' && name !== 'copy' && name !== 'move')
  )
    throw new PatchFault(
      `${name} operation does not apply: doc is missing path: ${path}: Unable to access invalid index: ${key}: invalid index referenced`,
    )
  return index
}

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
  else
    throw new PatchFault(
      `${name} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
    )
}
