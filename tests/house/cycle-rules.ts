// No file imports itself by way of others, types included: what is in a circle is read and moved only as a whole.
import { posix } from 'node:path'
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

type Imports = ReadonlyMap<string, readonly string[]>

/** Each circle once, at the first of its files: by way of the fewest others. */
export const cycleFaults = (files: readonly Source[]): Fault[] => {
  const imports: Imports = new Map(files.map(file => [file.path, importedBy(file)]))
  const inCircles = new Set<string>()
  return [...imports.keys()].sort().flatMap(path => {
    const circle = inCircles.has(path) ? undefined : shortestCircle(imports, path)
    for (const file of circle ?? []) inCircles.add(file)
    return circle === undefined ? [] : [{ path, fault: `imports itself: ${circle.join(', ')}` }]
  })
}

const importedBy = ({ path, imports }: Source): string[] =>
  imports.flatMap(({ specifier = '' }) =>
    specifier.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
  )

/** The files from one to itself, as it is reached with the fewest imports. */
const shortestCircle = (imports: Imports, path: string): string[] | undefined => {
  const from = new Map<string, string>()
  let reached = [path]
  while (reached.length > 0 && !from.has(path)) {
    reached = reached.flatMap(file => (imports.get(file) ?? []).filter(next => isNew(from, next, file)))
  }
  return from.has(path) ? wayTo(from, path) : undefined
}

const isNew = (from: Map<string, string>, next: string, file: string): boolean => {
  if (from.has(next)) return false
  from.set(next, file)
  return true
}

const wayTo = (from: ReadonlyMap<string, string>, path: string): string[] => {
  const way = [path]
  for (let file = from.get(path); file !== path && file !== undefined; file = from.get(file)) way.unshift(file)
  return way
}
