// Lists the fields in which two documents differ, for people. List elements with names are compared by name, others by index.
//
//   fieldChanges({ replicas: 1 }, { replicas: 2, paused: true })
//   // [{ path: 'replicas', before: 1, after: 2 }, { path: 'paused', after: true }]
//   fieldChanges({ env: [{ name: 'A', value: '1' }] }, { env: [] })
//   // [{ path: 'env[A]', before: { name: 'A', value: '1' } }]
import { isMap, isText, type JsonMap, sameJson, shownText } from './json.ts'

/** `before` is absent for an added field, `after` for a removed field. */
export type FieldChange = { readonly path: string; readonly before?: unknown; readonly after?: unknown }

export const fieldChanges = (before: unknown, after: unknown, path = ''): FieldChange[] => {
  if (sameJson(before, after)) return []
  const [old, wanted] = partsOf(before, after)
  if (!old || !wanted) return [changeOf(path, before, after)]
  return [...new Set([...old.keys(), ...wanted.keys()])].flatMap(name => {
    const inner = isMap(before) ? inMap(path, name) : `${path}[${name}]`
    return fieldChanges(old.get(name), wanted.get(name), inner)
  })
}

const changeOf = (path: string, before: unknown, after: unknown): FieldChange => ({
  path,
  ...(before !== undefined && { before }),
  ...(after !== undefined && { after }),
})

/** Names with a dot, such as annotations, are written in brackets. */
const inMap = (path: string, name: string): string => {
  if (/[^\w$-]/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}

type Parts = ReadonlyMap<string, unknown>

const partsOf = (before: unknown, after: unknown): [Parts, Parts] | [] => {
  if (isMap(before) && isMap(after)) return [new Map(Object.entries(before)), new Map(Object.entries(after))]
  if (!Array.isArray(before) || !Array.isArray(after)) return []
  const nameOf = [before, after].every(hasNames) ? elementName : (_: unknown, at: number) => String(at)
  const byName = (list: readonly unknown[]): Parts => new Map(list.map((element, at) => [nameOf(element, at), element]))
  return [byName(before), byName(after)]
}

const elementName = (element: unknown): string => String((element as JsonMap).name)

const hasNames = (list: readonly unknown[]): boolean => {
  const names = list.flatMap(element => (isMap(element) && isText(element.name) ? element.name : []))
  return new Set(names).size === list.length
}

/** For example `spec.replicas: 3 -> 1`. Long values are cut. */
export const changeText = ({ path, before, after }: FieldChange): string => {
  if (before === undefined) return `${path}: ${short(after)}`
  return after === undefined ? `${path}: removed` : `${path}: ${short(before)} -> ${short(after)}`
}

const short = (value: unknown): string => {
  const text = shownText(value).replaceAll('\n', '\\n')
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
