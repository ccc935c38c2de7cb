// One meaning per exported name, so that a reader of a name knows which one it is; and no export that nobody imports.
import { posix } from 'node:path'
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

/** Libraries have words of their own, one meaning each: a `Node` of a template is none of the embedded cluster. */
const libraries = /^shared\/(render|embedded)\//

/** Every function has these parts, and calls them so. */
const partsOfFunctions = /^(World|gather|decide|report|reasons)$/

export const exportFaults = (files: readonly Source[]): Fault[] => {
  const named = files
    .filter(({ path }) => /^(shared|functions)\//.test(path))
    .flatMap(exportsOf)
    .filter(({ path, name }) => !(path.startsWith('functions/') && partsOfFunctions.test(name)))
  const inOnePlace = Map.groupBy(named, ({ path, name }) => `${libraries.exec(path)?.[0] ?? ''} ${name}`)
  return [...inOnePlace.values()].flatMap(([first, ...others]) =>
    others.map(({ path, name }) => ({ path, fault: `exports ${name}, as ${first?.path} does` })),
  )
}

/**
 * Exports that no other file imports, or only tests do. A benchmark is a user, and what a library passes on (`export { a } from`) is for those
 * who use the library. Tests may import types, which they need to make values, and what the list `forTests` names with its reason.
 */
export const unusedExports = (files: readonly Source[], forTests: Readonly<Record<string, string>> = {}): Fault[] => {
  const users = usersOf(files)
  const fault = ({ path, name, isType }: Export): string | undefined => {
    const by = [...(users.get(`${path} ${name}`) ?? []), ...(users.get(`${path} *`) ?? [])]
    if (by.length === 0) return `exports ${name}, which no other file imports`
    const isForTests = by.every(user => user.startsWith('tests/')) && !isType && !Object.hasOwn(forTests, name)
    return isForTests ? `exports ${name}, which only tests import` : undefined
  }
  return files
    .filter(({ path }) => /^(shared|functions)\//.test(path))
    .flatMap(exportsOf)
    .flatMap(one => {
      const text = fault(one)
      return text === undefined ? [] : [{ path: one.path, fault: text }]
    })
}

/** By path and name, or path and `*`, the files that import it. */
const usersOf = (files: readonly Source[]): ReadonlyMap<string, readonly string[]> => {
  const users = new Map<string, string[]>()
  for (const { path, imports } of files)
    for (const { specifier = '', names = ['*'] } of imports.filter(({ specifier }) => specifier?.startsWith('.')))
      for (const name of names) {
        const key = `${sourceOf(posix.join(posix.dirname(path), specifier))} ${name}`
        users.set(key, [...(users.get(key) ?? []), path])
      }
  return users
}

/** Generated JavaScript has its types in a file beside it. */
const sourceOf = (path: string): string => path.replace(/\.js$/, '.d.ts')

type Export = { readonly path: string; readonly name: string; readonly isType: boolean }

const exportsOf = ({ path, code }: Source): Export[] =>
  [...code.matchAll(/^export (?:async |abstract |declare )*(type|const|let|function\*?|class) (\w+)/gm)].map(
    ([, keyword, name = '']) => ({ path, name, isType: keyword === 'type' }),
  )
