// The tables of arguments of a Go operator, from the tables by which `espalier check` translates them.

import { flagOf } from '../../shared/core/settings/setting.ts'
import type { Counterpart, SettingRow } from '../../shared/main/cli/arguments/counterpart.ts'
import { counterparts } from '../../shared/main/cli/arguments/translation.ts'

/** `of`: the head of the first column. */
export const argumentPages = (table: readonly Counterpart[], of: string): Record<'counterparts' | 'others', string> => {
  const sorted = table.toSorted((left, right) => (left.argument < right.argument ? -1 : 1))
  const settings = sorted.flatMap(row => ('none' in row ? [] : [row]))
  const others = sorted.flatMap(row => ('none' in row ? [`| \`${row.argument}\` | ${row.none} |`] : []))
  return {
    counterparts: [
      `| ${of} | Espalier | what differs |`,
      '|---|---|---|',
      ...[...Map.groupBy(settings, ({ argument }) => argument)].map(([argument, rows]) => settingLine(argument, rows)),
    ].join('\n'),
    others: [`| ${of} | why there is none |`, '|---|---|', ...others].join('\n'),
  }
}

const settingLine = (argument: string, rows: readonly SettingRow[]): string => {
  const flags = rows.flatMap(row =>
    counterparts(row).map(({ program, setting }) => `\`--${flagOf(setting)}\`${program === 'relay' ? ' (relay)' : ''}`),
  )
  const differs = rows.flatMap(({ differs }) => differs ?? []).join('; ')
  return `| \`${argument}\` | ${flags.join(', ')} | ${differs} |`.replace('|  |', '| |')
}
