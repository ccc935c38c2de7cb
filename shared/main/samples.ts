// The objects that `npm start` applies, and by which signs it shows that the functions did their work on them.
import { join } from 'node:path'
import type { ComponentStatus } from '../api/component.ts'
import { gardenNamespace } from '../api/garden.ts'
import { itemsOf } from '../component/inventory/stored-inventory.ts'
import { hasFinalizer, type KubeObject } from '../core/object.ts'
import { manifestsFolder, objectsIn } from './manifest-files.ts'

const folder = join(manifestsFolder, 'samples')

export const samples = (): KubeObject[] =>
  ['start.yaml', 'components.yaml'].flatMap(file => objectsIn(join(folder, file)))

/** What shows a second cluster at work, which this kubeconfig leads to. */
export const runtimeSamples = (kubeconfig: string): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'runtime-access', namespace: 'shop' },
    stringData: { kubeconfig },
  },
  ...objectsIn(join(folder, 'runtime.yaml')),
]

/** Where the charts lie that samples name by a folder. */
export const sampleCharts = join(folder, 'charts')

/** What a person wants to know of a sample; `isDone` once nothing more is to come. */
export type SampleState = { readonly isDone: boolean; readonly text: string; readonly details?: readonly string[] }

type Condition = { type: string; status: string; message?: string }

const protection = 'gardener.cloud/reference-protection'

const waiting: SampleState = { isDone: false, text: 'waiting' }

const there = (): SampleState => ({ isDone: true, text: 'there' })

const protectedState = (object: KubeObject): SampleState =>
  hasFinalizer(object, protection) ? { isDone: true, text: 'protected from deletion' } : waiting

const inGarden = (object: KubeObject): SampleState =>
  object.metadata.namespace === gardenNamespace ? protectedState(object) : there()

/** Nothing brings the Garden up yet, so care finds much amiss: that is what it is for. */
const gardenState = (object: KubeObject): SampleState => {
  const { conditions = [] } = (object.status ?? {}) as { conditions?: Condition[] }
  const isProtected = hasFinalizer(object, protection)
  return {
    isDone: isProtected && conditions.length > 0,
    text: isProtected ? 'its references are protected, it is cared for' : 'waiting',
    details: conditions.map(({ type, status, message }) => `${type} ${status}: ${message}`),
  }
}

/** A line a wave. */
const waves = ({ inventory }: ComponentStatus): string[] =>
  [...Map.groupBy(itemsOf(inventory), ({ applyOrder }) => applyOrder)]
    .sort(([a], [b]) => a - b)
    .map(([order, items]) => `wave ${order}: ${items.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`)

const componentState = (object: KubeObject): SampleState => {
  const status = (object.status ?? {}) as ComponentStatus
  const message = status.conditions?.find(({ type }) => type === 'Ready')?.message ?? 'not seen yet'
  return {
    isDone: status.state === 'Ready',
    text: `${status.state ?? 'waiting'}, ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    details: waves(status),
  }
}

const states: Readonly<Record<string, (object: KubeObject) => SampleState>> = {
  Garden: gardenState,
  Secret: inGarden,
  ConfigMap: inGarden,
  Namespace: there,
  Component: componentState,
}

export const sampleStateOf = (object: KubeObject | undefined): SampleState =>
  (object && states[object.kind]?.(object)) ?? waiting
