// Settings that users' functions declare beside their definitions. They become rows of the host's table, with defaults from serverless.yml.
// `--help`, `--print-config`, the page of settings and all checks use these rows.
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

/** Throws a LandscapeRefused when serverless.yml sets what no function declares, or two settings have the same variable. */
export const ownSettingsTable = (declaring: Declaring, { functions }: Landscape): SettingsTable => {
  const given = (name: string) => functions[name]?.settings ?? {}
  const refusals = [...declaring.flatMap(one => refusalsOf(one, given(one.name))), ...sameVariables(declaring)]
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
]

/** Settings that cannot be told apart: `aB` of the function `log` and `b` of the function `log-a` both have ESPALIER_LOG_A_B. */
const sameVariables = (declaring: Declaring): LandscapeRefusal[] => {
  const owners = new Map(
    Object.entries(hostSettings).flatMap(([name, { env }]) => [name, env].map(id => [id, 'the host'])),
  )
  return declaring.flatMap(({ name, settings = {} }) =>
    Object.keys(settings).flatMap(setting => {
      const variable = settingVariable(name, setting)
      const owner = owners.get(variable) ?? owners.get(settingName(name, setting))
      owners.set(variable, `functions/${name}/index.ts`)
      if (owner === undefined) return []
      const path = `the setting ${setting} of functions/${name}/index.ts`
      return [{ path, found: `the variable ${variable} of ${owner}`, allowed: 'another name' }]
    }),
  )
}

type Named = { readonly name: string; readonly setting: string; readonly names: readonly string[] }

/** The allowed values; undefined if the value is allowed. */
const allowedFor = (declared: FunctionSetting | undefined, value: unknown, { name, setting, names }: Named) => {
  if (declared === undefined)
    return names.length > 0
      ? `settings that ${name} declares: ${names.join(', ')}`
      : `nothing: ${name} declares no settings`
  if (declared.isSecret) return `nothing: it is secret, so the variable ${settingVariable(name, setting)} gives it`
  return declared.shape.read(String(value)) ? undefined : declared.shape.says
}

/** Picks the values of each function from the values of the table. */
export const settingsByFunction =
  (declaring: Declaring, values: Readonly<Record<string, unknown>>) =>
  (name: string): SettingValues => {
    const { settings = {} } = declaring.find(one => one.name === name) ?? {}
    return Object.fromEntries(Object.keys(settings).map(setting => [setting, values[settingName(name, setting)]]))
  }

/** Reads only variables, for programs without flags for settings, such as `espalier start`. Throws when a value is invalid. */
export const ownSettingsHere = (declaring: Declaring, landscape: Landscape): ((name: string) => SettingValues) => {
  const reading = environmentSettings(ownSettingsTable(declaring, landscape), 'start')
  if (reading.is === 'faults') throw new Error(reading.faults.join('\n'))
  return settingsByFunction(declaring, reading.is === 'settings' ? reading.settings : {})
}
