// Reasons and messages of mandatory-modules-install. Reasons are API: alerts and runbooks name them.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { type KubeObject, keyOf, keyText } from '../../shared/core/object.ts'
import type { EventNote } from '../../shared/core/plan.ts'

/** A Manifest that belongs to another Kyma, module or manager has the name that the module needs. */
export const manifestInTheWay = (manifest: KubeObject, module: string): EventNote => {
  const { uid, labels, ownerReferences = [] } = manifest.metadata
  const owner = ownerReferences.find(({ controller }) => controller)?.name ?? labels?.[kymaNames.labels.kymaName]
  const belongs = `module ${labels?.[kymaNames.labels.moduleName]} of Kyma ${owner}`
  return {
    type: 'Warning',
    reason: 'MandatoryModuleNotInstalled',
    message: `mandatory module ${module}: Manifest ${keyText(keyOf(manifest))} is in the way, which belongs to ${belongs}`,
    occasion: uid,
  }
}
