// One meaning per exported name, so that a reader of a name knows which one it is; and no export that nobody imports.
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

/** Libraries have words of their own: a `Node` of a template is none of YAML. */
const libraries = /^shared\/(render|embedded)\//

/** Every function has these parts, and calls them so. */
const partsOfFunctions = /^(World|gather|decide|report|reasons)$/

export const exportFaults = (files: readonly Source[]): Fault[] => {
  const named = files
    .filter(({ path }) => isOfTheHouse(path))
    .flatMap(exportsOf)
    .filter(({ path, name }) => !(path.startsWith('functions/') && partsOfFunctions.test(name)))
  return [...Map.groupBy(named, ({ name }) => name).values()].flatMap(([first, ...others]) =>
    others.map(({ path, name }) => ({ path, fault: `exports ${name}, as ${first?.path} does` })),
  )
}

/** An export that no other file names, be it a test, is none. */
export const unusedExports = (files: readonly Source[]): Fault[] => {
  const users = new Map<string, Set<string>>()
  for (const { path, code } of files)
    for (const [name] of code.matchAll(/[\w$]+/g)) users.set(name, (users.get(name) ?? new Set()).add(path))
  return files
    .filter(({ path }) => /^(shared|functions)\//.test(path))
    .flatMap(exportsOf)
    .filter(({ name }) => users.get(name)?.size === 1)
    .map(({ path, name }) => ({ path, fault: `exports ${name}, which no other file names` }))
}

const isOfTheHouse = (path: string): boolean => /^(shared|functions)\//.test(path) && !libraries.test(path)

const exportsOf = ({ path, code }: Source): { path: string; name: string }[] =>
  [...code.matchAll(/^export (?:async |abstract )*(?:type|const|let|function\*?|class) (\w+)/gm)].map(
    ([, name = '']) => ({ path, name }),
  )
