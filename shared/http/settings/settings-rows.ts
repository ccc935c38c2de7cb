// Settings as a table of a page in Markdown.
import { defaultOf, flagOf, type Setting } from '../../core/settings/setting.ts'

export const settingsRows = (settings: readonly Setting[]): string[] => [
  '| flag, variable | default | what it is | values |',
  '|---|---|---|---|',
  ...settings.map(setting => {
    const { env, sentence, shape } = setting
    const [flag, usual] = [flagOf(setting), defaultOf(setting)]
    const names = [...(flag ? [`\`--${flag}\``] : []), `\`${env}\``].join(', ')
    const given = usual === undefined ? 'must be given' : usual && `\`${usual}\``
    return `| ${[names, given, sentence, shape.says].map(cell).join(' | ')} |`
  }),
  '',
]

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll(/\s+/g, ' ')
