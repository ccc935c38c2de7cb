// Translates the arguments of a Go operator into settings of host and relay, and shows the result. Pure.
import { flagOf, type Setting } from '../../../core/settings/setting.ts'
import { yamlOf } from '../../../core/yaml/write.ts'
import { columns, wrapped } from '../../start/terminal.ts'
import type { GoOperator } from '../check-findings.ts'
import { isTelling, redacted, withoutSecrets } from '../redaction.ts'
import type { Counterpart, GoArguments, SettingRow } from './counterpart.ts'
import { gardenerOperator } from './gardener-operator.ts'
import { istioModule, lifecycleManager } from './kyma-operators.ts'

/** The Go operators whose arguments are known. */
export const argumentTables: Readonly<Record<GoOperator, readonly Counterpart[]>> = {
  'lifecycle-manager': lifecycleManager,
  'gardener-operator': gardenerOperator,
  'the Kyma Istio module': istioModule,
}

type Translated = { readonly argument: string; readonly value: string } & Becomes

type Program = 'host' | 'relay'

/** The operator that knows most of the arguments. If several operators know the same number, the first counts. */
export const operatorOf = (given: GoArguments): GoOperator => {
  const known = (name: GoOperator): number =>
    new Set(argumentTables[name].flatMap(({ argument }) => (given.has(argument) ? [argument] : []))).size
  const names = Object.keys(argumentTables) as GoOperator[]
  return names.reduce((best, name) => (known(name) > known(best) ? name : best))
}

export const translated = (given: GoArguments, operator: GoOperator): Translated[] =>
  [...given].flatMap(([argument, value]) => {
    const rows = argumentTables[operator].filter(row => row.argument === argument)
    const becomes = rows.flatMap(row => becomesBy(row, { value, given }))
    const unknown: Becomes = { is: 'unknown', says: `${operator} has no such argument` }
    return (rows.length > 0 ? becomes : [unknown]).map(one => ({
      argument,
      value: shownValue(argument, value, one),
      ...one,
    }))
  })

/** Values for the chart are shown completely. In all other values, possible secrets are hidden. The path of a file is not a secret. */
const shownValue = (argument: string, value: string, { is }: Becomes): string => {
  if (is === 'set') return value
  return isTelling.test(argument) && !value.startsWith('/') ? redacted : withoutSecrets(value)
}

type Becomes =
  | { readonly is: 'set'; readonly program: Program; readonly flag: string; readonly to: string }
  | { readonly is: 'by hand'; readonly program: Program; readonly flag: string; readonly says: string }
  | { readonly is: 'none' | 'unknown'; readonly says: string }

const becomesBy = (row: Counterpart, { value, given }: { value: string; given: GoArguments }): Becomes[] => {
  if ('none' in row) return [{ is: 'none', says: row.none }]
  if (row.when && !row.when(value)) return []
  return counterparts(row).map(place => settingFor(row, { ...place, value, given }))
}

type Place = { readonly program: Program; readonly setting: Setting }

/** The settings of a row, first the host's settings. */
export const counterparts = ({ setting, relaySetting }: SettingRow): Place[] => [
  ...(setting ? [{ program: 'host', setting } as const] : []),
  ...(relaySetting ? [{ program: 'relay', setting: relaySetting } as const] : []),
]

const settingFor = (
  { value: translate, differs = '' }: SettingRow,
  { program, setting, value, given }: Place & { value: string; given: GoArguments },
): Becomes => {
  const flag = `--${flagOf(setting)}`
  const byHand = (says: string): Becomes => ({ is: 'by hand', program, flag, says })
  const to = translate ? translate(value, given) : value
  if (to === undefined) return byHand(differs)
  if (to.includes('$(')) return byHand('a variable of the container has the value')
  if (!setting.shape.read(to))
    return byHand(`${JSON.stringify(withoutSecrets(to))} does not fit: expected ${setting.shape.says}`)
  return { is: 'set', program, flag, to }
}

/** The arguments for Espalier's programs, without duplicates. */
const argumentsFor = (program: Program, all: readonly Translated[]): string[] => [
  ...new Set(all.flatMap(one => (one.is === 'set' && one.program === program ? [`${one.flag}=${one.to}`] : []))),
]

export const translationText = (operator: string, all: readonly Translated[]): string => {
  const lines = all.map(one => wrapped(`${shown(one)}: ${becomes(one)}`, 4, columns))
  const programs = (['host', 'relay'] as const).flatMap(program => {
    const extraArgs = argumentsFor(program, all)
    return extraArgs.length > 0 ? [[program, { extraArgs }] as const] : []
  })
  return [
    `Arguments of ${operator}:`,
    ...(lines.length > 0 ? lines : ['none']),
    ...(programs.length > 0 ? ['', 'Values for the chart:', yamlOf(Object.fromEntries(programs)).trimEnd()] : []),
  ].join('\n')
}

/** In one line, because texts come from the cluster. */
const shown = ({ argument, value }: Translated): string => `${inLine(argument)}=${inLine(value)}`

const inLine = (text: string): string => {
  const isLong = text.length > longest
  return isLong || /\s/.test(text) ? `${JSON.stringify(text.slice(0, longest))}${isLong ? '…' : ''}` : text
}

const longest = 60

const becomes = (one: Translated): string => {
  if (one.is === 'set') return `${one.flag}=${inLine(one.to)} of the ${one.program}`
  if (one.is === 'by hand') return `${one.flag} of the ${one.program}, by hand: ${one.says}`
  return one.is === 'none' ? `none, ${one.says}` : one.says
}
