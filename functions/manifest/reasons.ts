// Conditions of a Manifest, their reasons, and operations. They are API: Kymas, dashboards and alerts read them.
import { listText } from '../../shared/core/text/text.ts'

export type ManifestCondition = 'Resources' | 'Installation' | 'ModuleCR'

type Words = { readonly reason: string; readonly True: string; readonly False: string }

/** The reason is the same for every status of the condition. */
export const conditionWords: Readonly<Record<ManifestCondition, Words>> = {
  Resources: {
    reason: 'ResourcesAvailable',
    True: 'resources are parsed and ready for use',
    False: 'resources not parsed',
  },
  Installation: {
    reason: 'Ready',
    True: 'installation is ready and resources can be used',
    False: 'installation is not ready',
  },
  ModuleCR: {
    reason: 'ModuleCRCreated',
    True: 'module CR was created',
    False: 'module CR has not been created to SKR',
  },
}

/** The operation of a Manifest without a fault. */
export const manifestOperations = {
  installing: 'waiting for resources to become ready',
  ready: 'resources are ready',
  pruning: 'deletion is not yet finished',
  blocked: 'waiting for module crs deletion',
}

/** Another Manifest that is also being deleted still needs these objects. */
export const waitingForOther = (other: string, objects: string): string => `waits for ${other}, which needs ${objects}`

/** The layer cannot be pulled, or its content is refused. */
export const layerFault = (because: string): string => `failed to extract raw manifest from layer digest: ${because}`

/** The definitions of the Go operator permit a Manifest without a spec. */
export const specMissing = 'spec is missing'

/** The function lacks the rights of manifests/grants/manifest.yaml. */
export const rightsMissing = (refusal: string): string =>
  `spec.remote.enabled of the Kyma is false, so the module is installed in the cluster in which Espalier runs, but the function manifest lacks the rights for that: apply manifests/grants/manifest.yaml, or set manifest.ownCluster of the chart to true: ${refusal}`

/** The runtime's pull Secret cannot be passed to the module's operator. */
export const variableTaken = (variable: string, workloads: readonly string[]): string =>
  `the variable ${variable} is already set in ${workloads.join(', ')}`

/** The type of the layer is unknown. */
export const unknownLayerType = (type: unknown): string => layerFault(`the type ${JSON.stringify(type)} is not known`)

/** The module contains objects that belong to the control plane. */
export const notOfModules = (objects: readonly string[]): string =>
  `a module must not contain objects that belong to the control plane: ${listText(objects, { between: ', ' })}`

/** This annotation controls the engine of components, so objects of modules must not have it. */
export const annotationUnfit = (object: string, key: string): string => `${object} must not have the annotation ${key}`

/** Another program maintains a definition that the module contains. */
export const definitionWritten = (definition: string, programs: readonly string[]): string =>
  `${definition} already exists and is maintained by ${listText(programs, { between: ', ' })}`

/** A definition that the module contains is already in use by objects of an unknown owner. */
export const definitionInUse = (definition: string, objects: readonly string[]): string =>
  `${definition} already exists and is in use: ${listText(objects, { between: ', ' })}`

/** The names of the module's objects do not fit into a status. */
export const tooManyNames = (count: number): string => `the names of its ${count} objects do not fit into its status`

/** No Kyma names the Manifest any more, but the Manifest was not deleted. */
export const orphaned = (because: string): string => `orphaned manifest detected: ${because}`
