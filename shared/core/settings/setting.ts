// A setting: its name, variable, flag, shape and default. shared/http/settings/config.ts reads the values.
import type { Shape } from './shapes.ts'

export type Setting<T = unknown> = {
  readonly sentence: string
  readonly env: string
  /** Default: derived from `env`. ESPALIER_LOG_LEVEL becomes --log-level. */
  readonly flag?: string
  /** The flag has no value and means `yes`. */
  readonly isSwitch?: true
  readonly shape: Shape<T>
  /**
   * Default in the spelling of the environment. Without it, the default is an empty text, if the shape allows it; otherwise the setting is
   * required.
   */
  readonly default?: string
  readonly isSecret?: true
}

/** A setting as a program or function declares it. Without `env`, the name decides: `logLevel` has ESPALIER_LOG_LEVEL. */
type Declared<T> = Omit<Setting<T>, 'env'> & { readonly env?: string }

/**
 * Gives each setting its variable. All variables begin with `prefix`, such as the name of a function:
 *
 *   const lateHours = { sentence: 'After how many hours a backup is late', shape: shapes.whole('hours', 1, 168) }
 *   settingsTable({ lateHours }, 'backup').lateHours.env // 'ESPALIER_BACKUP_LATE_HOURS'
 */
export const settingsTable = <const Table extends Readonly<Record<string, Declared<unknown>>>>(
  table: Table,
  prefix = '',
) =>
  Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [name, { env: settingVariable(prefix, name), ...setting }]),
  ) as {
    readonly [Name in keyof Table]: Table[Name] & { readonly env: string }
  }

/** The variable of `lateHours` of the function `backup-check`: ESPALIER_BACKUP_CHECK_LATE_HOURS. */
export const settingVariable = (prefix: string, name: string): string =>
  `ESPALIER_${[...(prefix === '' ? [] : [prefix]), name].join('-').replaceAll('-', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`

/** undefined for secrets, because all users of a machine can read command lines. */
export const flagOf = (setting: Setting): string | undefined => (setting.isSecret ? undefined : flagName(setting))

const flagName = ({ env, flag }: Setting): string =>
  flag ??
  env
    .replace(/^ESPALIER_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

/** The name in the host's table: `--backup-check-late-hours` is `backupCheckLateHours`. */
export const tableName = (setting: Setting): string =>
  flagName(setting).replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** undefined when the setting is required. */
export const defaultOf = ({ shape, ...setting }: Setting): string | undefined =>
  setting.default ?? (shape.read('') && '')

export type SettingsTable = Readonly<Record<string, Setting>>

/** The values for a table of settings. The shape of a setting decides the type of its value. */
export type SettingsOf<Table extends Readonly<Record<string, Pick<Setting, 'shape'>>>> = {
  readonly [Name in keyof Table]: Table[Name]['shape'] extends Shape<infer T> ? T : never
}

/**
 * A setting that a function declares in its definition. The flag `--backup-check-late-hours` and the variable
 * ESPALIER_BACKUP_CHECK_LATE_HOURS set `lateHours` of the function `backup-check`.
 *
 *   const settings = {
 *     lateHours: { sentence: 'After how many hours a backup is late', shape: shapes.whole('hours', 1, 168), default: '1' },
 *   }
 *
 * With a variable of its own, several functions may declare the same setting. `settingsTable` makes the variables.
 */
export type FunctionSetting<T = unknown> = Omit<Declared<T>, 'isSwitch'>

/** The fields of a function that its settings need. */
export type Declaring = {
  readonly name: string
  readonly settings?: Readonly<Record<string, FunctionSetting | undefined>>
}

/** The default values of settings. */
export const defaultValues = <Table extends NonNullable<Declaring['settings']>>(table: Table) =>
  Object.fromEntries(
    Object.entries(table).map(([name, setting]) => [name, setting?.shape.read(setting.default ?? '')?.value]),
  ) as { readonly [Name in keyof Table]: Table[Name] extends { readonly shape: Shape<infer T> } ? T : never }

/** Values by the name of the setting. `SettingsOf<typeof settings>` is the exact type for the table `settings`. */
export type SettingValues = Readonly<Record<string, unknown>>
