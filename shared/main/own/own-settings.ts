// The settings that functions of one's own declare beside their definitions: rows of the host's table, whose defaults serverless.yml may
// change. `--help`, `--print-config`, the page of settings and all checks are made of these rows.
import type { Landscape } from '../../api/serverless.ts'
import {
  type FunctionSetting,
  type Setting,
  type SettingsTable,
  type SettingValues,
  settingName,
  settingVariable,
} from '../../core/settings/setting.ts'
import { type LandscapeRefusal, LandscapeRefused } from '../../deploy/landscape/refusal.ts'
import { environmentSettings } from '../../http/settings/config.ts'
import { hostSettings } from '../../http/settings/host-settings.ts'
import type { FunctionDefinition } from '../../runtime/definition.ts'

type Declaring = readonly Pick<FunctionDefinition, 'name' | 'settings'>[]

/** Throws a LandscapeRefused when serverless.yml says what no function declares, or two settings have one variable. */
export const ownSettingsTable = (declaring: Declaring, { functions }: Landscape): SettingsTable => {
  const given = (name: string) => functions[name]?.settings ?? {}
  const refusals = declaring.flatMap(one => refusalsOf(one, given(one.name)))
  if (refusals.length > 0) throw new LandscapeRefused('serverless.yml', refusals)
  return Object.fromEntries(
    declaring.flatMap(({ name, settings = {} }) =>
      Object.entries(settings).map(([setting, declared]) => {
        const value = given(name)[setting]
        return [settingName(name, setting), rowOf(declared, settingVariable(name, setting), value)]
      }),
    ),
  )
}

const rowOf = ({ sentence, shape, isSecret, ...declared }: FunctionSetting, env: string, value: unknown): Setting => ({
  sentence,
  shape,
  env,
  ...(isSecret && { isSecret }),
  ...(value === undefined ? declared : { default: String(value) }),
})

const refusalsOf = (
  { name, settings = {} }: Declaring[number],
  given: Readonly<Record<string, unknown>>,
): LandscapeRefusal[] => [
  ...Object.entries(given).flatMap(([setting, value]) => {
    const path = `functions.${name}.settings.${setting}`
    const allowed = allowedFor(settings[setting], value, { name, setting, names: Object.keys(settings) })
    return allowed === undefined
      ? []
      : [{ path, found: settings[setting]?.isSecret ? 'a value' : JSON.stringify(value), allowed }]
  }),
  ...Object.keys(settings).flatMap(setting => {
    const variable = settingVariable(name, setting)
    if (!hostVariables.has(variable)) return []
    const path = `the setting ${setting} of functions/${name}/index.ts`
    return [{ path, found: `the variable ${variable}, which is the host's`, allowed: 'another name' }]
  }),
]

const hostVariables: ReadonlySet<string> = new Set(Object.values(hostSettings).map(({ env }) => env))

type Named = { readonly name: string; readonly setting: string; readonly names: readonly string[] }

/** What serverless.yml may say instead; undefined: the value fits. */
const allowedFor = (declared: FunctionSetting | undefined, value: unknown, { name, setting, names }: Named) => {
  if (declared === undefined)
    return names.length > 0
      ? `settings that ${name} declares: ${names.join(', ')}`
      : `nothing: ${name} declares no settings`
  if (declared.isSecret) return `nothing: it is secret, so the variable ${settingVariable(name, setting)} gives it`
  return declared.shape.read(String(value)) ? undefined : declared.shape.says
}

/** The values for each function, from those of the table. */
export const settingsByFunction =
  (declaring: Declaring, values: Readonly<Record<string, unknown>>) =>
  (name: string): SettingValues => {
    const { settings = {} } = declaring.find(one => one.name === name) ?? {}
    return Object.fromEntries(Object.keys(settings).map(setting => [setting, values[settingName(name, setting)]]))
  }

/** The same where the command line has no flags for them, as that of `espalier start`. Throws with a sentence when a value does not fit. */
export const ownSettingsHere = (declaring: Declaring, landscape: Landscape): ((name: string) => SettingValues) => {
  const reading = environmentSettings(ownSettingsTable(declaring, landscape), 'start')
  if (reading.is === 'faults') throw new Error(reading.faults.join('\n'))
  return settingsByFunction(declaring, reading.is === 'settings' ? reading.settings : {})
}
