// The meaning of labels on Kyma's objects: whether an object is ours, and which options are on.
import { kymaNames } from '../api/kyma/names.ts'
import type { KubeObject } from '../core/objects/object.ts'
import type { ModuleTemplate } from './kinds.ts'

const { labels, managedBy } = kymaNames

/** Whether the label is `true`, in upper or lower case. */
export const isOn = ({ metadata }: KubeObject, label: string): boolean =>
  metadata.labels?.[label]?.toLowerCase() === 'true'

/** The object has no label managed-by, or the label has our name. With another value, the object counts as absent and is never written. */
export const isPickedUp = ({ metadata }: KubeObject): boolean =>
  (metadata.labels?.[labels.managedBy] ?? managedBy.controlPlane) === managedBy.controlPlane

export const isOfAnother = (object: KubeObject): boolean => !isPickedUp(object)

/** The name of the Kyma to which a Manifest or an access Secret belongs. Empty if the object has no label. */
export const kymaNameOf = ({ metadata }: KubeObject): string => metadata.labels?.[labels.kymaName] ?? ''

/** The name of the module for which a Manifest was created, or which a ModuleTemplate contains. */
export const moduleNameOf = ({ metadata }: KubeObject): string | undefined => metadata.labels?.[labels.moduleName]

// Which ModuleTemplates belong to mandatory modules. Every Kyma gets these modules without listing them.

/** Only this label installs the module; `spec.mandatory` alone does not. */
export const isLabelledMandatory = (template: ModuleTemplate): boolean =>
  isOn(template, kymaNames.labels.mandatoryModule)

/** With the label or the field, Kymas cannot list the module, and their catalogue omits it. Only the label installs the module. */
export const isMandatory = (template: ModuleTemplate): boolean =>
  template.spec.mandatory === true || isLabelledMandatory(template)
