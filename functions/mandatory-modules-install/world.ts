// The facts on which mandatory-modules-install decides.
import type { Key } from '../../shared/core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import type { MandatoryFault, MandatoryModule } from '../../shared/kyma/modules/mandatory-modules.ts'
import type { SignatureEvidence } from '../../shared/kyma/modules/signature.ts'
import type { RegistrySettings } from '../../shared/kyma/settings.ts'

export type World = SignatureEvidence & {
  readonly kyma: Kyma
  readonly settings: RegistrySettings
  /** Modules that can be installed. Their signatures are checked later. */
  readonly modules: readonly MandatoryModule[]
  /** Faults of descriptors that could not be pulled from the registry. */
  readonly unpulled: readonly MandatoryFault[]
  /** ModuleTemplates in deletion. Their Manifests are deleted first. */
  readonly leavingTemplates: readonly ModuleTemplate[]
  /** Manifests of this Kyma that no object declares any more, without Manifests in deletion. */
  readonly abandoned: readonly Manifest[]
  /** Manifests of this Kyma, and all other Manifests with a name that this Kyma needs. */
  readonly manifests: readonly Manifest[]
  /** Another Kyma that has the runtime. Read only if a Manifest must be created. */
  readonly rival?: Key
}
