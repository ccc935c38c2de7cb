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

/** Without `env`, `logLevel` gets ESPALIER_LOG_LEVEL. */
export type DeclaredSetting = Omit<Setting, 'env'> & { readonly env?: string }

export const settingsTable = <const Table extends Readonly<Record<string, DeclaredSetting>>>(table: Table) =>
  Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, { env: variableOf(name), ...setting }])) as {
    readonly [Name in keyof Table]: Table[Name] & { readonly env: string }
  }

const variableOf = (name: string): string => `ESPALIER_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`

/** undefined for secrets, because all users of a machine can read command lines. */
export const flagOf = ({ env, flag, isSecret }: Setting): string | undefined =>
  isSecret
    ? undefined
    : (flag ??
      env
        .replace(/^ESPALIER_/, '')
        .toLowerCase()
        .replaceAll('_', '-'))

/** undefined when the setting is required. */
export const defaultOf = ({ shape, ...setting }: Setting): string | undefined =>
  setting.default ?? (shape.read('') && '')

export type SettingsTable = Readonly<Record<string, Setting>>

/** The values of a table. The shape of a setting decides the type of its value. */
export type SettingsOf<Table extends Readonly<Record<string, Pick<Setting, 'shape'>>>> = {
  readonly [Name in keyof Table]: Table[Name]['shape'] extends Shape<infer T> ? T : never
}

/**
 * A setting that a user's function declares beside its definition. The flag `--backup-check-late-hours` and the variable
 * ESPALIER_BACKUP_CHECK_LATE_HOURS set `lateHours` of the function `backup-check`.
 *
 *   const settings = {
 *     lateHours: { sentence: 'After how many hours a backup is late', shape: shapes.whole('hours', 1, 168), default: '1' },
 *   }
 */
export type FunctionSetting = Pick<Setting, 'sentence' | 'shape' | 'default' | 'isSecret'>

/** Values by the name of the setting. `SettingsOf<typeof settings>` is the exact type for the table `settings`. */
export type SettingValues = Readonly<Record<string, unknown>>

/** The name of a function's setting in the host's table: `lateHours` of `backup-check` is `backupCheckLateHours`. */
export const settingName = (functionName: string, name: string): string =>
  functionName.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) +
  name.replace(/^./, letter => letter.toUpperCase())

/** The environment variable of a function's setting. */
export const settingVariable = (functionName: string, name: string): string =>
  variableOf(settingName(functionName, name))
