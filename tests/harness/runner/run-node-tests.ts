// `npm run test:node [-- files…]`: runs tests/node, which need root, Linux and programs of Debian, installed where apt-get is. For before a
// release, not in CI: it takes minutes. Files run one after the other; the TAP is kept in .espalier/tap/node.tap.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { runRooms, skipsFail } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const asked = process.argv.slice(2)
const files = asked.length > 0 ? asked : globSync('tests/node/**/*.test.ts', { cwd: root }).sort()
const rooms = files.map(file => [file])
process.exitCode = await runRooms({ rooms, tapFile: 'node.tap', jobs: 1, env: () => skipsFail })
