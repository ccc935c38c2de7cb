// Reasons and messages of mandatory-modules-delete. Reasons are API: alerts and runbooks name them.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import type { EventNote, StepResult } from '../../shared/core/decisions/plan.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { ModuleReleaseMeta } from '../../shared/kyma/kinds.ts'
import type { MandatoryFault } from '../../shared/kyma/modules/mandatory-modules.ts'

const { labels, namespaces } = kymaNames

/** Recorded once for each generation. */
const warning = (regarding: KubeObject, reason: string, message: string): EventNote => ({
  type: 'Warning',
  reason,
  message,
  regarding,
  occasion: String(regarding.metadata.generation),
})

/** The object is in a namespace that Espalier does not read. */
export const notPickedUpElsewhere = (object: KubeObject): EventNote =>
  warning(object, 'NotPickedUp', `not used: Espalier reads only the namespace ${namespaces.controlPlane}`)

/** spec.mandatory is set, but the label that installs the module is missing. */
export const labelMissing = (template: KubeObject): EventNote =>
  warning(
    template,
    'MandatoryLabelMissing',
    `not installed: spec.mandatory alone has no effect; set the label ${labels.mandatoryModule}=true`,
  )

/** spec.moduleName differs from the object's name, but modules are found by the object's name. */
export const nameDiffers = (meta: ModuleReleaseMeta): EventNote =>
  warning(
    meta,
    'ModuleNameDiffers',
    `spec.moduleName ${meta.spec.moduleName} has no effect: the module is found only by the name of the object, ${meta.metadata.name}`,
  )

/** A mandatory module, or one version of it, cannot be installed. */
export const declaredInVain = ({ regarding, text }: MandatoryFault): EventNote =>
  warning(regarding, 'MandatoryModuleNotInstalled', `not installed: ${text}`)

/** Why a deletion waits. */
export const manifestsToGo = (count: number): string => `${count} Manifest${count === 1 ? '' : 's'} to be deleted`

/** A finalizer could not be set, or a Manifest could not be deleted. */
export const failureNotes = (results: readonly StepResult[]): EventNote[] =>
  results.flatMap(({ step, error }) => {
    const reason = failureReasons[step.do]
    if (!error || error.isConflict || !reason || !('target' in step)) return []
    return [{ type: 'Warning', reason, message: error.message, regarding: step.target }]
  })

const failureReasons: Readonly<Partial<Record<StepResult['step']['do'], string>>> = {
  addFinalizer: 'SettingMandatoryModuleTemplateFinalizerError',
  delete: 'DeletingMandatoryModuleManifestError',
}
