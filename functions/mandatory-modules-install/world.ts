// All that mandatory-modules-install knows when it decides.
import type { KymaInstallation } from '../../shared/api/installation.ts'
import type { Key } from '../../shared/core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import type { MandatoryFault, MandatoryModule } from '../../shared/kyma/modules/mandatory-modules.ts'
import type { SignatureEvidence } from '../../shared/kyma/modules/signed-module.ts'

export type World = SignatureEvidence & {
  readonly kyma: Kyma
  readonly settings: KymaInstallation
  /** Those that can be installed, if they are signed as they must be. */
  readonly modules: readonly MandatoryModule[]
  /** Of descriptors that could not be pulled from the registry. */
  readonly unpulled: readonly MandatoryFault[]
  /** ModuleTemplates in deletion, whose Manifests go before they do. */
  readonly going: readonly ModuleTemplate[]
  /** Manifests of this Kyma that nothing declares any more; none of them is in deletion. */
  readonly abandoned: readonly Manifest[]
  /** Those of this Kyma, and those that bear the name of one it needs. */
  readonly manifests: readonly Manifest[]
  /** Another Kyma that has the runtime; looked for only when a Manifest is to be made. */
  readonly rival?: Key
}
