// The command `espalier`: a command of the command line (cli/commands.ts), or a program. Only the named module is loaded.
import { programRows } from './programs.ts'

const [, , name] = process.argv
const program = programRows.find(one => one.name === name)
if (program) {
  // Removes the name, so that the program finds its flags at the expected position.
  process.argv.splice(2, 1)
  await program.load()
} else {
  const { runCommandLine } = await import('./cli/commands.ts')
  await runCommandLine(process.argv.slice(2))
}
