// Compares manifests/ with the generated files, and writes the differences. The first line marks generated files; manually written files
// are not changed.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isGeneratedText, type ManifestFile, yamlText } from './yaml-text.ts'

type Difference = {
  readonly path: string
  readonly fault: 'is missing' | 'differs' | 'is left over'
  /** The desired content; absent when the file should not exist. */
  readonly text?: string
}

export const differences = (folder: string, wanted: readonly ManifestFile[]): readonly Difference[] => [
  ...wanted.flatMap(manifest => differenceOf(folder, manifest)),
  ...leftOver(folder, new Set(wanted.map(({ path }) => path))),
]

const differenceOf = (folder: string, manifest: ManifestFile): Difference[] => {
  const { path } = manifest
  const text = yamlText(manifest)
  if (!existsSync(join(folder, path))) return [{ path, text, fault: 'is missing' }]
  return readFileSync(join(folder, path), 'utf8') === text ? [] : [{ path, text, fault: 'differs' }]
}

const leftOver = (folder: string, wanted: ReadonlySet<string>): Difference[] =>
  globSync('**/*.yaml', { cwd: folder })
    .filter(path => !wanted.has(path) && isGeneratedText(readFileSync(join(folder, path), 'utf8')))
    .map(path => ({ path, fault: 'is left over' }))

export const mend = (folder: string, different: readonly Difference[]): void => {
  for (const { path, text } of different) {
    if (text === undefined) rmSync(join(folder, path))
    else writeText(join(folder, path), text)
  }
}

export const writeText = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
