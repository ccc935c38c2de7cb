// Shows the translated arguments: first the result for each argument, then values for the chart.
import { yamlOf } from '../../../core/yaml/write.ts'
import { columns, wrapped } from '../../start/terminal.ts'
import { argumentsFor, type Translated } from './translation.ts'

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
