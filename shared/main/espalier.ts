// The command `espalier`: a command of the command line (command-line.ts), or a program. Each is loaded only when it is named.
import { programRows } from './programs.ts'

const [, , name] = process.argv
const program = programRows.find(one => one.name === name)
if (program) {
  // A program reads its flags where it finds those of a program of its own.
  process.argv.splice(2, 1)
  await program.load()
} else await import('./command-line.ts')
