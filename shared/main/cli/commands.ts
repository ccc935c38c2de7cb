// The commands of the command line.
import type { Command } from './command.ts'
import { getCommand } from './get.ts'
import { planCommand } from './plan.ts'
import { treeCommand, whyCommand } from './why.ts'

export const commands: readonly Command[] = [getCommand, planCommand, treeCommand, whyCommand]
