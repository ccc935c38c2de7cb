// Settings that functions declare in their definitions. They become rows of the host's table, with defaults from serverless.yml. `--help`,
// `--print-config`, the pages of settings and all checks use these rows.
import { functionSettings } from '../../functions/index.ts'
import type { Landscape } from '../api/serverless.ts'
import {
  type Declaring,
  type FunctionSetting,
  type Setting,
  type SettingsTable,
  type SettingValues,
  settingVariable,
  tableName,
} from '../core/settings/setting.ts'
import { type LandscapeRefusal, LandscapeRefused } from '../deploy/landscape/refusal.ts'
import { environmentSettings } from '../http/settings/config.ts'
import { hostSettings } from '../http/settings/host-settings.ts'
import type { ProcessContext } from '../runtime/context.ts'
import type { FunctionDefinition } from '../runtime/definition.ts'

/** The settings that the functions of the program declare. */
export const ownDeclarations: readonly Declaring[] = Object.entries(functionSettings).map(([name, settings]) => ({
  name,
  ...(settings && { settings }),
}))

/** A setting of one function. `stated`: its value in serverless.yml. */
type Row = {
  readonly by: string
  readonly name: string
  readonly declared: FunctionSetting
  readonly setting: Setting
  readonly stated: unknown
}

const rowsOf = (declaring: readonly Declaring[], { functions }: Pick<Landscape, 'functions'>): Row[] =>
  declaring.flatMap(({ name: by, settings = {} }) =>
    Object.entries(settings).flatMap(([name, declared]) =>
      declared
        ? [{ by, name, declared, setting: settingOf(by, name, declared), stated: functions[by]?.settings?.[name] }]
        : [],
    ),
  )

const settingOf = (by: string, name: string, declared: FunctionSetting): Setting => ({
  env: settingVariable(by, name),
  ...declared,
})

/** Throws LandscapeRefused if serverless.yml sets an undeclared setting, or if two different settings have the same variable. */
const checkedRows = (declaring: readonly Declaring[], landscape: Pick<Landscape, 'functions'>): readonly Row[] => {
  const rows = rowsOf(declaring, landscape)
  const refusals = [...declaring.flatMap(one => refusedValues(one, landscape)), ...clashes(rows)]
  if (refusals.length > 0) throw new LandscapeRefused('serverless.yml', refusals)
  return rows
}

/** A setting that several functions declare is one row. Throws like checkedRows. */
export const functionSettingsTable = (
  declaring: readonly Declaring[],
  landscape: Pick<Landscape, 'functions'>,
): SettingsTable => {
  const rows = checkedRows(declaring, landscape)
  const stated = statedTexts(rows)
  return Object.fromEntries(
    rows.map(({ setting }) => {
      const text = stated.get(setting.env)
      return [tableName(setting), { ...setting, ...(text !== undefined && { default: text }) }]
    }),
  )
}

/** The values in serverless.yml, by variable. */
const statedTexts = (rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(rows.flatMap(({ setting, stated }) => (stated === undefined ? [] : [[setting.env, String(stated)]])))

/** Adds to each function the environment variables for its settings in serverless.yml. Throws like checkedRows. */
export const withVariables = (landscape: Landscape, declaring: readonly Declaring[]): Landscape => {
  const rows = checkedRows(declaring, landscape)
  const stated = statedTexts(rows)
  const environmentOf = (name: string): Readonly<Record<string, string>> =>
    Object.fromEntries(
      rows.flatMap(({ by, setting: { env } }) =>
        by === name && stated.has(env) ? [[env, inPod(stated.get(env) ?? '')]] : [],
      ),
    )
  const functions = Object.entries(landscape.functions).map(([name, settings]) => [
    name,
    { ...settings, environment: environmentOf(name) },
  ])
  return { ...landscape, functions: Object.fromEntries(functions) }
}

/** Escapes `$`, because kubelet replaces `$(NAME)` by a variable, and `$$` by `$`. */
const inPod = (text: string): string => text.replaceAll('$', () => '$$')

const refusedValues = (
  { name, settings = {} }: Declaring,
  { functions }: Pick<Landscape, 'functions'>,
): LandscapeRefusal[] =>
  Object.entries(functions[name]?.settings ?? {}).flatMap(([setting, value]) => {
    const allowed = allowedFor(settings[setting], value, { name, setting, names: Object.keys(settings) })
    const found = settings[setting]?.isSecret ? 'a value' : JSON.stringify(value)
    return allowed === undefined ? [] : [{ path: `functions.${name}.settings.${setting}`, found, allowed }]
  })

/** Different settings with the same variable: `aB` of function `log` and `b` of function `log-a` are both ESPALIER_LOG_A_B. */
const clashes = (rows: readonly Row[]): LandscapeRefusal[] => {
  const owners = new Map<string, string | Row>(
    Object.entries(hostSettings).flatMap(([name, setting]) =>
      [name, tableName(setting), setting.env].map(id => [id, 'the host']),
    ),
  )
  return rows.flatMap(row => {
    const { by, name, declared, setting, stated } = row
    const owner = owners.get(setting.env) ?? owners.get(tableName(setting))
    for (const id of [setting.env, tableName(setting)]) owners.set(id, row)
    if (owner === undefined) return []
    if (typeof owner === 'string' || !isSame(owner.declared, declared)) {
      const place = typeof owner === 'string' ? owner : `functions/${owner.by}/index.ts`
      const path = `the setting ${name} of functions/${by}/index.ts`
      return [{ path, found: `the variable ${setting.env} of ${place}`, allowed: 'another name' }]
    }
    if (stated === undefined || owner.stated === undefined || String(stated) === String(owner.stated)) return []
    const allowed = `${JSON.stringify(owner.stated)}, the value in functions.${owner.by}.settings.${owner.name}, because it is the same setting`
    return [{ path: `functions.${by}.settings.${name}`, found: JSON.stringify(stated), allowed }]
  })
}

/** Whether both settings have the same name and meaning. Functions in shapes are not compared. */
const isSame = (one: FunctionSetting, other: FunctionSetting): boolean =>
  one.env !== undefined && JSON.stringify(one) === JSON.stringify(other)

type Named = { readonly name: string; readonly setting: string; readonly names: readonly string[] }

/** The allowed values. undefined: the value is allowed. */
const allowedFor = (declared: FunctionSetting | undefined, value: unknown, { name, setting, names }: Named) => {
  if (declared === undefined)
    return names.length > 0
      ? `settings that ${name} declares: ${names.join(', ')}`
      : `nothing: ${name} declares no settings`
  if (declared.isSecret)
    return `nothing: the setting is secret, so set the variable ${settingOf(name, setting, declared).env} instead`
  return declared.shape.read(String(value)) ? undefined : declared.shape.says
}

/** The settings for calls: the values of each function from the table, completed by the function's `configure`. */
export const settingsByFunction = async (
  functions: readonly FunctionDefinition[],
  values: SettingValues,
): Promise<ProcessContext['settingsOf']> => {
  const all = functions.map(async (definition): Promise<[name: string, values: SettingValues]> => {
    const rows = rowsOf([definition], { functions: {} })
    const own = Object.fromEntries(rows.map(({ name, setting }) => [name, values[tableName(setting)]]))
    return [definition.name, { ...own, ...(await definition.configure?.(own)) }]
  })
  const byName = new Map(await Promise.all(all))
  return ({ name }) => byName.get(name) ?? {}
}

/** Reads only variables, for programs without flags for settings, such as `espalier start`. Rejects when a value is invalid. */
export const functionSettingsHere = (
  functions: readonly FunctionDefinition[],
  landscape: Landscape,
): Promise<ProcessContext['settingsOf']> => {
  const reading = environmentSettings(functionSettingsTable(functions, landscape), 'start')
  if (reading.is === 'faults') throw new Error(reading.faults.join('\n'))
  return settingsByFunction(functions, reading.is === 'settings' ? reading.settings : {})
}
