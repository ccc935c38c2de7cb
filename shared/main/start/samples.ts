// The samples that `npm start` applies, and the shown state of each sample.
import { join } from 'node:path'
import type { ComponentStatus } from '../../api/component.ts'
import { gardenNamespace } from '../../api/garden.ts'
import type { IstioStatus } from '../../api/istio.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import { manifestKind } from '../../api/kyma.ts'
import { type Item, itemsOf } from '../../component/item.ts'
import { mapOrEmpty } from '../../core/json/json.ts'
import { conditionOf, conditionText, isTrue } from '../../core/objects/condition.ts'
import type { Garden } from '../../core/objects/garden.ts'
import { hasFinalizer, type KubeObject, type ObjectRef } from '../../core/objects/object.ts'
import { partsText } from '../../core/text/text.ts'
import type { Kyma, Manifest, ModuleReleaseMeta, Watcher } from '../../kyma/kinds.ts'
import { manifestName } from '../../kyma/manifests.ts'
import { manifestsFolder, objectsIn } from './install.ts'
import { wrapped } from './terminal.ts'

const folder = join(manifestsFolder, 'samples')

/** Each sample is handled by one or more functions. */
export const sampleNames = ['component', 'garden', 'istio', 'kyma'] as const

export type SampleName = (typeof sampleNames)[number]

const servedBy: Readonly<Record<SampleName, string>> = {
  component: 'component',
  garden: 'garden-reconcile',
  istio: 'istio',
  kyma: 'kyma',
}

export const samplesFor = (functions: readonly string[]): SampleName[] =>
  sampleNames.filter(name => functions.includes(servedBy[name]))

/** The access Secrets of the runtime, for a Component and for a Kyma. */
const accessSecrets = {
  component: (kubeconfig: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'runtime-access', namespace: 'shop' },
    stringData: { kubeconfig },
  }),
  kyma: (kubeconfig: string): KubeObject => ({
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
  }),
}

const files = (...names: readonly string[]): KubeObject[] => names.flatMap(name => objectsIn(join(folder, name)))

/** Samples for one cluster of the user. */
export const samples = (names: readonly SampleName[]): KubeObject[] => [
  ...(names.includes('garden') ? files('start.yaml') : []),
  ...(names.includes('component') ? files('components.yaml') : []),
]

/** Samples for an embedded control plane and an embedded runtime. `kubeconfig`: the access to the runtime. */
export const embeddedSamples = (names: readonly SampleName[], kubeconfig: string): KubeObject[] => [
  ...samples(names),
  ...(names.includes('istio') ? files('istio.yaml') : []),
  ...(names.includes('component') ? [accessSecrets.component(kubeconfig), ...files('runtime.yaml')] : []),
  ...(names.includes('kyma') ? [...files('kyma-runtime.yaml'), accessSecrets.kyma(kubeconfig)] : []),
]

/** Workloads with sidecars of the sample mesh. */
export const sidecarSamples = (names: readonly SampleName[]): KubeObject[] =>
  names.includes('istio') ? files('sidecars.yaml') : []

export const sampleCharts = join(folder, 'charts')

/** The folder with the layers of the modules that the sample Kyma lists. */
export const sampleModules = join(folder, 'modules')

export const sampleManifests = (names: readonly SampleName[]): ObjectRef[] => {
  const listed = names.includes('kyma') ? files('kyma-runtime.yaml') : []
  const metas = listed.filter(({ kind }) => kind === 'ModuleReleaseMeta') as ModuleReleaseMeta[]
  return metas.map(({ metadata: { name: module }, spec }) => ({
    ...manifestKind,
    namespace: kymaNames.namespaces.controlPlane,
    name: manifestName({ kyma: 'outpost', component: spec.ocmComponentName ?? '', module }),
  }))
}

/** The text about a sample. `isDone`: nothing more will change. `isShowable`: worth showing before it is done. */
export type SampleState = {
  readonly isDone: boolean
  readonly isShowable?: boolean
  readonly text: string
  readonly details?: readonly string[]
}

const protection = 'gardener.cloud/reference-protection'

export const waiting: SampleState = { isDone: false, text: 'waiting' }

const protectedState = (object: KubeObject): SampleState =>
  hasFinalizer(object, protection) ? { isDone: true, text: 'protected from deletion' } : waiting

const inGarden = (object: KubeObject): SampleState | undefined =>
  object.metadata.namespace === gardenNamespace ? protectedState(object) : undefined

/** The bring-up of a Garden takes some time, so `npm start` does not wait for its end. */
const gardenState = (object: KubeObject): SampleState => {
  const { conditions = [], lastOperation } = (object as Garden).status ?? {}
  const isProtected = hasFinalizer(object, protection)
  const cared = conditions.filter(({ type }) => type !== 'Reconciled')
  const { state, progress = 0, description = '' } = lastOperation ?? {}
  return {
    isDone: isProtected && cared.length > 0 && state === 'Succeeded',
    isShowable: isProtected && cared.length > 0,
    text:
      state === 'Succeeded'
        ? 'is up'
        : [`${progress} %`, ...unlessEmpty(partsText(description.split('; '), 2))].join(', '),
    details: [
      ...unlessEmpty(description),
      ...cared.map(({ type, status, message }) => `${type} ${status}: ${message}`),
    ],
  }
}

const unlessEmpty = (text: string): string[] => (text === '' ? [] : [text])

const waves = (items: readonly Item[]): string[] =>
  [...Map.groupBy(items, ({ applyOrder }) => applyOrder)]
    .sort(([a], [b]) => a - b)
    .map(([order, wave]) => `wave ${order}: ${wave.map(({ kind, name }) => `${kind} ${name}`).join(', ')}`)

const componentState = (object: KubeObject): SampleState => {
  const status = (object.status ?? {}) as ComponentStatus
  const message = status.conditions?.find(({ type }) => type === 'Ready')?.message ?? 'not seen yet'
  return {
    isDone: status.state === 'Ready',
    text: `${status.state ?? 'waiting'}, ${message.charAt(0).toLowerCase()}${message.slice(1)}`,
    details: waves(itemsOf(status.inventory)),
  }
}

const operationState = ({ status: { state, lastOperation } = {} }: Kyma | Manifest): SampleState => ({
  isDone: state === 'Ready',
  text: [state ?? 'waiting', ...(lastOperation ? [lastOperation.operation] : [])].join(', '),
})

const kymaState = (object: KubeObject): SampleState => {
  const { conditions = [], modules = [] } = (object as Kyma).status ?? {}
  return {
    ...operationState(object as Kyma),
    details: [
      ...conditions.map(({ type, status, message }) => `${type} ${status}: ${message}`),
      ...modules.map(({ name, version, channel, state }) => `module ${name} ${version} (${channel}): ${state}`),
    ],
  }
}

const watcherState = (object: KubeObject): SampleState => {
  const { state, conditions: [condition] = [] } = (object as Watcher).status ?? {}
  return { isDone: state === 'Ready', text: [state ?? 'waiting', ...(condition ? [condition.message] : [])].join(', ') }
}

/** The objects of the Manifest are the first wave. The default object of the module follows when they are ready. */
const manifestState = (object: KubeObject): SampleState => {
  const { spec, status: { synced = [] } = {} } = object as Manifest
  const objects = synced.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  const own = spec.resource as KubeObject | undefined
  return {
    ...operationState(object as Manifest),
    details: [...(objects ? [`wave 0: ${objects}`] : []), ...(own ? [`wave 1: ${own.kind} ${own.metadata.name}`] : [])],
  }
}

/** The states of objects of `kinds`, which the user's own functions handle. */
export const ownStateOf =
  (kinds: ReadonlySet<string>): StateOf =>
  object => {
    if (object === undefined) return waiting
    return kinds.has(object.kind) ? ownState(object) : undefined
  }

/** Without a condition Ready, an object is done when it has a status. */
const ownState = (object: KubeObject): SampleState => {
  const ready = conditionOf(object, 'Ready')
  const isDone = ready ? isTrue(ready) : object.status !== undefined
  const { state = isDone ? 'Ready' : 'waiting', inventory } = mapOrEmpty(object.status)
  const text = [String(state), conditionText(ready, '')].filter(part => part !== '').join(', ')
  return { isDone, text, details: waves(itemsOf(inventory)) }
}

/** Shows the workloads of the mesh, because their state says most about the mesh. */
const istioState = ({ status }: KubeObject): SampleState => {
  const { state, description, conditions = [], installation, inventory } = (status ?? {}) as Partial<IstioStatus>
  const message = conditions.find(({ type }) => type === 'Ready')?.message
  const progress = /\d+ of \d+ objects ready$/.exec(message ?? '')?.[0]
  return {
    isDone: state === 'Ready',
    text: [state ?? 'waiting', description, progress].filter(text => text !== undefined).join(', '),
    details: [
      ...(installation?.version === undefined ? [] : [`Istio ${installation.version}, charts: ${installation.charts}`]),
      ...waves(itemsOf(inventory).filter(isWorkload)),
    ],
  }
}

const isWorkload = ({ kind }: Item): boolean => kind === 'Deployment' || kind === 'DaemonSet'

const states: Readonly<Record<string, (object: KubeObject) => SampleState | undefined>> = {
  Garden: gardenState,
  Secret: inGarden,
  ConfigMap: inGarden,
  Component: componentState,
  Kyma: kymaState,
  Manifest: manifestState,
  Watcher: watcherState,
  Istio: istioState,
}

/** undefined: objects of this kind have no state. */
export type StateOf = (object: KubeObject | undefined) => SampleState | undefined

export const sampleStateOf: StateOf = object => (object ? states[object.kind]?.(object) : waiting)

/** Printed once all samples are showable. `open`: the samples that are not done yet. */
export const readyText = (open: readonly string[], after: string): string => {
  const others = open.length === 0 ? '' : `, except ${open.join(', ')}: a line follows when all are ready`
  return wrapped(`ready after ${after}${others}.`, 6)
}
