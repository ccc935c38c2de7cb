// The commands of the command line. Help, completion and docs/reference/command-line.md come from this table.
import type { Command } from './command.ts'
import { completionCommand } from './completion.ts'
import { getCommand } from './get.ts'
import { planCommand } from './plan.ts'
import { reconcileCommand, resumeCommand, suspendCommand } from './steer.ts'
import { treeCommand, whyCommand } from './why.ts'

const others: readonly Command[] = [
  getCommand,
  whyCommand,
  treeCommand,
  planCommand,
  reconcileCommand,
  suspendCommand,
  resumeCommand,
]

export const commands: readonly Command[] = [...others, completionCommand(others)]
