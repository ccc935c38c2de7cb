// The npm package as its users have it: built, packed, and installed in a folder in which nothing else is.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import { installedPackages } from '../packages/packages.ts'
import { testFolder } from '../test-folder.ts'
import { usualSeconds } from '../until.ts'

export const project = join(import.meta.dirname, '..', '..', '..')

export type Ran = { readonly code: number; readonly text: string }

/** What npm needs to reach a registry through a company's proxy. */
const proxyVariables = ['NODE_EXTRA_CA_CERTS', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']

const environment = () => ({
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME,
  ...Object.fromEntries(proxyVariables.map(name => [name, process.env[name]])),
})

/** A command as a person has it in a shell: Node first in the PATH, and nothing else of the test's environment. */
export const shell = (cwd: string, program: string, ...args: readonly string[]): Promise<Ran> =>
  new Promise(resolve => {
    execFile(
      program,
      [...args],
      { cwd, env: environment(), maxBuffer: 2 ** 26, timeout: usualSeconds * 1000 },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: stdout + stderr }),
    )
  })

/** Rejects with what the command said when it fails. */
export const done = async (cwd: string, program: string, ...args: readonly string[]): Promise<string> => {
  const { code, text } = await shell(cwd, program, ...args)
  if (code === 0) return text
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${text}`)
}

let packing: Promise<{ folder: string; tarball: string }> | undefined

/** The folder that `npm publish` takes, and the tarball that npm makes of it: once in this process, until it ends. */
export const packedPackage = (): Promise<{ folder: string; tarball: string }> => {
  packing ??= pack()
  return packing
}

const pack = async (): Promise<{ folder: string; tarball: string }> => {
  const into = mkdtempSync(join(tmpdir(), 'espalier-package-'))
  process.once('exit', () => rmSync(into, { recursive: true, force: true }))
  const folder = join(into, 'package')
  await done(project, 'npm', 'run', '--silent', 'build:package', '--', '--into', folder)
  const [{ filename }] = JSON.parse(await done(into, 'npm', 'pack', folder, '--json'))
  return { folder, tarball: join(into, filename) }
}

/** An empty folder with the tarball installed. */
export const installedIn = async (t: Pick<Test, 'teardown'>, tarball: string): Promise<string> => {
  const folder = testFolder(t)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await install(folder, tarball)
  return folder
}

/** Installs the tarball, without a registry. esbuild, which operators name, and the types of Node, which users have, are those of the project. */
export const install = async (folder: string, tarball: string): Promise<void> => {
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  const link = (name: string) => symlinkSync(join(project, 'node_modules', name), join(folder, 'node_modules', name))
  link('esbuild')
  await done(folder, 'npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball)
  // npm takes away what package.json does not name.
  if (!existsSync(join(folder, 'node_modules', 'esbuild'))) link('esbuild')
  for (const name of ['@types', 'undici-types']) link(name)
}

export type Going = {
  /** Resolves when the output matches, and with it. Rejects when the program ends before, or does not print a match within `usualSeconds`. */
  says(pattern: RegExp): Promise<string>
  /** Sends Ctrl-C. Resolves with the exit code. */
  interrupt(): Promise<number | null>
}

/** The command `espalier` of a folder, which goes on until it is interrupted or the test ends. */
export const going = (t: Pick<Test, 'teardown'>, cwd: string, ...args: readonly string[]): Going => {
  const program = join(cwd, 'node_modules', '.bin', 'espalier')
  const child = spawn(program, [...args], { cwd, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGINT')
    await ended
  })
  let text = ''
  let look = (): void => undefined
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      text += chunk
      look()
    })
  return {
    says: pattern =>
      new Promise((resolve, reject) => {
        look = () => pattern.test(text) && resolve(text)
        look()
        ended.then(() => reject(new Error(`it ended without ${pattern}:\n${text}`)))
        const late = () => reject(new Error(`there is no ${pattern} after ${usualSeconds} s:\n${text}`))
        setTimeout(late, usualSeconds * 1000).unref()
      }),
    interrupt: async () => {
      child.kill('SIGINT')
      const [code] = await ended
      return code
    },
  }
}

/** The path of a program of the sets of packages that tests fetch. */
export const fetchedProgram = async (set: Parameters<typeof installedPackages>[0], name: string): Promise<string> =>
  join(await installedPackages(set), 'node_modules', '.bin', name)
