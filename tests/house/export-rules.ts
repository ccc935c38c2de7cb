// One meaning per exported name: whoever reads a name somewhere knows which one it is.
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

/** Libraries have words of their own: a `Node` of a template is none of YAML. */
const libraries = /^shared\/(render|embedded)\//

/** Every function has these parts, and calls them so. */
const partsOfFunctions = /^(World|gather|decide|report|reasons)$/

export const exportFaults = (files: readonly Source[]): Fault[] => {
  const named = files.filter(({ path }) => isOfTheHouse(path)).flatMap(exportsOf)
  return [...Map.groupBy(named, ({ name }) => name).values()].flatMap(([first, ...others]) =>
    others.map(({ path, name }) => ({ path, fault: `exports ${name}, as ${first?.path} does` })),
  )
}

const isOfTheHouse = (path: string): boolean => /^(shared|functions)\//.test(path) && !libraries.test(path)

const exportsOf = ({ path, code }: Source): { path: string; name: string }[] =>
  [...code.matchAll(/^export (?:async |abstract )*(?:type|const|let|function\*?|class) (\w+)/gm)]
    .map(([, name = '']) => ({ path, name }))
    .filter(({ path, name }) => !(path.startsWith('functions/') && partsOfFunctions.test(name)))
