// The commands of the command line. Help, completion and docs/reference/command-line.md are generated from this table.

import { checkCommand } from './check.ts'
import type { Command } from './command.ts'
import { completionCommand } from './completion.ts'
import { eventsCommand } from './events.ts'
import { getCommand } from './get.ts'
import { logsCommand } from './logs/logs.ts'
import { migrateCommand } from './migrate.ts'
import { planCommand } from './plan.ts'
import { renderCommand } from './render.ts'
import { reconcileCommand, resumeCommand, suspendCommand } from './steer.ts'
import { supportBundleCommand } from './support-bundle.ts'
import { uninstallCommand } from './uninstall.ts'
import { treeCommand, whyCommand } from './why.ts'

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
