// `npm test [-- files…]`: all tests that need Node and nothing else. The TAP is kept in .espalier/tap/unit.tap.
import { availableParallelism } from 'node:os'
import { runTap } from './run-tap.ts'

/** One more than processors: some files wait. tap itself would leave one processor idle. */
const options = [`--jobs=${availableParallelism() + 1}`]
process.exitCode = await runTap({ files: process.argv.slice(2), tapFile: 'unit.tap', options })
