// Which ModuleTemplates are of mandatory modules: every Kyma gets those without listing them.
import { kymaNames } from '../../api/kyma/names.ts'
import type { ModuleTemplate } from '../kinds.ts'
import { isOn } from '../labels.ts'

/** The label is what installs it; `spec.mandatory` alone does not. */
export const isLabelledMandatory = (template: ModuleTemplate): boolean =>
  isOn(template, kymaNames.labels.mandatoryModule)

/** The label or the field bars it from what Kymas list, and from their catalogue. The label alone installs it. */
export const isMandatory = (template: ModuleTemplate): boolean =>
  template.spec.mandatory === true || isLabelledMandatory(template)
