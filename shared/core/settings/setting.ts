// What a setting is: what may be set, under which names, and what counts when nothing is set. shared/http/settings/config.ts reads values.
import type { Shape } from './shapes.ts'

export type Setting<T = unknown> = {
  readonly sentence: string
  readonly env: string
  /** When absent, the flag is made of `env`: ESPALIER_LOG_LEVEL is set by --log-level. */
  readonly flag?: string
  /** The flag takes no value and means `yes`. */
  readonly isSwitch?: true
  readonly shape: Shape<T>
  /** Spelled as in the environment. When absent, an empty text; if the shape refuses an empty text, the setting is required. */
  readonly default?: string
  readonly isSecret?: true
}

/** A setting as a table declares it. `env` absent: `logLevel` is set by ESPALIER_LOG_LEVEL. */
export type DeclaredSetting = Omit<Setting, 'env'> & { readonly env?: string }

export const settingsTable = <const Table extends Readonly<Record<string, DeclaredSetting>>>(table: Table) =>
  Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, { env: variableOf(name), ...setting }])) as {
    readonly [Name in keyof Table]: Table[Name] & { readonly env: string }
  }

const variableOf = (name: string): string => `ESPALIER_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`

/** undefined for secrets, because every user of the machine can read command lines. */
export const flagOf = ({ env, flag, isSecret }: Setting): string | undefined =>
  isSecret
    ? undefined
    : (flag ??
      env
        .replace(/^ESPALIER_/, '')
        .toLowerCase()
        .replaceAll('_', '-'))

/** undefined: the setting is required. */
export const defaultOf = ({ shape, ...setting }: Setting): string | undefined =>
  setting.default ?? (shape.read('') && '')

export type SettingsTable = Readonly<Record<string, Setting>>

/** The values of a table: the type of each is what its shape reads. */
export type SettingsOf<Table extends Readonly<Record<string, Pick<Setting, 'shape'>>>> = {
  readonly [Name in keyof Table]: Table[Name]['shape'] extends Shape<infer T> ? T : never
}

/**
 * A setting that a function of one's own declares beside its definition. `lateHours` of the function `backup-check` is set by
 * `--backup-check-late-hours` and ESPALIER_BACKUP_CHECK_LATE_HOURS.
 *
 *   const settings = {
 *     lateHours: { sentence: 'After how many hours a backup is late', shape: shapes.whole('hours', 1, 168), default: '1' },
 *   }
 */
export type FunctionSetting = Pick<Setting, 'sentence' | 'shape' | 'default' | 'isSecret'>

/** By the name of the setting. `SettingsOf<typeof settings>` is the type of those that a table declares. */
export type SettingValues = Readonly<Record<string, unknown>>

/** The setting of a function, as rows of the table of the host call it: `lateHours` of `backup-check` is `backupCheckLateHours`. */
export const settingName = (functionName: string, name: string): string =>
  functionName.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) +
  name.replace(/^./, letter => letter.toUpperCase())

/** The variable of the environment for the setting of a function. */
export const settingVariable = (functionName: string, name: string): string =>
  variableOf(settingName(functionName, name))
