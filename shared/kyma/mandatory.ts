// Which ModuleTemplates are of mandatory modules: every Kyma gets those without listing them.
import { kymaNames } from '../api/kyma/names.ts'
import type { ModuleTemplate } from './kinds.ts'
import { isOn } from './labels.ts'

/** The label or the field bars it from what Kymas list, and from their catalogue. The label alone installs it. */
export const isMandatory = (template: ModuleTemplate): boolean =>
  template.spec.mandatory === true || isOn(template, kymaNames.labels.mandatoryModule)
