// How each of our programs begins: it reads its settings, and ends with 1 and a sentence when they, or the start, are at fault.

import type { SettingsOf, SettingsTable } from '../core/settings/setting.ts'
import { errorText } from '../core/text/error-text.ts'
import { readSettings } from '../http/settings/config.ts'
import { type HeapGrowth, holdLittleMemory } from './v8-flags.ts'

type Program<Table extends SettingsTable> = {
  readonly name: string
  /** A function, if some settings decide which others there are. */
  readonly table: Table | (() => Promise<Table>)
  readonly heapGrowth: HeapGrowth
  readonly run: (settings: SettingsOf<Table>) => Promise<void>
}

export const begin = <Table extends SettingsTable>({ name, table, heapGrowth, run }: Program<Table>): void => {
  holdLittleMemory(heapGrowth)
  const started = async (): Promise<void> => {
    const reading = readSettings(typeof table === 'function' ? await table() : table, name)
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
