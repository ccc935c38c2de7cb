// What people should know of ModuleTemplates and ModuleReleaseMetas that do not do what they may expect of them.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import type { EventNote } from '../../../shared/core/decisions/plan.ts'
import { isDeleting, type KubeObject } from '../../../shared/core/objects/object.ts'
import type { ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isPickedUp } from '../../../shared/kyma/labels.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'
import { mandatoryModules, mandatoryTemplateName } from '../../../shared/kyma/modules/mandatory-modules.ts'
import { isLabelledMandatory } from '../../../shared/kyma/modules/mandatory-templates.ts'
import { declaredInVain, labelMissing, nameDiffers, notPickedUp, notPickedUpElsewhere } from '../reasons.ts'
import type { World } from '../world.ts'

const { labels } = kymaNames

export const notes = ({ catalogue, elsewhere }: World): EventNote[] => {
  const templates = catalogue.templates.filter(template => !isDeleting(template))
  const metas = catalogue.metas.filter(meta => !isDeleting(meta))
  return [
    ...[...templates, ...metas].filter(isUnlabelled).map(notPickedUp),
    ...elsewhere.filter(isMeantForUs).map(notPickedUpElsewhere),
    ...templates.filter(template => isMeantMandatory(template, catalogue)).map(labelMissing),
    ...metas.filter(meta => isPickedUp(meta) && meta.spec.moduleName !== meta.metadata.name).map(nameDiffers),
    ...mandatoryModules(catalogue).faults.map(declaredInVain),
  ]
}

const isUnlabelled = ({ metadata }: KubeObject): boolean => metadata.labels?.[labels.managedBy] === undefined

/** Copies in a runtime that is the control plane's own cluster carry another label. */
const isMeantForUs = (object: KubeObject): boolean => isUnlabelled(object) || isPickedUp(object)

/** `spec.mandatory` alone installs nothing. */
const isMeantMandatory = (template: ModuleTemplate, { metas }: ModuleCatalogue): boolean =>
  isPickedUp(template) &&
  template.spec.mandatory === true &&
  !isLabelledMandatory(template) &&
  !metas.some(
    meta =>
      isPickedUp(meta) &&
      (meta.metadata.name === moduleOfTemplate(template) || mandatoryTemplateName(meta) === template.metadata.name),
  )
