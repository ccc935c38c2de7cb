// Reads the settings of a program. Only this file reads the environment and the command line. For an invalid value, the message contains
// the expected format and where to set it. Also shows settings as a table of a page.
import { parseArgs } from 'node:util'
import { defaultOf, flagOf, type Setting, type SettingsOf, type SettingsTable } from '../../core/settings/setting.ts'
import { errorText } from '../../core/text/error-text.ts'
import { withoutUser } from '../../core/text/text.ts'

/** Values, a text to print (help or configuration), or faults. */
type ReadSettings<Table extends SettingsTable> =
  | { is: 'settings'; settings: SettingsOf<Table> }
  | { is: 'text'; text: string }
  | { is: 'faults'; faults: readonly string[] }

type Given = { readonly text: string | undefined; readonly source: 'flag' | 'environment' | 'default' }
type Environment = Readonly<Record<string, string | undefined>>

export const readSettings = <Table extends SettingsTable>(table: Table, program: string): ReadSettings<Table> =>
  settingsFrom(table, { program, flags: process.argv.slice(2), environment: process.env })

/** The variables of these settings alone. */
export const environmentFor = (table: SettingsTable): Environment =>
  Object.fromEntries(Object.values(table).map(({ env }) => [env, process.env[env]]))

/** For programs whose command line has no flags for settings. */
export const environmentSettings = <Table extends SettingsTable>(table: Table, program: string): ReadSettings<Table> =>
  settingsFrom(table, { program, flags: [], environment: process.env })

/** Reads the settings that decide which other settings exist, so unknown flags are ignored. Throws if a value is invalid. */
export const earlySettings = <Table extends SettingsTable>(table: Table): SettingsOf<Table> => {
  const { values } = parseArgs({ args: process.argv.slice(2), options: optionsOf(table), strict: false })
  const reading = valuesOf(table, setting => givenFor(setting, values, process.env))
  if (reading.is === 'settings') return reading.settings
  throw new Error(reading.is === 'faults' ? reading.faults.join('; ') : reading.text)
}

/** A flag overrides the environment, which overrides the default. */
export const settingsFrom = <Table extends SettingsTable>(
  table: Table,
  { program, flags, environment }: { program: string; flags: readonly string[]; environment: Environment },
): ReadSettings<Table> => {
  const line = commandLine(table, flags)
  if ('fault' in line) return { is: 'faults', faults: [line.fault] }
  if (line.values.help) return { is: 'text', text: helpText(table, program) }
  const given = (setting: Setting) => givenFor(setting, line.values, environment)
  if (line.values['print-config']) return { is: 'text', text: configText(table, given) }
  return valuesOf(table, given)
}

const valuesOf = <Table extends SettingsTable>(
  table: Table,
  given: (setting: Setting) => Given,
): ReadSettings<Table> => {
  const read = Object.entries(table).map(([name, setting]) => ({
    name,
    setting,
    ...readValue(setting, given(setting)),
  }))
  const faults = read.flatMap(({ fault }) => fault ?? [])
  if (faults.length > 0) return { is: 'faults', faults }
  const settings = Object.fromEntries(read.map(({ name, value }) => [name, value])) as SettingsOf<Table>
  return { is: 'settings', settings }
}

const readValue = (setting: Setting, { text }: Given): { value?: unknown; fault?: string } => {
  if (text === undefined) return { fault: `${nameOf(setting)} is not given: expected ${expectation(setting)}` }
  const read = setting.shape.read(text)
  return read ?? { fault: `${nameOf(setting)} is ${shown(setting, text)}: expected ${expectation(setting)}` }
}

const expectation = (setting: Setting): string => `${setting.shape.says}. Set ${places(setting)}.`
const nameOf = (setting: Setting): string => dashed(setting) ?? setting.env
const places = (setting: Setting): string =>
  `${dashed(setting) ? `the flag ${dashed(setting)} or ` : ''}the environment variable ${setting.env}`
const dashed = (setting: Setting): string | undefined => flagOf(setting) && `--${flagOf(setting)}`
const shown = ({ isSecret }: Setting, text: string): string =>
  isSecret ? (text === '' ? '(empty)' : '********') : JSON.stringify(withoutUser(text))

const givenFor = (setting: Setting, line: Flags, environment: Environment): Given => {
  const flag = line[flagOf(setting) ?? '']
  if (typeof flag === 'boolean') return { text: flag ? 'yes' : 'no', source: 'flag' }
  if (flag !== undefined) return { text: String(flag), source: 'flag' }
  const variable = environment[setting.env]
  if (variable !== undefined) return { text: variable, source: 'environment' }
  return { text: defaultOf(setting), source: 'default' }
}

type Flags = Readonly<Record<string, unknown>>

const commandLine = (table: SettingsTable, args: readonly string[]): { values: Flags } | { fault: string } => {
  try {
    const options = { ...optionsOf(table), help: { type: 'boolean' }, 'print-config': { type: 'boolean' } } as const
    return { values: parseArgs({ args: [...args], options, allowNegative: true }).values }
  } catch (error) {
    return { fault: `${errorText(error)}. --help lists all flags.` }
  }
}

const optionsOf = (table: SettingsTable): Record<string, { type: 'boolean' | 'string' }> =>
  Object.fromEntries(
    Object.values(table).flatMap(setting => {
      const flag = flagOf(setting)
      return flag ? [[flag, { type: setting.isSwitch ? 'boolean' : 'string' }] as const] : []
    }),
  )

const configText = (table: SettingsTable, given: (setting: Setting) => Given): string =>
  Object.entries(table)
    .map(([name, setting]) => {
      const { text, source } = given(setting)
      return `${name} = ${text === undefined ? '(not given)' : shown(setting, text)}  # ${source}: ${setting.env}`
    })
    .join('\n')

const helpText = (table: SettingsTable, program: string): string =>
  [
    `${program} [flags]`,
    '',
    ...Object.values(table).flatMap(setting => [
      `  ${[dashed(setting)?.replace(/^--/, setting.isSwitch ? '--[no-]' : '--'), setting.env].filter(Boolean).join(', ')}`,
      `      ${setting.sentence}. Values: ${setting.shape.says}${defaultText(setting)}`,
    ]),
    '  --print-config',
    '      Prints every setting with its value and where it comes from, secrets masked, and exits',
    '  --help',
    '      Prints this and exits',
  ].join('\n')

const defaultText = (setting: Setting): string => {
  const usual = defaultOf(setting)
  if (usual === undefined) return '; must be given'
  return usual === '' ? '' : `; default ${JSON.stringify(usual)}`
}

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
