// All that mandatory-modules-install knows when it decides.
import type { Kyma, Manifest, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import type { MandatoryModule } from '../../shared/kyma/mandatory-modules.ts'

export type World = {
  /** The Kyma of this call. */
  readonly kyma: Kyma
  /** `host:port/path` of the registry that holds the layers; '' when none is set. */
  readonly registry: string
  /** Those that can be installed. */
  readonly modules: readonly MandatoryModule[]
  /** ModuleTemplates in deletion, whose Manifests go before they do. */
  readonly going: readonly ModuleTemplate[]
  /** Those of this Kyma, and those that bear the name of one it needs. */
  readonly manifests: readonly Manifest[]
}
