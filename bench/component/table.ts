// What the benchmarks of Components tell of a life: a line for each stage.
import { figures, type Row, ratio } from '../measure/report.ts'
import { type Life, type Measured, type Size, stages } from './life.ts'
import { verbs } from './stage.ts'

export const rowsOf = (one: Life): Row[] => stages.map(name => rowOf(one, name))

const rowOf = (one: Life, name: (typeof stages)[number]): Row => {
  const measured = one.stages[name]
  const all = one.components * one.dependents
  const bare = name === 'create' || name === 'update' ? one.bare[name] : undefined
  return {
    'components × dependents': sizeText(one),
    stage: name,
    seconds: measured.seconds,
    'dependents /s': all / measured.seconds,
    'to the bare loop': bare === undefined ? '–' : ratio(all / measured.seconds, bare),
    ...Object.fromEntries(verbs.map(verb => [verb, callsOf(measured, verb)])),
    'calls for each component': totalOf(measured) / one.components,
    'CPU s': measured.after.cpuSeconds - measured.before.cpuSeconds,
    'host MB': measured.after.hostMegabytes,
    'relay MB': measured.after.relayMegabytes,
  }
}

export const callsOf = ({ before, after }: Measured, verb: (typeof verbs)[number]): number =>
  after.calls[verb] - before.calls[verb]

export const totalOf = (measured: Measured): number => verbs.reduce((sum, verb) => sum + callsOf(measured, verb), 0)

export const sizeText = ({ components, dependents }: Size): string => `${figures(components)} × ${figures(dependents)}`
