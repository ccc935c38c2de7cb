// The samples that `npm start` applies, and what it shows about each of them.
import { join } from 'node:path'
import type { ComponentStatus } from '../../api/component.ts'
import { gardenNamespace } from '../../api/garden.ts'
import type { IstioStatus } from '../../api/istio.ts'
import { kymaNames } from '../../api/kyma/names.ts'
import { manifestKind } from '../../api/kyma.ts'
import type { Item } from '../../component/inventory/item.ts'
import { itemsOf } from '../../component/inventory/stored-inventory.ts'
import type { Garden } from '../../core/objects/garden.ts'
import { hasFinalizer, type KubeObject, type ObjectRef } from '../../core/objects/object.ts'
import { excerpt } from '../../core/text/text.ts'
import type { Kyma, Manifest, ModuleReleaseMeta } from '../../kyma/kinds.ts'
import { manifestName } from '../../kyma/manifest-name.ts'
import { manifestsFolder, objectsIn } from '../manifest-files.ts'

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

/** A mesh, for a cluster that is nobody's but ours. */
export const istioSamples = (): KubeObject[] => objectsIn(join(folder, 'istio.yaml'))

/** Workloads with sidecars of that mesh. */
export const sidecarSamples = (): KubeObject[] => objectsIn(join(folder, 'sidecars.yaml'))

/** The folder with the charts of the samples. */
export const sampleCharts = join(folder, 'charts')

/** The folder with the layers of the modules that the sample Kyma lists. */
export const sampleModules = join(folder, 'modules')

/** The Manifests of those modules, which functions make. */
export const sampleManifests = (): ObjectRef[] => {
  const listed = objectsIn(join(folder, 'kyma-runtime.yaml'))
  const metas = listed.filter(({ kind }) => kind === 'ModuleReleaseMeta') as ModuleReleaseMeta[]
  return metas.map(({ metadata: { name: module }, spec }) => ({
    ...manifestKind,
    namespace: kymaNames.namespaces.controlPlane,
    name: manifestName({ kyma: 'outpost', component: spec.ocmComponentName ?? '', module }),
  }))
}

/** What is shown about a sample; `isDone` when nothing more will change, `isShowable` when it is worth a look before. */
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

/** Its bring-up goes on for a while: nobody has to wait for it. What it waits for is told by its first few words. */
const gardenState = (object: KubeObject): SampleState => {
  const { conditions = [], lastOperation } = (object as Garden).status ?? {}
  const isProtected = hasFinalizer(object, protection)
  const cared = conditions.filter(({ type }) => type !== 'Reconciled')
  const { state, progress = 0, description = '' } = lastOperation ?? {}
  return {
    isDone: isProtected && cared.length > 0 && state === 'Succeeded',
    isShowable: isProtected && cared.length > 0,
    text:
      state === 'Succeeded' ? 'is up' : [`${progress} %`, ...unlessEmpty(excerpt(longestText, description))].join(', '),
    details: [
      ...unlessEmpty(excerpt(longestDetail, description)),
      ...cared.map(({ type, status, message }) => `${type} ${status}: ${message}`),
    ],
  }
}

const [longestText, longestDetail] = [110, 160]

const unlessEmpty = (text: string): string[] => (text === '' ? [] : [text])

/** One line per wave. */
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

/** Its objects are the first wave; the default object of the module follows when they are ready. */
const manifestState = (object: KubeObject): SampleState => {
  const { spec, status: { synced = [] } = {} } = object as Manifest
  const objects = synced.map(({ kind, name }) => `${kind} ${name}`).join(', ')
  const own = spec.resource as KubeObject | undefined
  return {
    ...operationState(object as Manifest),
    details: [...(objects ? [`wave 0: ${objects}`] : []), ...(own ? [`wave 1: ${own.kind} ${own.metadata.name}`] : [])],
  }
}

/** Of a mesh the workloads say most. */
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
  Istio: istioState,
}

/** undefined: nothing becomes of it, it is there. */
export const sampleStateOf = (object: KubeObject | undefined): SampleState | undefined =>
  object ? states[object.kind]?.(object) : waiting

/** What is told once all are worth a look; `open`: those that are not done yet. */
export const readyText = (open: readonly string[], after: string): string => {
  const others = open.length === 0 ? '' : `, all but ${open.join(', ')}: a line tells when all is`
  return `ready after ${after}${others}.`
}
