// buildah with a store of its own, so that it neither sees nor changes other images on this machine.
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Buildah = (...args: readonly string[]) => Promise<string>

/** Runs buildah on the store in this folder. Returns what it printed, without the last line break. */
export const buildahIn =
  (folder: string, cwd?: string): Buildah =>
  async (...args) => {
    const own = ['--root', join(folder, 'store'), '--runroot', join(folder, 'run'), '--storage-driver', 'overlay']
    const { stdout } = await run('buildah', [...own, ...args], { cwd, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }

/** The programs that `npm run image` needs besides Node, each with its Debian package. */
const needs = { buildah: 'buildah', debootstrap: 'debootstrap' } as const

/** Throws with one sentence if this machine cannot make images. */
export const requireImageTools = async (): Promise<void> => {
  if (`${process.platform}-${process.arch}` !== 'linux-x64') throw new Error('npm run image works on Linux x64 alone')
  if (process.getuid?.() !== 0) throw new Error('npm run image needs root, to unpack a Debian and change its root')
  await requirePrograms(needs)
}

/** Installs the packages of missing programs if there is apt-get; otherwise throws with their names. */
export const requirePrograms = async (packages: Readonly<Record<string, string>>): Promise<void> => {
  const missing = (): string[] => Object.keys(packages).filter(name => !isOnPath(name))
  if (missing().length === 0) return
  const named = [...new Set(missing().map(name => packages[name] ?? name))]
  if (!isOnPath('apt-get')) throw new Error(`missing: ${missing().join(', ')}. Install ${named.join(', ')}.`)
  process.stdout.write(`# apt-get install ${named.join(' ')}\n`)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const failed = (error: unknown): never => {
    throw new Error(`missing: ${missing().join(', ')}, and apt-get did not install them`, { cause: error })
  }
  await run('apt-get', ['update', '-q'], { env }).catch(failed)
  await run('apt-get', ['install', '-qy', '--no-install-recommends', ...named], { env }).catch(failed)
  if (missing().length > 0) failed(undefined)
}

/** Daemons of Debian are in folders that a user's PATH may lack. */
const isOnPath = (program: string): boolean =>
  [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin'].some(folder => existsSync(join(folder, program)))

/** Whether something is mounted at or below the folder, so that removing the folder would reach into it. */
export const hasMounts = (folder: string): boolean =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some(line => `${line.split(' ')[4] ?? ''}/`.startsWith(`${folder}/`))
