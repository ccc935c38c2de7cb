// Conditions, operations and Events of a Kyma. They are API: alerts and dashboards name them.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject, refOf, refText } from '../../shared/core/objects/object.ts'
import { partsText } from '../../shared/core/text/text.ts'
import { othersFinalizers, ownFinalizers, waitingForFinalizers } from '../../shared/kyma/kinds.ts'

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

/** The reason of all conditions, whatever their status. */
export const conditionReason = 'Ready'

export const conditionMessage = (type: KymaConditionType, status: 'True' | 'False' | 'Unknown'): string =>
  conditions[type][status === 'True' ? 0 : status === 'False' ? 1 : 2]

/** The catalogue is complete except for these modules, which cannot be shown. */
export const catalogueWithout = (leftOut: readonly string[]): string =>
  `${conditionMessage('ModuleCatalog', 'True')}; left out: ${partsText(leftOut, 10)}`

/** The copy of the Kyma in the runtime has invalid content. */
export const copyUnusable = (because: string): string =>
  `the copy of the Kyma in the runtime cannot be used: ${because}`

/** A runtime can have only one agent, whose events name only one Kyma. */
export const agentTaken = (namespace: string): string =>
  `the runtime already has an agent, which belongs to the Kyma in its namespace ${namespace}`

/** The operation in a Kyma's status; with an error, the text of the error. */
export const kymaOperations = {
  started: 'started processing',
  ready: 'kyma is ready',
  waiting: 'waiting for all modules to become ready',
  deleting: 'waiting for modules to be deleted',
} as const

/** The Kyma gets no metrics, because its runtime has no identity. Recorded once per generation. */
export const metricsError = (generation: number): EventNote => ({
  type: 'Warning',
  reason: 'MetricsError',
  message: `the Kyma has no metrics, because it lacks the annotation ${kymaNames.annotations.skrDomain} or the label ${kymaNames.labels.instanceId}`,
  occasion: String(generation),
})

const operationNote =
  (reason: string) =>
  (message: string, occasion: string): EventNote => ({ type: 'Warning', reason, message, occasion })

/** An error prevents the state that the Kyma's spec requires. */
export const kymaError = operationNote('KymaError')

/** The deletion makes no progress. */
export const deletionStuck = operationNote('KymaDeletionStuck')

/** The copy was created in the runtime. */
export const kymaInstalled = {
  type: 'Normal',
  reason: 'RemoteInstallation',
  message: 'Kyma was installed to SKR',
} as const

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

/** The deletion waits for Manifests. The message names finalizers that are not ours. */
export const manifestsLeft = (manifests: readonly KubeObject[]): string => {
  const held = manifests.flatMap(manifest => {
    const others = isDeleting(manifest) ? othersFinalizers(manifest) : []
    return others.length > 0 && ownFinalizers(manifest).length === 0
      ? [`${refText(refOf(manifest))} ${waitingForFinalizers(others)}`]
      : []
  })
  return held.length === 0 ? kymaOperations.deleting : `${kymaOperations.deleting}: ${held.sort().join('; ')}`
}
