// The objects that `npm start` applies, and by which signs it shows that the functions did their work on them.
import { join } from 'node:path'
import type { ComponentStatus } from '../api/component.ts'
import { gardenNamespace } from '../api/garden.ts'
import { hasFinalizer, type KubeObject } from '../core/object.ts'
import { manifestsFolder, objectsIn } from './manifest-files.ts'

const folder = join(manifestsFolder, 'samples')

export const samples = (): KubeObject[] =>
  ['start.yaml', 'components.yaml'].flatMap(file => objectsIn(join(folder, file)))

/** Where the charts lie that samples name by a folder. */
export const sampleCharts = join(folder, 'charts')

/** What a person wants to know of a sample; `isDone` once nothing more is to come. */
export type State = { isDone: boolean; text: string }

const protection = 'gardener.cloud/reference-protection'

const waiting: State = { isDone: false, text: 'waiting' }

const there = (): State => ({ isDone: true, text: 'there' })

const protectedState = (object: KubeObject): State =>
  hasFinalizer(object, protection) ? { isDone: true, text: 'protected from deletion' } : waiting

/** By the order of their waves. */
const wavesText = ({ inventory = [] }: ComponentStatus): string =>
  [...Map.groupBy(inventory, ({ applyOrder = 0 }) => applyOrder)]
    .sort(([a], [b]) => a - b)
    .map(([, items]) => items.map(({ kind, name }) => `${kind} ${name}`).join(', '))
    .join(', then ')

const componentState = (object: KubeObject): State => {
  const status = (object.status ?? {}) as ComponentStatus
  return { isDone: status.state === 'Ready', text: `${status.state ?? 'waiting'}: ${wavesText(status)}` }
}

const states: Readonly<Record<string, (object: KubeObject) => State>> = {
  Garden: object =>
    hasFinalizer(object, protection) ? { isDone: true, text: 'its references are protected' } : waiting,
  Secret: protectedState,
  ConfigMap: object => (object.metadata.namespace === gardenNamespace ? protectedState(object) : there()),
  Namespace: there,
  Component: componentState,
}

export const stateOf = (object: KubeObject | undefined): State => (object && states[object.kind]?.(object)) ?? waiting
