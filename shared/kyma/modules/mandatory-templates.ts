// Which ModuleTemplates belong to mandatory modules, which every Kyma gets without listing them.
import { kymaNames } from '../../api/kyma/names.ts'
import type { ModuleTemplate } from '../kinds.ts'
import { isOn } from '../labels.ts'

/** The label installs the module; `spec.mandatory` alone does not. */
export const isLabelledMandatory = (template: ModuleTemplate): boolean =>
  isOn(template, kymaNames.labels.mandatoryModule)

/** With the label or the field, Kymas cannot list the module and their catalogue leaves it out. Only the label installs it. */
export const isMandatory = (template: ModuleTemplate): boolean =>
  template.spec.mandatory === true || isLabelledMandatory(template)
