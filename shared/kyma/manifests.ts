// Stored Manifests: to which Kyma they belong, and which patch corrects them.
import { kymaNames } from '../api/kyma/names.ts'
import type { Step } from '../core/decisions/plan.ts'
import { isText, mapOrEmpty } from '../core/json/json.ts'
import { mergePatchTo } from '../core/json/merge-patch.ts'
import { groupOf, isDeleting, type OwnerReference } from '../core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from './kinds.ts'
import { isOfAnother } from './labels.ts'

/** Whether the Manifest belongs to this Kyma, and no other manager has it. The owner reference of its controller decides; without one, its label. */
export const isManifestOf = (kyma: Kyma, manifest: Manifest): boolean => {
  const { metadata } = manifest
  if (isOfAnother(manifest)) return false
  const controller = controllerOf(manifest)
  return controller ? isThisKyma(controller, kyma) : metadata.labels?.[kymaNames.labels.kymaName] === kyma.metadata.name
}

/** Compares no uid. After a restore of a backup, the owner reference has the uid of the former Kyma with the same name. */
const isThisKyma = ({ apiVersion, kind, name }: OwnerReference, kyma: Kyma): boolean =>
  groupOf(apiVersion) === groupOf(kyma.apiVersion) && kind === kyma.kind && name === kyma.metadata.name

/** Whether the Manifest has listed its objects. Only then can an old Manifest hand over those objects to it. */
export const hasList = ({ status }: Manifest): boolean => (status?.synced ?? []).length > 0 || status?.state === 'Ready'

export const owningKyma = (manifest: Manifest): string | undefined =>
  controllerOf(manifest)?.name ?? manifest.metadata.labels?.[kymaNames.labels.kymaName]

const controllerOf = ({ metadata }: Manifest) => metadata.ownerReferences?.find(({ controller }) => controller)

/**
 * Whether the Manifest was made from this ModuleTemplate: the template's name is the Manifest's module and version, or its descriptor has the same
 * component and version.
 */
export const isMadeOf = (template: ModuleTemplate, { metadata, spec }: Manifest): boolean => {
  if (template.metadata.name === `${metadata.labels?.[kymaNames.labels.moduleName]}-${spec.version}`) return true
  const { name, version } = mapOrEmpty(mapOrEmpty(template.spec.descriptor).component)
  return isText(name) && name === metadata.annotations?.[kymaNames.annotations.fqdn] && version === spec.version
}

/** The patch that makes `target` as desired; none if nothing differs. The whole spec is ours; labels, annotations and owners of others stay. */
export const manifestCorrection = (target: Manifest, desired: Manifest): Step[] => {
  const { labels, annotations, ownerReferences = [] } = target.metadata
  const [ours] = desired.metadata.ownerReferences ?? []
  const others = ownerReferences.filter(({ uid, controller }) => uid !== ours?.uid && !controller)
  const isOwned = ownerReferences.some(({ uid, controller }) => uid === ours?.uid && controller)
  const should = {
    labels: { ...labels, ...desired.metadata.labels },
    annotations: { ...annotations, ...desired.metadata.annotations },
    ownerReferences: isOwned || !ours ? ownerReferences : [...others, ours],
  }
  const live = {
    metadata: { labels: labels ?? {}, annotations: annotations ?? {}, ownerReferences },
    spec: target.spec,
  }
  const spec = { ...desired.spec, ...formerKind(target, desired), ...policyKept(target) }
  const merge = mergePatchTo(live, { metadata: should, spec }) as Record<string, unknown>
  return Object.keys(merge).length === 0 ? [] : [{ do: 'patch', target, merge }]
}

/**
 * If the new version has no default object, that of the former version stays with its users. The spec keeps it, because its kind says which custom
 * objects exist.
 */
const formerKind = (target: Manifest, desired: Manifest): Partial<Manifest['spec']> => {
  const { resource, customResourcePolicy } = target.spec
  const isKept = resource && !desired.spec.resource && (isCreated(target) || customResourcePolicy === 'Ignore')
  return isKept ? { resource, customResourcePolicy: 'Ignore' } : {}
}

/** While a Manifest with the policy Ignore is deleted, the policy stays: the custom objects belong to users, whatever the new spec says. */
const policyKept = (target: Manifest): Partial<Manifest['spec']> =>
  isDeleting(target) && target.spec.customResourcePolicy === 'Ignore' ? { customResourcePolicy: 'Ignore' } : {}

/**
 * Whether the default object was created once. The condition ModuleCR remembers this: if somebody deletes the default object afterwards, it must not
 * come back.
 */
export const isCreated = ({ status }: Manifest): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'ModuleCR' && status === 'True') ?? false
