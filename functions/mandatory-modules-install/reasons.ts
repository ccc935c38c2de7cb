// Reasons and messages of mandatory-modules-install. Reasons are API: alerts and runbooks name them.
import type { EventNote } from '../../shared/core/decisions/plan.ts'
import { keyOf, keyText } from '../../shared/core/objects/object.ts'
import { type Manifest, moduleNameOf } from '../../shared/kyma/kinds.ts'
import { owningKyma } from '../../shared/kyma/manifests.ts'
import type { MandatoryFault } from '../../shared/kyma/modules/mandatory-modules.ts'

/** A mandatory module cannot be pulled, or lacks a required signature. All Kymas find the same fault, so one Event is recorded for all. */
export const notInstalled = ({ regarding, text }: MandatoryFault): EventNote => ({
  type: 'Warning',
  reason: 'MandatoryModuleNotInstalled',
  message: text,
  regarding,
  occasion: String(regarding.metadata.generation),
})

/** A Manifest that belongs to another Kyma, module or manager has the name that the module needs. */
export const manifestInTheWay = (manifest: Manifest, module: string): EventNote => {
  const { uid } = manifest.metadata
  const belongs = `module ${moduleNameOf(manifest)} of Kyma ${owningKyma(manifest)}`
  return {
    type: 'Warning',
    reason: 'MandatoryModuleNotInstalled',
    message: `mandatory module ${module} is not installed: Manifest ${keyText(keyOf(manifest))} belongs to ${belongs}`,
    occasion: uid,
  }
}
