// `npm run test:parts [-- files…]`: Espalier beside real programs of others, such as cert-manager. Builds them and a control plane if
// this machine has none yet, and runs tests/parts. For before a release, not for every change: it takes minutes.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildParts, buildPrograms } from '../control-plane/binaries.ts'
import { removeAbandonedScratch } from '../processes/scratch.ts'
import { runTap } from './run-tap.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const fileSeconds = 1_200
const say = (line: string): void => {
  process.stdout.write(`# ${line}\n`)
}

const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : globSync('tests/parts/**/*.test.ts', { cwd: root }).sort()
try {
  await buildParts(say)
  await buildPrograms(say)
  await removeAbandonedScratch()
  const options = [`--timeout=${fileSeconds}`, '--fail-skip', '--fail-todo']
  process.exitCode = await runTap({ files, tapFile: 'parts.tap', options, env: { ESPALIER_CLUSTER: 'real' } })
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
