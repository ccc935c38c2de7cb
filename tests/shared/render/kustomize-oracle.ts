// `kubectl kustomize` as the judge of our own build: folders of files in, the objects it prints or its complaint out.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import type { Files } from '../../../shared/render/generator.ts'
import { briefly, oracles } from '../../harness/oracles.ts'

export type Verdict = { readonly objects: readonly unknown[] } | { readonly complaint: string }

/** A kustomization and where in its files the build begins. */
export type Case = { readonly files: Files; readonly path: string }

const run = promisify(execFile)

/** How many kubectl run at once. */
const width = 4

/** What kubectl says to each case, in their order. */
export async function judge(cases: readonly Case[]): Promise<Verdict[]> {
  const { kubectl } = await oracles()
  const folder = await mkdtemp(join(tmpdir(), 'kustomize-'))
  try {
    const verdicts: Verdict[] = []
    const waiting = [...cases.entries()]
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [index, one] = next
        const root = join(folder, String(index))
        await write(root, one.files)
        verdicts[index] = await verdict(kubectl, join(root, one.path), folder)
      }
    }
    await Promise.all(Array.from({ length: width }, work))
    return verdicts
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function write(root: string, files: Files): Promise<void> {
  for (const [path, content] of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
}

async function verdict(kubectl: string, path: string, home: string): Promise<Verdict> {
  try {
    const { stdout } = await run(kubectl, ['kustomize', path], {
      env: { ...briefly, HOME: home, PATH: '/nowhere' },
      maxBuffer: 2 ** 26,
    })
    const documents = parseAllDocuments(stdout)
    return { objects: documents.map(document => document.toJS()).filter(object => object !== null) }
  } catch (error) {
    if (error instanceof Error && 'stderr' in error) return { complaint: String(error.stderr) }
    throw error
  }
}

/** A folder and all below it as files by path. */
export async function filesIn(root: string): Promise<Map<string, Uint8Array>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const contents = await Promise.all(paths.map(path => readFile(path)))
  return new Map(paths.map((path, index) => [path.slice(root.length + 1), new Uint8Array(contents[index] ?? [])]))
}

/** Files written down in a test. */
export const filesOf = (texts: Readonly<Record<string, string>>): Files =>
  new Map(Object.entries(texts).map(([path, text]) => [path, new TextEncoder().encode(text)]))
