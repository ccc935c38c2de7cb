// `npm run test:parts [-- files…]`: Espalier beside real programs of others, such as cert-manager. Builds them and a control plane if
// this machine has none yet, and runs tests/parts. For before a release, not for every change: it takes minutes.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildParts, buildPrograms } from '../control-plane/binaries.ts'
import { removeAbandonedScratch } from '../processes/scratch.ts'
import { runRooms, skipsFail } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const say = (line: string): void => {
  process.stdout.write(`# ${line}\n`)
}

const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : globSync('tests/parts/**/*.test.ts', { cwd: root }).sort()
try {
  await buildParts(say)
  await buildPrograms(say)
  await removeAbandonedScratch()
  const env = { ...skipsFail, ESPALIER_CLUSTER: 'real' }
  process.exitCode = await runRooms({ rooms: files.map(file => [file]), tapFile: 'parts.tap', env: () => env })
} catch (error) {
  say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
