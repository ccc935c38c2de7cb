// The command line: `espalier plan -f component.yaml`. Each command is a row of cli/commands.ts.
import { runCommand } from './cli/command.ts'
import { commands } from './cli/commands.ts'

const { code, out, fault } = await runCommand(commands, process.argv.slice(2))
process.stdout.write(out)
process.stderr.write(fault)
process.exitCode = code
