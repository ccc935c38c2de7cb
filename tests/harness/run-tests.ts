// `npm test [-- files…]`: all tests that need Node and nothing else. The TAP is kept in .espalier/tap/unit.tap.
import { runTap } from './run-tap.ts'

process.exitCode = await runTap({ files: process.argv.slice(2), tapFile: 'unit.tap' })
