// Kyma's kinds as the API server returns them, the meaning of labels on their objects, and the finalizers of a Manifest: our finalizers,
// which Espalier removes, and finalizers of other programs, for which a deletion waits.
import { kymaNames } from '../api/kyma/names.ts'
import type {
  KymaFields,
  ManifestFields,
  ModuleReleaseMetaFields,
  ModuleTemplateFields,
  WatcherFields,
} from '../api/kyma.ts'
import type { KubeObject } from '../core/objects/object.ts'

export type Kyma = KubeObject & KymaFields
export type ModuleTemplate = KubeObject & ModuleTemplateFields
export type ModuleReleaseMeta = KubeObject & ModuleReleaseMetaFields
export type Manifest = KubeObject & ManifestFields
/** The name of a Manifest, and the objects in its status and spec. Example of an object: `apps Deployment web shop` */
export type HoldingManifest = KubeObject & { readonly objects: readonly string[] }
export type Watcher = KubeObject & WatcherFields

export type ModuleEntry = NonNullable<Kyma['spec']['modules']>[number]

export type ModuleStatus = NonNullable<NonNullable<Kyma['status']>['modules']>[number]

/** The operation of a Kyma or a Manifest, with its start time. */
export type LastOperation = NonNullable<NonNullable<Kyma['status']>['lastOperation']>

/** The definitions of the Go operator accept objects without a spec. We treat a missing spec as an empty spec. */
export const withSpec = <Made extends KubeObject & { readonly spec: object }>(object: KubeObject): Made =>
  (object.spec ? object : { ...object, spec: {} }) as Made

export type ModuleState = ModuleStatus['state']

export const isModuleWell = ({ state }: { readonly state?: unknown }): boolean =>
  state === 'Ready' || state === 'Unmanaged'

/** The states of Kymas, and of modules that cannot become Unmanaged. */
export const usualStates: readonly ModuleState[] = ['Processing', 'Deleting', 'Ready', 'Error', 'Warning']

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

const { finalizers } = kymaNames

/** Our finalizers on a Manifest without a default object. They keep the Manifest until its module is gone. */
export const moduleFinalizers: readonly string[] = [finalizers.manifest, finalizers.labelRemoval]

/** All our possible finalizers of a Manifest. */
export const manifestFinalizers: readonly string[] = [...moduleFinalizers, finalizers.defaultResource]

export const ownFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => manifestFinalizers.includes(name))

export const othersFinalizers = ({ metadata }: KubeObject): string[] =>
  (metadata.finalizers ?? []).filter(name => !manifestFinalizers.includes(name))

/** The message when our work is done and only finalizers of other programs remain. */
export const waitingForFinalizers = (names: readonly string[]): string =>
  `waiting as other finalizers are present: [${names.join(' ')}]`
