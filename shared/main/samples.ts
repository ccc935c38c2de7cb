// The samples that `npm start` applies, and what it shows about each of them.
import { join } from 'node:path'
import type { ComponentStatus } from '../api/component.ts'
import { gardenNamespace } from '../api/garden.ts'
import { kymaNames } from '../api/kyma/names.ts'
import type { KymaFields } from '../api/kyma.ts'
import { itemsOf } from '../component/inventory/stored-inventory.ts'
import { hasFinalizer, type KubeObject } from '../core/object.ts'
import { manifestsFolder, objectsIn } from './manifest-files.ts'

const folder = join(manifestsFolder, 'samples')

export const samples = (): KubeObject[] =>
  ['start.yaml', 'components.yaml'].flatMap(file => objectsIn(join(folder, file)))

/** Samples for the runtime cluster that this kubeconfig leads to. */
export const runtimeSamples = (kubeconfig: string): KubeObject[] => [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'runtime-access', namespace: 'shop' },
    stringData: { kubeconfig },
  },
  ...objectsIn(join(folder, 'runtime.yaml')),
  ...objectsIn(join(folder, 'kyma-runtime.yaml')),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'outpost-access',
      namespace: kymaNames.namespaces.controlPlane,
      labels: {
        [kymaNames.labels.kymaName]: 'outpost',
        [kymaNames.labels.managedBy]: kymaNames.managedBy.controlPlane,
      },
    },
    stringData: { config: kubeconfig },
  },
]

/** The folder with the charts of the samples. */
export const sampleCharts = join(folder, 'charts')

/** What is shown about a sample; `isDone` when nothing more will change. */
type SampleState = { readonly isDone: boolean; readonly text: string; readonly details?: readonly string[] }

type Condition = { type: string; status: string; message?: string }

const protection = 'gardener.cloud/reference-protection'

const waiting: SampleState = { isDone: false, text: 'waiting' }

const there = (): SampleState => ({ isDone: true, text: 'there' })

const protectedState = (object: KubeObject): SampleState =>
  hasFinalizer(object, protection) ? { isDone: true, text: 'protected from deletion' } : waiting

const inGarden = (object: KubeObject): SampleState =>
  object.metadata.namespace === gardenNamespace ? protectedState(object) : there()

/** No function brings the Garden up yet, so garden-care rightly reports that much is missing. */
const gardenState = (object: KubeObject): SampleState => {
  const { conditions = [] } = (object.status ?? {}) as { conditions?: Condition[] }
  const isProtected = hasFinalizer(object, protection)
  return {
    isDone: isProtected && conditions.length > 0,
    text: isProtected ? 'its references are protected, it is cared for' : 'waiting',
    details: conditions.map(({ type, status, message }) => `${type} ${status}: ${message}`),
  }
}

/** One line per wave. */
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

const kymaState = (object: KubeObject): SampleState => {
  const { state, lastOperation, conditions = [] } = (object.status ?? {}) as NonNullable<KymaFields['status']>
  return {
    isDone: state === 'Ready',
    text: state ? `${state}, ${lastOperation?.operation}` : 'waiting',
    details: conditions.map(({ type, status, message }) => `${type} ${status}: ${message}`),
  }
}

const states: Readonly<Record<string, (object: KubeObject) => SampleState>> = {
  Garden: gardenState,
  Secret: inGarden,
  ConfigMap: inGarden,
  Namespace: there,
  Component: componentState,
  Kyma: kymaState,
  ModuleReleaseMeta: there,
  ModuleTemplate: there,
}

export const sampleStateOf = (object: KubeObject | undefined): SampleState =>
  (object && states[object.kind]?.(object)) ?? waiting
