/**
 * `npm run test:cluster [-- files…]`: builds a control plane if this machine has none yet, starts the clusters that all
 * test files share, and runs the files that want a real API server. Fails when a test fails or is skipped. The TAP is
 * kept in .espalier/tap/cluster.tap.
 */
import { createWriteStream, globSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { buildPrograms, kubernetesRelease } from './binaries.ts'
import { sharedClusters, sharedClustersVariable } from './cluster.ts'
import { startControlPlane } from './control-plane.ts'
import { startLifelined } from './lifeline.ts'
import { removeAbandonedScratch, scratchFolder } from './scratch.ts'
import { readableTap } from './tap-report.ts'

const root = join(import.meta.dirname, '..', '..')
const tapFile = join(root, '.espalier', 'tap', 'cluster.tap')
const everything = 'tests/{cluster,conformance,faults,stories}/**/*.test.ts'
const fileSeconds = 300

const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : globSync(everything, { cwd: root }).sort()
try {
  process.exitCode = await run(files)
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

async function run(files: readonly string[]): Promise<number> {
  await buildPrograms(say)
  await removeAbandonedScratch()
  const folder = scratchFolder()
  const controlPlanes = await startShared(folder)
  const code = await runTap(files, folder)
  await Promise.all(controlPlanes.map(controlPlane => controlPlane.stop()))
  if (code === 0) await rm(folder, { recursive: true, force: true })
  else say(`the logs of the control planes are in ${folder}/*/logs`)
  return code
}

async function startShared(folder: string) {
  const began = Date.now()
  const starts = Object.entries(sharedClusters).map(([name, options]) =>
    startControlPlane({ ...options, dir: join(folder, name) }),
  )
  const controlPlanes = await Promise.all(starts)
  const names = Object.keys(sharedClusters).join(' and ')
  say(`Kubernetes ${kubernetesRelease()}: clusters ${names} are ready after ${Date.now() - began} ms`)
  return controlPlanes
}

async function runTap(files: readonly string[], folder: string): Promise<number> {
  const options = [
    '--reporter=tap',
    `--timeout=${fileSeconds}`,
    // A test of a real cluster that is not run proves nothing.
    '--fail-skip',
    '--fail-todo',
  ]
  const tap = startLifelined({
    program: process.execPath,
    args: [join(root, 'node_modules', '.bin', 'tap'), 'run', ...options, ...files],
    env: { ...process.env, [sharedClustersVariable]: folder, ESPALIER_CLUSTER: 'real' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void tap.end(signal, 2))
  if (tap.child.stdout) await report(tap.child.stdout)
  const result = await tap.ended
  return typeof result === 'number' ? result : 1
}

/** Everything goes to the file; what people want to read also to stdout. */
async function report(tap: Readable): Promise<void> {
  await mkdir(dirname(tapFile), { recursive: true })
  const copied = pipeline(tap, createWriteStream(tapFile))
  for await (const line of readableTap(createInterface(tap))) process.stdout.write(`${line}\n`)
  await copied
}

function say(line: string): void {
  process.stdout.write(`# ${line}\n`)
}
