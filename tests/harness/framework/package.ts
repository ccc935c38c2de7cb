// The npm package as its users have it: built, packed, and installed in a folder in which nothing else is.
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { installedPackages } from '../packages/packages.ts'
import { testFolder } from '../test-folder.ts'

export const project = join(import.meta.dirname, '..', '..', '..')

export type Ran = { readonly code: number; readonly text: string }

/** A command as a person has it in a shell: Node first in the PATH, and nothing of the test's environment. */
export const shell = (cwd: string, program: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise(resolve => {
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: process.env.HOME }
    execFile(program, [...args], { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: stdout + stderr }),
    )
  })

/** Rejects with what the command said when it fails. */
export const done = async (cwd: string, program: string, ...args: readonly string[]): Promise<string> => {
  const { code, text } = await shell(cwd, program, ...args)
  if (code === 0) return text
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${text}`)
}

/** The folder that `npm publish` takes, and the tarball that npm makes of it. */
export const packedPackage = async (t: Pick<Test, 'teardown'>): Promise<{ folder: string; tarball: string }> => {
  const into = testFolder(t)
  const folder = join(into, 'package')
  await done(project, 'npm', 'run', '--silent', 'build:package', '--', '--into', folder)
  const [{ filename }] = JSON.parse(await done(into, 'npm', 'pack', folder, '--json'))
  return { folder, tarball: join(into, filename) }
}

/** An empty folder with the tarball installed, and the types of Node beside it, which users have of their own. */
export const installedIn = async (t: Pick<Test, 'teardown'>, tarball: string): Promise<string> => {
  const folder = testFolder(t)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await done(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', tarball)
  for (const name of ['@types', 'undici-types'])
    symlinkSync(join(project, 'node_modules', name), join(folder, 'node_modules', name))
  return folder
}

/** The path of a program of the sets of packages that tests fetch. */
export const fetchedProgram = async (set: Parameters<typeof installedPackages>[0], name: string): Promise<string> =>
  join(await installedPackages(set), 'node_modules', '.bin', name)
