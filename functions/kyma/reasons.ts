// Conditions, operations and Events of a Kyma. They are API: alerts and dashboards name them.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../shared/core/objects/object.ts'
import { partsText } from '../../shared/core/text/text.ts'
import { othersFinalizers, ownFinalizers, waitingForFinalizers } from '../../shared/kyma/finalizers.ts'

/** A True, False and Unknown message for each condition. */
const conditions = {
  Modules: ['all modules are in ready state', 'not all modules are in ready state', 'modules state is unknown'],
  ModuleCatalog: [
    'module templates are synchronized',
    'module templates are out of sync and need to be resynchronized',
    'module templates synchronization state is unknown',
  ],
  CRDsSync: [
    'CRDs are synchronized to the SKR',
    'CRDs are not synchronized to the SKR',
    'CRDs synchronization state is unknown',
  ],
  SKRWebhook: [
    'skrwebhook is synchronized',
    'skrwebhook is out of sync and needs to be resynchronized',
    'skrwebhook is out of sync and needs to be resynchronized',
  ],
  SKRImagePullSecretSync: [
    'skr image pull secret is synchronized',
    'skr image pull secret is out of sync and needs to be resynchronized',
    'skr image pull secret is out of sync and needs to be resynchronized',
  ],
} as const

export type KymaConditionType = keyof typeof conditions

/** Whatever the status of a condition. */
export const conditionReason = 'Ready'

export const conditionMessage = (type: KymaConditionType, status: 'True' | 'False' | 'Unknown'): string =>
  conditions[type][status === 'True' ? 0 : status === 'False' ? 1 : 2]

/** The catalogue is as it shall be, but not all of it can be shown there. */
export const catalogueWithout = (leftOut: readonly string[]): string =>
  `${conditionMessage('ModuleCatalog', 'True')}; left out: ${partsText(leftOut, 10)}`

/** The object at the place of the copy is no Kyma. */
export const copyUnusable = (because: string): string =>
  `the copy of the Kyma in the runtime cannot be used: ${because}`

/** There is one agent in a runtime, and its events name one Kyma. */
export const agentTaken = (namespace: string): string =>
  `the runtime has one already, which belongs to the Kyma in its namespace ${namespace}`

/** The operation in a Kyma's status; with an error, the text of the error. */
export const kymaOperations = {
  started: 'started processing',
  ready: 'kyma is ready',
  waiting: 'waiting for all modules to become ready',
  deleting: 'waiting for modules to be deleted',
} as const

/** Nothing can be shown of the Kyma, because it does not say which runtime it is. Recorded once for each of its generations. */
export const metricsError = (generation: number): EventNote => ({
  type: 'Warning',
  reason: 'MetricsError',
  message: `there are no metrics without the annotation ${kymaNames.annotations.skrDomain} and the label ${kymaNames.labels.instanceId}`,
  occasion: String(generation),
})

/** Something keeps the Kyma from being as its spec says. */
export const kymaError = (operation: string, occasion: string): EventNote => ({
  type: 'Warning',
  reason: 'KymaError',
  message: operation,
  occasion,
})

/** The copy was created in the runtime. */
export const kymaInstalled: EventNote = {
  type: 'Normal',
  reason: 'RemoteInstallation',
  message: 'Kyma was installed to SKR',
}

/** The copy, its labels or its status could not be written. */
export const copyNotWritten = (
  reason: 'RemoteInstallation' | 'MetadataSynchronization' | 'StatusSynchronization',
  message: string,
): EventNote => ({ type: 'Warning', reason, message })

export type DeletionStepName =
  | 'SetKcpKymaStateDeleting'
  | 'SetSkrKymaStateDeleting'
  | 'DeleteManifests'
  | 'DeleteCertificateSetup'
  | 'DeleteSkrWebhookResources'
  | 'DeleteSkrModuleTemplateCrd'
  | 'DeleteSkrModuleReleaseMetaCrd'
  | 'DeleteSkrKyma'
  | 'DeleteSkrKymaCrd'
  | 'DeleteMetrics'
  | 'EnsureManifestDeletion'
  | 'DropKymaFinalizer'

/** A step of the Kyma's deletion was taken, or failed with this error. */
export const deletionStep = (reason: DeletionStepName, error?: string): EventNote =>
  error === undefined ? { type: 'Normal', reason, message: 'Success' } : { type: 'Warning', reason, message: error }

/** The deletion makes no progress. */
export const deletionStuck = (operation: string, occasion: string): EventNote => ({
  type: 'Warning',
  reason: 'KymaDeletionStuck',
  message: operation,
  occasion,
})

/** A deletion waits for Manifests and for finalizers of others, which are named. */
export const manifestsLeft = (manifests: readonly KubeObject[]): string => {
  const held = manifests.flatMap(manifest => {
    const others = isDeleting(manifest) ? othersFinalizers(manifest) : []
    return others.length > 0 && ownFinalizers(manifest).length === 0
      ? [`${refText(refOf(manifest))} ${waitingForFinalizers(others)}`]
      : []
  })
  return held.length === 0 ? kymaOperations.deleting : `${kymaOperations.deleting}: ${held.sort().join('; ')}`
}
