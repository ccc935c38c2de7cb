// What the tree may look like: names of files, and the folder of a function.
import type { Fault } from './import-rules.ts'

const emptyNames = ['utils', 'util', 'helpers', 'helper', 'common', 'manager', 'handler', 'service', 'base', 'impl']

/** Builders below `desired/` are named after the object they return, and that may be a Service. */
export const nameFaults = (paths: readonly string[]): Fault[] =>
  paths
    .filter(path => /^(functions|shared)\//.test(path) && !/\/desired\//.test(path))
    .flatMap(path => path.split('/').map(part => ({ path, name: part.split('.')[0] ?? '' })))
    .filter(({ name }) => emptyNames.includes(name))
    .map(({ path, name }) => ({ path, fault: `is named ${name}, which says nothing` }))

const filesMost = 24

/** Whoever looks for something in a folder reads the names of its files: more than a few are an index without an order. */
export const crowdFaults = (paths: readonly string[]): Fault[] =>
  [...Map.groupBy(paths, path => path.slice(0, path.lastIndexOf('/')))]
    .filter(([, files]) => files.length > filesMost)
    .map(([path, files]) => ({ path, fault: `has ${files.length} files side by side, more than ${filesMost}` }))

const allowedEntries = [
  'index.ts',
  'world.ts',
  'gather.ts',
  'gather/',
  'io/',
  'decide.ts',
  'parts/',
  'report.ts',
  'desired/',
  'reasons.ts',
  'review.ts',
  'settings.ts',
  'rules/',
  'README.md',
]

/** Files by path, with their number of lines. */
export type Tree = ReadonlyMap<string, number>

/** A function's folder holds what is allowed, and what a reader looks for first. */
export const folderFaults = (tree: Tree): Fault[] =>
  [...functionFolders(tree)].flatMap(([folder, files]) => [
    ...files
      .filter(file => !isAllowed(file))
      .map(file => ({ path: `${folder}/${file}`, fault: 'does not belong here' })),
    ...['index.ts', 'README.md']
      .filter(file => !files.includes(file))
      .map(file => ({ path: folder, fault: `has no ${file}` })),
    ...((tree.get(`${folder}/index.ts`) ?? 0) > 40
      ? [{ path: `${folder}/index.ts`, fault: 'has more than 40 lines' }]
      : []),
  ])

const isAllowed = (file: string): boolean =>
  allowedEntries.some(entry => (entry.endsWith('/') ? file.startsWith(entry) : file === entry))

/** By folder, the files in it relative to it. */
const functionFolders = (tree: Tree): ReadonlyMap<string, string[]> => {
  const files = [...tree.keys()].filter(path => /^functions\/[^/]+\//.test(path))
  const grouped = Map.groupBy(files, path => path.split('/').slice(0, 2).join('/'))
  return new Map([...grouped].map(([folder, paths]) => [folder, paths.map(path => path.slice(folder.length + 1))]))
}

/** The places where a function's name stands, each with the names found there. */
export type Places = Readonly<Record<string, readonly string[]>>

/** Every place names the same functions. */
export const namingFaults = (places: Places): Fault[] => {
  const all = [...new Set(Object.values(places).flat())].sort()
  return Object.entries(places).flatMap(([place, names]) =>
    all.filter(name => !names.includes(name)).map(name => ({ path: place, fault: `does not have ${name}` })),
  )
}
