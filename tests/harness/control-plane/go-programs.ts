// Builds programs from Go modules, once per machine. binaries.ts lists the programs.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { startLifelined } from '../processes/bound-processes.ts'
import { cachedFolder, findCached, platform } from './cache.ts'

/** A Go module under go/: what it builds, the module whose version it has, and where that version is stamped. */
export type GoModule = {
  readonly folder: string
  readonly output: string
  readonly stands: string
  readonly stamp: Stamp
  /** It builds its own program instead of the tools that it names. */
  readonly isProgram?: true
  /** Folders of that module that are kept beside the program. */
  readonly keeps?: readonly string[]
}
type Stamp = (version: string) => Readonly<Record<string, string>>

/** Programs that are built together and kept in one folder. */
export type ProgramSet = {
  readonly name: string
  readonly minutes: number
  readonly modules: readonly GoModule[]
  /** The command that builds it. */
  readonly by: string
}

const progressSeconds = 15

export type Progress = (line: string) => void

/** The folder with these programs. They are built if they are missing; `progress` reports it. */
export function builtSet(set: ProgramSet, progress: Progress): Promise<string> {
  return cachedFolder(folderName(set), async draft => {
    progress(`building ${set.name} from source, once per machine: about ${set.minutes} min on 2 cores`)
    for (const module of set.modules) await build({ module, by: set.by, draft }, progress)
  })
}

/** The path of a program that has been built before. */
export function builtProgram(set: ProgramSet, name: string): string {
  const folder = findCached(folderName(set))
  if (!folder) throw new Error(`${set.name} is not built yet: \`${set.by}\` builds it, once per machine`)
  return join(folder, name)
}

/** The release of the first of its modules. */
export function releaseOf({ modules: [module] }: ProgramSet): string {
  return module ? moduleVersion(module.folder, module.stands) : ''
}

type Build = { readonly module: GoModule; readonly by: string; readonly draft: string }

async function build({ module, by, draft }: Build, progress: Progress): Promise<void> {
  const directory = goFolder(module.folder)
  await requireGo(directory, by)
  const version = moduleVersion(module.folder, module.stands)
  const started = Date.now()
  const what = module.isProgram ? '.' : 'tool'
  const compile = startLifelined({
    program: 'go',
    args: ['build', '-C', directory, '-v', ...buildFlags(module, version), '-o', join(draft, module.output), what],
    env: goEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // -v prints each compiled package, and also downloads and errors.
  const lines: string[] = []
  if (compile.child.stderr) createInterface(compile.child.stderr).on('line', line => lines.push(line))
  const packages = () => lines.filter(line => !line.startsWith('go: ')).length
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`
  const tell = () => progress(`  ${module.folder} ${version}: ${packages()} packages, ${elapsed()}`)
  const ticking = setInterval(tell, progressSeconds * 1000)
  const result = await compile.ended
  clearInterval(ticking)
  if (result !== 0) throw new Error(`building ${module.folder} ended with ${result}:\n${lines.slice(-20).join('\n')}`)
  await keepFolders(module, draft)
  progress(`  ${module.folder} ${version}: built in ${elapsed()}`)
}

async function keepFolders({ folder, stands, keeps = [] }: GoModule, draft: string): Promise<void> {
  if (keeps.length === 0) return
  const asked = ['list', '-C', goFolder(folder), '-m', '-f', '{{.Dir}}', stands]
  const { stdout } = await promisify(execFile)('go', asked, { env: goEnvironment() })
  for (const path of keeps) await cp(join(stdout.trim(), path), join(draft, path), { recursive: true })
}

function buildFlags(module: GoModule, version: string): string[] {
  const stamps = Object.entries(module.stamp(version)).map(([variable, value]) => `-X ${variable}=${value}`)
  return ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${['-s -w', ...stamps].join(' ')}`]
}

async function requireGo(directory: string, by: string): Promise<void> {
  try {
    // Runs in the module's folder, where Go also checks whether it is new enough, or fetches a newer version itself.
    await promisify(execFile)('go', ['env', '-C', directory, 'GOVERSION'], { env: goEnvironment() })
  } catch (error) {
    const needs = `${by} needs Go 1.26 or newer to build real programs, once: https://go.dev/dl`
    throw new Error(`${needs}\n${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' }
}

/** The name contains everything that decides about the binaries, so any change of it builds them afresh. */
function folderName({ name, modules }: ProgramSet): string {
  const digest = createHash('sha256')
  const versions: string[] = []
  for (const module of modules) {
    const version = moduleVersion(module.folder, module.stands)
    versions.push(module.folder, version)
    const files = ['go.mod', 'go.sum', ...(module.isProgram ? ['main.go'] : [])]
    for (const file of files) digest.update(readFileSync(join(goFolder(module.folder), file)))
    digest.update([...buildFlags(module, version), ...(module.keeps ?? [])].join('\n'))
  }
  return [name, ...versions, digest.digest('hex').slice(0, 8), platform].join('-')
}

/** The version that a module below go/ requires of another. */
export function moduleVersion(folder: string, stands: string): string {
  const text = readFileSync(join(goFolder(folder), 'go.mod'), 'utf8')
  const line = text.split('\n').find(line => line.replace('require', '').trim().startsWith(`${stands} v`))
  const version = /v[\d.]+\S*/.exec(line?.split(stands)[1] ?? '')?.[0]
  if (!version) throw new Error(`go/${folder}/go.mod does not require ${stands}`)
  return version
}

function goFolder(folder: string): string {
  return join(import.meta.dirname, '..', 'go', folder)
}
