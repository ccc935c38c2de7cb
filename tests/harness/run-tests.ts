// `npm test [-- files…]`: all tests that need Node and nothing else. The TAP is kept in .espalier/tap/unit.tap.
import { availableParallelism } from 'node:os'
import { runTap } from './run-tap.ts'

/** tap leaves one processor idle: of two, half of all there is. */
const options = [`--jobs=${availableParallelism()}`]
process.exitCode = await runTap({ files: process.argv.slice(2), tapFile: 'unit.tap', options })
