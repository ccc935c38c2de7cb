// Conditions of a Manifest, their reasons, and operations. They are API: Kymas, dashboards and alerts read them.
import { listText } from '../../shared/core/text/text.ts'

export type ManifestCondition = 'Resources' | 'Installation' | 'ModuleCR'

type Words = { readonly reason: string; readonly True: string; readonly False: string }

/** The reason is the same whatever the status. */
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

/** Another Manifest that goes at the same moment needs these objects until it has come to its own end. */
export const waitingForOther = (other: string, objects: string): string => `waits for ${other}, which needs ${objects}`

/** The layer cannot be had, or holds no objects. */
export const layerFault = (because: string): string => `failed to extract raw manifest from layer digest: ${because}`

/** The definitions of the Go operator accept such a Manifest. */
export const specMissing = 'spec is missing'

/** Without the rights of manifests/grants/manifest.yaml. */
export const rightsMissing = (refusal: string): string =>
  `spec.remote.enabled of the Kyma is false, so the module is installed in the cluster in which Espalier runs, and manifest may not do that: apply manifests/grants/manifest.yaml, or set manifest.ownCluster of the chart to true: ${refusal}`

/** The runtime's pull Secret cannot be passed to the module's operator. */
export const variableTaken = (variable: string, workloads: readonly string[]): string =>
  `the variable ${variable} is already set in ${workloads.join(', ')}`

/** Its source is of a type that nobody knows. */
export const unknownLayerType = (type: unknown): string => layerFault(`the type ${JSON.stringify(type)} is not known`)

/** These are the control plane's own. */
export const notOfModules = (objects: readonly string[]): string =>
  `a module must not bring what is the control plane's own: ${listText(objects, { between: ', ' })}`

/** An annotation that means something to components, and that no module can have. */
export const annotationUnfit = (object: string, key: string): string => `${object} must not have the annotation ${key}`

/** Something else in the cluster keeps it. */
export const definitionWritten = (definition: string, programs: readonly string[]): string =>
  `${definition} is there already and is kept by ${listText(programs, { between: ', ' })}`

/** Whose these objects are, nobody knows. */
export const definitionInUse = (definition: string, objects: readonly string[]): string =>
  `${definition} is there already and is in use: ${listText(objects, { between: ', ' })}`

/** Its status could not list them. */
export const tooManyNames = (count: number): string => `its ${count} objects have more names than a status can list`

/** No Kyma wants it any more, though nobody deleted it. */
export const orphaned = (because: string): string => `orphaned manifest detected: ${because}`
