// A library imports from the house exactly the files that its README lists, so that whoever takes it elsewhere knows what goes with it.
import { posix } from 'node:path'
import type { Fault } from './import-rules.ts'
import type { Source } from './source.ts'

export const libraries = ['shared/render', 'shared/component', 'shared/embedded']

/** The files that are named below this heading, up to the next one. */
const heading = '## What it uses of the house'

export const libraryFaults = (library: string, readme: string, sources: readonly Source[]): Fault[] => {
  const listed = filesListedIn(readme)
  const imported = new Map(
    sources.filter(({ path }) => isIn(library, path)).flatMap(file => importsBeyond(library, file)),
  )
  return [
    ...[...imported].flatMap(([file, path]) =>
      listed.includes(file) ? [] : [{ path, fault: `imports ${file}, which ${library}/README.md does not list` }],
    ),
    ...listed
      .filter(file => !imported.has(file))
      .map(file => ({ path: `${library}/README.md`, fault: `lists ${file}, which nothing there imports` })),
  ]
}

const filesListedIn = (readme: string): string[] => {
  const [, rest = ''] = readme.split(`${heading}\n`)
  const [section = ''] = rest.split(/^#/m)
  return [...section.matchAll(/`([^`]+\.ts)`/g)].map(([, file = '']) => file)
}

/** Each file outside of the library, and who imports it. */
const importsBeyond = (library: string, { path, imports }: Source): [file: string, path: string][] =>
  imports
    .flatMap(({ specifier = '' }) => (specifier.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : []))
    .filter(file => !isIn(library, file))
    .map(file => [file, path])

const isIn = (library: string, path: string): boolean => path.startsWith(`${library}/`)
