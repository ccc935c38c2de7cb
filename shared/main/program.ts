// The common start of our programs: read the settings. If the settings are invalid or the start fails, exit with 1 and a sentence.

import type { SettingsOf, SettingsTable } from '../core/settings/setting.ts'
import { errorText } from '../core/text/error-text.ts'
import { readSettings } from '../http/settings/config.ts'
import { type HeapGrowth, holdLittleMemory } from './v8-flags.ts'

type Begun = { readonly name: string; readonly heapGrowth: HeapGrowth }

type Program<Table extends SettingsTable> = {
  readonly table: Table
  readonly run: (settings: SettingsOf<Table>) => Promise<void>
}

export const begin = <Table extends SettingsTable>(
  { name, heapGrowth }: Begun,
  program: () => Promise<Program<Table>>,
): void => {
  holdLittleMemory(heapGrowth)
  const started = async (): Promise<void> => {
    const { table, run } = await program()
    const reading = readSettings(table, name)
    if (reading.is === 'text') process.stdout.write(`${reading.text}\n`)
    else if (reading.is === 'faults') end(name, reading.faults)
    else await run(reading.settings)
  }
  started().catch(error => end(name, [errorText(error)]))
}

const end = (name: string, faults: readonly string[]): void => {
  process.stderr.write(faults.map(fault => `${name}: ${fault}\n`).join(''))
  process.exitCode = 1
}
