// The programs a real control plane consists of, a real registry, and the Gardener operator's webhooks, built once per machine
// from Go modules whose versions and checksums are committed under go/, and kept in cache folders named after those. How
// the programs of a control plane are run is told in components.ts.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { cachedFolder, findCached, platform } from './cache.ts'
import { startLifelined } from './lifeline.ts'

export type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok'

/** A Go module under go/: what it builds, the module whose version it stands for, and where that version is stamped. */
type GoModule = {
  readonly folder: string
  readonly output: string
  readonly stands: string
  readonly stamp: Stamp
  /** Its own program instead of the tools it names. */
  readonly isProgram?: true
}
type Stamp = (version: string) => Readonly<Record<string, string>>

const goModules: readonly GoModule[] = [
  { folder: 'etcd', output: 'etcd', stands: 'go.etcd.io/etcd/server/v3', stamp: () => ({}) },
  { folder: 'kwok', output: 'kwok', stands: 'sigs.k8s.io/kwok', stamp: () => ({}) },
  { folder: 'kubernetes', output: '', stands: 'k8s.io/kubernetes', stamp: kubernetesVersion },
]

/** What is built together and kept in one folder. */
type ProgramSet = { readonly name: string; readonly minutes: number; readonly modules: readonly GoModule[] }

const controlPlane: ProgramSet = { name: 'control-plane', minutes: 6, modules: goModules }

const registry: ProgramSet = {
  name: 'registry',
  minutes: 1,
  modules: [
    {
      folder: 'registry',
      output: 'registry',
      stands: 'github.com/distribution/distribution/v3',
      stamp: () => ({}),
    },
  ],
}

const gardenerWebhooks: ProgramSet = {
  name: 'gardener-webhooks',
  minutes: 5,
  modules: [
    {
      folder: 'gardener',
      output: 'gardener-webhooks',
      stands: 'github.com/gardener/gardener',
      stamp: () => ({}),
      isProgram: true,
    },
  ],
}

const progressSeconds = 15

type Progress = (line: string) => void

/** Builds all programs of tests, if need be: minutes on a fresh machine, and it says so through `progress`. */
export async function buildPrograms(progress: Progress): Promise<void> {
  for (const set of [controlPlane, registry]) await builtSet(set, progress)
}

/** The webhooks of the Gardener operator as a program, which a benchmark alone needs; built likewise. */
export async function gardenerWebhooksProgram(progress: Progress): Promise<string> {
  return join(await builtSet(gardenerWebhooks, progress), 'gardener-webhooks')
}

function builtSet(set: ProgramSet, progress: Progress): Promise<string> {
  return cachedFolder(folderName(set), async draft => {
    progress(`building ${set.name} from source, once per machine: about ${set.minutes} min on 2 cores`)
    for (const module of set.modules) await build(module, draft, progress)
  })
}

/** The path of a program of the control plane that has been built before; a test must not take minutes by surprise. */
export function program(name: Program): string {
  return builtProgram(controlPlane, name)
}

/** The path of the real registry, likewise. */
export function registryProgram(): string {
  return builtProgram(registry, 'registry')
}

function builtProgram(set: ProgramSet, name: string): string {
  const folder = findCached(folderName(set))
  if (!folder) throw new Error(`the ${set.name} is not built yet: \`npm run test:cluster\` builds it, once per machine`)
  return join(folder, name)
}

/** The version of Kubernetes that the control plane has, such as `v1.36.3`. */
export function kubernetesRelease(): string {
  return moduleVersion('kubernetes', 'k8s.io/kubernetes')
}

/** The operator's release that those webhooks are of. */
export function gardenerRelease(): string {
  return moduleVersion('gardener', 'github.com/gardener/gardener')
}

async function build(module: GoModule, draft: string, progress: Progress): Promise<void> {
  const directory = goFolder(module.folder)
  await requireGo(directory)
  const version = moduleVersion(module.folder, module.stands)
  const started = Date.now()
  const what = module.isProgram ? '.' : 'tool'
  const compile = startLifelined({
    program: 'go',
    args: ['build', '-C', directory, '-v', ...buildFlags(module, version), '-o', join(draft, module.output), what],
    env: goEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  // -v names each package as it is compiled; among them are downloads and, at the end, errors.
  const lines: string[] = []
  if (compile.child.stderr) createInterface(compile.child.stderr).on('line', line => lines.push(line))
  const packages = () => lines.filter(line => !line.startsWith('go: ')).length
  const elapsed = () => `${Math.round((Date.now() - started) / 1000)} s`
  const tell = () => progress(`  ${module.folder} ${version}: ${packages()} packages, ${elapsed()}`)
  const ticking = setInterval(tell, progressSeconds * 1000)
  const result = await compile.ended
  clearInterval(ticking)
  if (result !== 0) throw new Error(`building ${module.folder} ended with ${result}:\n${lines.slice(-20).join('\n')}`)
  progress(`  ${module.folder} ${version}: built in ${elapsed()}`)
}

function buildFlags(module: GoModule, version: string): string[] {
  const stamps = Object.entries(module.stamp(version)).map(([variable, value]) => `-X ${variable}=${value}`)
  return ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=${['-s -w', ...stamps].join(' ')}`]
}

/** What `GET /version` and the User-Agent tell; upstream's own build stamps the same variables. */
function kubernetesVersion(version: string): Readonly<Record<string, string>> {
  const [major = '', minor = ''] = version.slice(1).split('.')
  const stamps: Record<string, string> = {}
  for (const owner of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
    stamps[`${owner}.gitVersion`] = version
    stamps[`${owner}.gitMajor`] = major
    stamps[`${owner}.gitMinor`] = minor
  }
  return stamps
}

async function requireGo(directory: string): Promise<void> {
  try {
    // Inside the module's folder, where Go also judges whether it is new enough, or can fetch a newer one by itself.
    await promisify(execFile)('go', ['env', '-C', directory, 'GOVERSION'], { env: goEnvironment() })
  } catch (error) {
    const needs = 'npm run test:cluster needs Go 1.26 or newer to build a control plane, once: https://go.dev/dl'
    throw new Error(`${needs}\n${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, CGO_ENABLED: '0', GOFLAGS: '', GOWORK: 'off' }
}

/** Everything that decides about the binaries is in the name, so a change of any of it builds afresh. */
function folderName({ name, modules }: ProgramSet): string {
  const digest = createHash('sha256')
  const versions: string[] = []
  for (const module of modules) {
    const version = moduleVersion(module.folder, module.stands)
    versions.push(module.folder, version)
    const files = ['go.mod', 'go.sum', ...(module.isProgram ? ['main.go'] : [])]
    for (const file of files) digest.update(readFileSync(join(goFolder(module.folder), file)))
    digest.update(buildFlags(module, version).join('\n'))
  }
  return [name, ...versions, digest.digest('hex').slice(0, 8), platform].join('-')
}

function moduleVersion(folder: string, stands: string): string {
  const text = readFileSync(join(goFolder(folder), 'go.mod'), 'utf8')
  const line = text.split('\n').find(line => line.replace('require', '').trim().startsWith(`${stands} v`))
  const version = /v[\d.]+\S*/.exec(line?.split(stands)[1] ?? '')?.[0]
  if (!version) throw new Error(`go/${folder}/go.mod does not require ${stands}`)
  return version
}

function goFolder(folder: string): string {
  return join(import.meta.dirname, 'go', folder)
}
