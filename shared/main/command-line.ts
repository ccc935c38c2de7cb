// The command line: `espalier plan -f component.yaml`. Each command is a row of cli/commands.ts.
import { coloured } from './cli/colour.ts'
import { runCommand } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { programRows } from './programs.ts'

// `hasColors` is false if NO_COLOR is set. A pipe does not have this method.
const isColourful = process.stdout.isTTY && process.stdout.hasColors()
const print = (text: string, isData = false): void => {
  process.stdout.write(isColourful && !isData ? coloured(text) : text)
}
const { code, out, fault, isData } = await runCommand(commands, process.argv.slice(2), print, programRows)
print(out, isData)
process.stderr.write(fault)
process.exitCode = code
