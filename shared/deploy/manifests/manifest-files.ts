// Generated files: manifests in YAML, and other texts. Compares them with a folder, or writes the differences. The first line marks
// generated manifests; manually written files are not changed.
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { yamlOf } from '../../core/yaml/write.ts'

export type ManifestFile = {
  readonly path: string
  /** The source of the file, for its first line. */
  readonly source: string
  readonly objects: readonly object[]
}

export const yamlText = ({ source, objects }: ManifestFile): string =>
  [`${mark} from ${source}. Changes belong there.\n`, ...objects.map(yamlOf)].join('---\n')

const mark = '# Written by `npm run generate`'

const done = { 'is missing': 'is new', differs: 'is rewritten', 'is left over': 'is removed' } as const

/** Returns a line for each file that differs. `isCheck`: only compares. */
export const writtenManifests = (folder: string, wanted: readonly ManifestFile[], isCheck: boolean): string[] =>
  differences(folder, wanted).map(({ path, fault, text }) => {
    if (!isCheck && text === undefined) rmSync(join(folder, path))
    else if (!isCheck && text !== undefined) writeText(join(folder, path), text)
    return `manifests/${path} ${isCheck ? fault : done[fault]}`
  })

export type GeneratedText = { readonly path: string; readonly text: string }

/** Like writtenManifests, for texts. Their paths are relative to the folder. */
export const writtenTexts = (folder: string, wanted: readonly GeneratedText[], isCheck: boolean): string[] => {
  const found = wanted.filter(({ path, text }) => contentOf(join(folder, path)) !== text)
  if (!isCheck) for (const { path, text } of found) writeText(join(folder, path), text)
  return found.map(({ path }) => `${path} ${isCheck ? 'differs' : done.differs}`)
}

export const writeText = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** undefined: the file does not exist. */
const contentOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)

type Difference = {
  readonly path: string
  readonly fault: keyof typeof done
  /** The desired content; absent when the file should not exist. */
  readonly text?: string
}

const differences = (folder: string, wanted: readonly ManifestFile[]): Difference[] => {
  const paths = new Set(wanted.map(({ path }) => path))
  const leftOver = globSync('**/*.yaml', { cwd: folder }).filter(
    path => !paths.has(path) && contentOf(join(folder, path))?.startsWith(mark),
  )
  return [
    ...wanted.flatMap((manifest): Difference[] => {
      const [{ path }, text, found] = [manifest, yamlText(manifest), contentOf(join(folder, manifest.path))]
      return found === text ? [] : [{ path, text, fault: found === undefined ? 'is missing' : 'differs' }]
    }),
    ...leftOver.map(path => ({ path, fault: 'is left over' as const })),
  ]
}
