// `npm test [-- files…]`: all tests that need Node and nothing else, in rooms. The TAP is kept in .espalier/tap/unit.tap.
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { oracles } from '../oracles.ts'
import { roomsOf, unitTests } from './rooms.ts'
import { runRooms } from './run-rooms.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const asked = process.argv.slice(2)
const rooms = asked.length > 0 ? asked.map(file => [file]) : roomsOf(globSync(unitTests, { cwd: root }))

// Fetched once, before several rooms ask for them. If this fails, the tests that need them say why.
await oracles().catch(() => undefined)

/** Three more than there are processors, because some files wait. */
process.exitCode = await runRooms({ rooms, tapFile: 'unit.tap', jobs: availableParallelism() + 3 })
