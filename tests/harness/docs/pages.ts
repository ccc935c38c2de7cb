// The commands of a page, and a folder in which they work as in the project's own.
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { oracles } from '../oracles.ts'
import { testFolder } from '../test-folder.ts'

export const project = join(import.meta.dirname, '..', '..', '..')

/** The commands of all blocks in their order, each with its here-document. Blocks that name a language are code. */
export const commandsOf = (page: string): string[] => {
  const text = readFileSync(join(project, page), 'utf8')
  const blocks = [...text.matchAll(/^ *```(\w*)\n([\s\S]*?)^ *```$/gm)]
  return blocks.flatMap(([, language, block = '']) =>
    language === ''
      ? [...block.matchAll(/^.*<<'EOF'\n[\s\S]*?^EOF$|^.*\S.*$/gm)].map(([command]) => command.trim())
      : [],
  )
}

export type Answer = { readonly code: unknown; readonly text: string }

export type Typing = { readonly folder: string; readonly run: (command: string) => Promise<Answer> }

/** A folder with the project's manifests, in which kubectl, helm and `npx espalier` are found. */
export const typing = async (t: Pick<Test, 'teardown'>, kubeconfig?: string): Promise<Typing> => {
  const programs = await oracles()
  const folder = testFolder(t)
  symlinkSync(join(project, 'manifests'), join(folder, 'manifests'))
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(join(project, 'shared', 'main', 'espalier.mjs'), join(folder, 'node_modules', '.bin', 'espalier'))
  const PATH = `${dirname(programs.helm)}:${dirname(programs.kubectl)}:${process.env.PATH}`
  const env = { PATH, HOME: folder, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) }
  const run = (command: string): Promise<Answer> =>
    new Promise(resolve => {
      execFile('bash', ['-c', command], { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, text: stdout + stderr }),
      )
    })
  return { folder, run }
}
