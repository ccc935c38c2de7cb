// `npm run test:cluster [-- files…]`: builds a control plane if this machine has none yet, starts the clusters that test files share,
// and runs the files that want a real API server: those that carry rows marked K, and those that compare with the embedded cluster.
// Files that run at once share no cluster, for they act on all that is in one. Fails when a test fails or is skipped. The TAP is kept
// in .espalier/tap/cluster.tap.
import { globSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { sharedClusters, sharedClustersVariable } from '../clusters/cluster.ts'
import { buildPrograms, kubernetesRelease } from '../control-plane/binaries.ts'
import { startControlPlane } from '../control-plane/control-plane.ts'
import { removeAbandonedScratch, scratchFolder } from '../processes/scratch.ts'
import { isForRealCluster } from './behaviour.ts'
import { runRooms, skipsFail } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const always = 'tests/{cluster,conformance,faults/functions}/**/*.test.ts'
const stories = 'tests/stories/**/*.test.ts'
/** A hundred runs of these each end a Namespace or 60 definitions, which takes a real control plane some seconds. */
const embeddedAlone = ['tests/faults/functions/istio.test.ts', 'tests/faults/functions/garden-reconcile.test.ts']

/** One more than there are processors: a file spends much of its time waiting for controllers, and for what takes seconds on any machine. */
const jobs = availableParallelism() + 1
/** These begin first, so that no job is left alone with one of them. */
const longest = ['tests/cluster/garden-story.test.ts', 'tests/stories/istio/', 'tests/faults/']

const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : longestFirst(everything())
try {
  process.exitCode = await run(files)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

function everything(): string[] {
  const found = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort()
  const carriesRows = (file: string): boolean => isForRealCluster(readFileSync(join(root, file), 'utf8'))
  const isForReal = (file: string): boolean => !embeddedAlone.includes(file)
  return [...found(always).filter(isForReal), ...found(stories).filter(carriesRows)]
}

function longestFirst(files: readonly string[]): string[] {
  const rank = (file: string): number => [...longest, file].findIndex(path => file.startsWith(path))
  return files.toSorted((one, other) => rank(one) - rank(other))
}

async function run(files: readonly string[]): Promise<number> {
  await buildPrograms(say)
  await removeAbandonedScratch()
  const folder = scratchFolder()
  const folders = files.slice(0, jobs).map((_, job) => join(folder, String(job)))
  const controlPlanes = await startShared(folders)
  const code = await runRooms({
    rooms: files.map(file => [file]),
    tapFile: 'cluster.tap',
    jobs: folders.length,
    env: job => ({ ...skipsFail, [sharedClustersVariable]: folders[job] ?? '', ESPALIER_CLUSTER: 'real' }),
  })
  await Promise.all(controlPlanes.map(controlPlane => controlPlane.stop()))
  if (code === 0) await rm(folder, { recursive: true, force: true })
  else say(`the logs of the control planes are in ${folder}/*/*/logs`)
  return code
}

async function startShared(folders: readonly string[]) {
  const began = Date.now()
  const starts = folders.flatMap(folder =>
    Object.entries(sharedClusters).map(([name, options]) => startControlPlane({ ...options, dir: join(folder, name) })),
  )
  const controlPlanes = await Promise.all(starts)
  const names = Object.keys(sharedClusters).join(' and ')
  say(
    `Kubernetes ${kubernetesRelease()}: ${folders.length} pairs of clusters, ${names}, are ready after ${Date.now() - began} ms`,
  )
  return controlPlanes
}

function say(line: string): void {
  process.stdout.write(`# ${line}\n`)
}
