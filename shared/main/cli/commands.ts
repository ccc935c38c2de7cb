// The command line: `espalier plan -f component.yaml`. Help, completion and docs/reference/command-line.md are generated from the table.
import { programRows } from '../programs.ts'
import { checkCommand } from './check.ts'
import { type Command, coloured, runCommand } from './command.ts'
import { completionCommand } from './completion.ts'
import { logsCommand } from './logs.ts'
import { migrateCommand } from './migrate.ts'
import { planCommand } from './plan.ts'
import { renderCommand } from './render.ts'
import { eventsCommand, getCommand, treeCommand, whyCommand } from './states.ts'
import { reconcileCommand, resumeCommand, suspendCommand } from './steer.ts'
import { supportBundleCommand } from './support-bundle.ts'
import { uninstallCommand } from './uninstall.ts'

const others: readonly Command[] = [
  getCommand,
  whyCommand,
  treeCommand,
  eventsCommand,
  logsCommand,
  planCommand,
  reconcileCommand,
  suspendCommand,
  resumeCommand,
  checkCommand,
  migrateCommand,
  renderCommand,
  supportBundleCommand,
  uninstallCommand,
]

export const commands: readonly Command[] = [...others, completionCommand(others)]

export const runCommandLine = async (args: readonly string[]): Promise<void> => {
  // `hasColors` is false if NO_COLOR is set. A pipe does not have this method.
  const isColourful = process.stdout.isTTY && process.stdout.hasColors()
  const print = (text: string, isData = false): void => {
    process.stdout.write(isColourful && !isData ? coloured(text) : text)
  }
  const { code, out, fault, isData } = await runCommand(commands, args, print, programRows)
  print(out, isData)
  process.stderr.write(fault)
  process.exitCode = code
}
