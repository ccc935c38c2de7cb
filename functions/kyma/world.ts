// The facts on which kyma decides.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { Reading } from '../../shared/core/decisions/reading.ts'
import type { JsonMap } from '../../shared/core/json/json.ts'
import { hasFinalizer, isDeleting, type KubeObject } from '../../shared/core/objects/object.ts'
import { isOfAnother, isOn, type Kyma, type Manifest } from '../../shared/kyma/kinds.ts'
import type { ModuleCatalogue } from '../../shared/kyma/modules/look-up.ts'
import type { SignatureEvidence } from '../../shared/kyma/modules/signature.ts'
import type { KymaRuntime, RuntimeSource } from './rules/runtime.ts'
import type { WindowPolicy } from './rules/windows.ts'
import type { KymaSettings } from './settings.ts'

export type World = SignatureEvidence & {
  readonly kyma: Kyma
  readonly settings: KymaSettings
  readonly wanted: Wanted
  /** All ModuleTemplates and ModuleReleaseMetas of the control plane. */
  readonly catalogue: ModuleCatalogue
  /** Descriptors that are not in ModuleTemplates, by the name of the ModuleTemplate. */
  readonly pulled: ReadonlyMap<string, Reading<JsonMap>>
  /** The maintenance windows; read only when an update with downtime is due. */
  readonly windows: Reading<WindowPolicy>
  /** Release times of due versions, by the name of the ModuleTemplate. */
  readonly releasedAt: ReadonlyMap<string, Date>
  readonly runtime: KymaRuntime
  readonly source: RuntimeSource
  /** Certificates of the agent, and their Secrets. Read during the deletion of the Kyma. */
  readonly certificates: readonly KubeObject[]
  /** Manifests with the label of the Kyma, and Manifests with a name that the Kyma needs. */
  readonly manifests: readonly Manifest[]
}

export type Wanted = Pick<Kyma['spec'], 'channel' | 'modules' | 'skipMaintenanceWindows'>

/** Before the Kyma has our label and finalizer, no other object is read or created for the Kyma. */
export const hasLabelAndFinalizer = (kyma: Kyma): boolean =>
  isLabelled(kyma) && hasFinalizer(kyma, kymaNames.finalizers.kyma)

export const isLabelled = ({ metadata }: Kyma): boolean =>
  metadata.labels?.[kymaNames.labels.managedBy] === kymaNames.managedBy.controlPlane

/** Another program manages the Kyma, or users excluded it. Nothing is read or written for the Kyma. */
export const isLeftAlone = (kyma: Kyma): boolean =>
  kyma.metadata.namespace !== kymaNames.namespaces.controlPlane ||
  isOfAnother(kyma) ||
  (isOn(kyma, kymaNames.labels.skipReconciliation) && !isDeleting(kyma))
