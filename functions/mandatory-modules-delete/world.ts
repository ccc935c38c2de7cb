// The facts on which mandatory-modules-delete decides.
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Manifest } from '../../shared/kyma/kinds.ts'
import type { ModuleCatalogue } from '../../shared/kyma/modules/look-up.ts'

export type World = {
  /** All ModuleTemplates and ModuleReleaseMetas of the control plane, including objects that are not ours. */
  readonly catalogue: ModuleCatalogue
  /** Manifests of mandatory modules, of all Kymas. */
  readonly manifests: readonly Manifest[]
  /** Metadata of Kymas, ModuleTemplates and ModuleReleaseMetas in other namespaces, which Espalier does not read. */
  readonly elsewhere: readonly KubeObject[]
}
