// The counterpart of an argument of a Go operator: a setting of host or relay, or the reason why Espalier has no such setting. Each operator has
// a table in this folder. `espalier check --arguments-of` and the tables of the guides use these tables.
import type { Setting } from '../../../core/settings/setting.ts'
import { durationSeconds } from '../../../core/time/duration.ts'
import { hostSettings } from '../../../http/settings/host-settings.ts'
import { relaySettings } from '../../../http/settings/relay-settings.ts'

export type Counterpart = {
  /** The name without `--`. In a configuration file, the path of the field. */
  readonly argument: string
  /** The argument is a Go flag that takes no value from the next word. */
  readonly isSwitch?: true
} & (SettingRow | { readonly none: string })

export type SettingRow = {
  /** Of the host, or of a function. Absent: only the relay has the setting. */
  readonly setting?: Setting
  readonly relaySetting?: Setting
  /** Absent: the value does not change. */
  readonly value?: Translate
  /** The row counts only if this returns true for the value. */
  readonly when?: (text: string) => boolean
  readonly differs?: string
}

/** undefined: the value cannot be computed, and `differs` says what to set. */
type Translate = (text: string, given: GoArguments) => string | undefined

/** All given arguments by name. */
export type GoArguments = ReadonlyMap<string, string>

export const byHand: Translate = () => undefined

/** Keeps a text that is not a duration, so that the setting refuses it. */
export const inSeconds =
  (most = Number.POSITIVE_INFINITY): Translate =>
  text => {
    const seconds = durationSeconds(text)
    return seconds === undefined ? text : String(Math.min(seconds, most))
  }

/** Rows without a counterpart, for the same reason. */
export const none = (reason: string, ...names: readonly string[]): readonly Counterpart[] =>
  names.map(argument => ({ argument, none: reason }))

/** A duration that becomes a number of seconds. */
export const asSeconds = (argument: string, setting: Setting, differs = 'seconds without a unit'): Counterpart => ({
  argument,
  setting,
  differs,
  value: inSeconds(),
})

/** A log level of host and relay. */
export const level = (argument: string, value: Translate, differs: string): Counterpart => ({
  argument,
  value,
  differs,
  setting: hostSettings.logLevel,
  relaySetting: relaySettings.logLevel,
})

/** For a flag that Espalier's Deployment and Service set themselves. */
export const listens = (flag: string): string => `\`--${flag}\` is set by Deployment and Service of Espalier`

export const clientBudget =
  'the relay bounds calls by `concurrency` in serverless.yml; a FlowSchema (`flowSchema.enabled` of the chart) gives them a priority'

export const sharedWork = 'relays always share the work; functions need no leader'
export const logLines = 'the log always has one JSON object a line'
export const profiler = "Node's own profiler is started with `node --inspect`"

/** Rows that all Go operators need, because they use the same libraries. */
export const commonArguments: readonly Counterpart[] = [
  ...none(listens('probes-listen'), 'metrics-bind-address', 'health-probe-bind-address'),
  { argument: 'leader-elect', isSwitch: true, none: sharedWork },
  ...none('`failureBaseSeconds` of each function in serverless.yml', 'failure-base-delay'),
  ...none('`failureMaxSeconds` of each function in serverless.yml', 'failure-max-delay'),
  ...none('the relay bounds calls by `concurrency` in serverless.yml', 'rate-limiter-burst', 'rate-limiter-frequency'),
]
