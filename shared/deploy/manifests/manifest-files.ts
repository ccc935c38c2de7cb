// The folder manifests/ on disk, held against what it should be. Files that people wrote are left alone: ours say so in
// their first line.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Manifest } from './yaml-text.ts'
import { isGeneratedText, yamlText } from './yaml-text.ts'

type Difference = {
  /** Below the folder. */
  readonly path: string
  readonly fault: 'is missing' | 'differs' | 'is left over'
  /** What the file should hold; nothing when it should not be there. */
  readonly text?: string
}

/** By path, every file that is not as it should be. */
export const differences = (folder: string, wanted: readonly Manifest[]): readonly Difference[] => [
  ...wanted.flatMap(manifest => differenceOf(folder, manifest)),
  ...leftOver(folder, new Set(wanted.map(({ path }) => path))),
]

const differenceOf = (folder: string, manifest: Manifest): Difference[] => {
  const { path } = manifest
  const text = yamlText(manifest)
  if (!existsSync(join(folder, path))) return [{ path, text, fault: 'is missing' }]
  return readFileSync(join(folder, path), 'utf8') === text ? [] : [{ path, text, fault: 'differs' }]
}

const leftOver = (folder: string, wanted: ReadonlySet<string>): Difference[] =>
  globSync('**/*.yaml', { cwd: folder })
    .filter(path => !wanted.has(path) && isGeneratedText(readFileSync(join(folder, path), 'utf8')))
    .map(path => ({ path, fault: 'is left over' }))

/** Makes the folder as it should be. */
export const mend = (folder: string, different: readonly Difference[]): void => {
  for (const { path, text } of different) {
    if (text === undefined) rmSync(join(folder, path))
    else write(join(folder, path), text)
  }
}

const write = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
