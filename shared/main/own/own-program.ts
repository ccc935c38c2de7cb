// The common start of programs for a user's folder: read flags, print help, and end with a sentence after a fault.
import type { ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { errorText } from '../../core/text/error-text.ts'
import { flagsIn } from '../cli/command.ts'

type Flags<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; allowPositionals: boolean }>
>

type OwnProgram<Options extends ParseArgsOptionsConfig> = {
  readonly name: string
  readonly usage: string
  readonly options: Options
  readonly allowPositionals?: boolean
  /** The exit code after a fault. Default: 1. */
  readonly faultCode?: number
  /** Resolves with the exit code. undefined means 0. */
  readonly run: (given: Flags<Options>) => Promise<number | undefined> | Promise<void>
}

export const beginOwn = async <Options extends ParseArgsOptionsConfig>(program: OwnProgram<Options>): Promise<void> => {
  const { name, usage, allowPositionals = false, faultCode = 1 } = program
  try {
    const options = { ...program.options, help: { type: 'boolean', short: 'h' } } as const
    const given = flagsIn(process.argv.slice(2), { command: name, options, allowPositionals })
    const { help } = given.values as { readonly help?: boolean }
    if (help) process.stdout.write(usage)
    else process.exitCode = (await program.run(given as Flags<Options>)) ?? 0
  } catch (error) {
    process.stderr.write(`${name}: ${errorText(error)}\n`)
    process.exitCode = faultCode
  }
}
