// Stored Manifests: their names, to which Kyma they belong, and which patch corrects them. The name is derived from the names of Kyma,
// component and module, so every pass finds the same Manifest.
import { kymaNames } from '../api/kyma/names.ts'
import type { Step } from '../core/decisions/plan.ts'
import { isText, mapOrEmpty } from '../core/json/json.ts'
import { mergePatchTo } from '../core/json/merge-patch.ts'
import { groupOf, isDeleting, type OwnerReference } from '../core/objects/object.ts'
import { isOfAnother, type Kyma, kymaNameOf, type Manifest, type ModuleTemplate, moduleNameOf } from './kinds.ts'

/** Whether the Manifest belongs to this Kyma and has no other manager. The controller's owner reference decides; without a controller, the label. */
export const isManifestOf = (kyma: Kyma, manifest: Manifest): boolean => {
  const { metadata } = manifest
  if (isOfAnother(manifest)) return false
  const controller = controllerOf(manifest)
  return controller ? isThisKyma(controller, kyma) : metadata.labels?.[kymaNames.labels.kymaName] === kyma.metadata.name
}

/** Ignores the uid, because after a restore of a backup the owner reference has the uid of the former Kyma. */
const isThisKyma = ({ apiVersion, kind, name }: OwnerReference, kyma: Kyma): boolean =>
  groupOf(apiVersion) === groupOf(kyma.apiVersion) && kind === kyma.kind && name === kyma.metadata.name

/** Whether the Manifest has listed its objects. Only then can an old Manifest hand over its objects to this Manifest. */
export const hasList = ({ status }: Manifest): boolean => (status?.synced ?? []).length > 0 || status?.state === 'Ready'

export const owningKyma = (manifest: Manifest): string | undefined =>
  controllerOf(manifest)?.name ?? manifest.metadata.labels?.[kymaNames.labels.kymaName]

const controllerOf = ({ metadata }: Manifest) => metadata.ownerReferences?.find(({ controller }) => controller)

/**
 * Whether the Manifest was created from this ModuleTemplate. Either the template is named after the Manifest's module and version, or its
 * descriptor has the Manifest's component and version.
 */
export const isMadeOf = (template: ModuleTemplate, { metadata, spec }: Manifest): boolean => {
  if (template.metadata.name === `${metadata.labels?.[kymaNames.labels.moduleName]}-${spec.version}`) return true
  const { name, version } = mapOrEmpty(mapOrEmpty(template.spec.descriptor).component)
  return isText(name) && name === metadata.annotations?.[kymaNames.annotations.fqdn] && version === spec.version
}

/** The patch that changes `target` to the desired Manifest, if they differ. Labels, annotations and owners from other programs stay. */
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
 * If the new version has no default object, the default object of the former version stays. The spec keeps it, because its kind shows which custom
 * objects exist.
 */
const formerKind = (target: Manifest, desired: Manifest): Partial<Manifest['spec']> => {
  const { resource, customResourcePolicy } = target.spec
  const isKept = resource && !desired.spec.resource && (isCreated(target) || customResourcePolicy === 'Ignore')
  return isKept ? { resource, customResourcePolicy: 'Ignore' } : {}
}

/** While a Manifest with the policy Ignore is deleted, the policy does not change, because the custom objects belong to users. */
const policyKept = (target: Manifest): Partial<Manifest['spec']> =>
  isDeleting(target) && target.spec.customResourcePolicy === 'Ignore' ? { customResourcePolicy: 'Ignore' } : {}

/**
 * Whether the default object was created once, which the condition ModuleCR stores. If a user deletes the default object afterwards, it must not be
 * created again.
 */
export const isCreated = ({ status }: Manifest): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'ModuleCR' && status === 'True') ?? false

export type ModuleOfKyma = { readonly kyma: string; readonly component: string; readonly module: string }

/** The maximum length of a name. */
const charactersMost = 62
/** The number of characters before the number, if the number must not be cut: a 32-bit number has at most 10 digits. */
const charactersBeforeNumber = 51

/**
 * The name that the Go operator uses, such as `default-id-some-module-1831772875`. If this name was cut, and another module's Manifest in
 * `others` has the same name, an alternative name is used.
 */
export const manifestName = (wanted: ModuleOfKyma, others: readonly Manifest[] = []): string => {
  const [name, apart] = manifestNames(wanted)
  const isOurs = others.some(other => other.metadata.name === apart && !isOfAnotherModule(other, wanted))
  const isTaken = others.some(other => other.metadata.name === name && isOfAnotherModule(other, wanted))
  return apart !== undefined && (isOurs || isTaken) ? apart : name
}

/** The name. If its number was cut, also the alternative name, in case another module has the first name. */
export const manifestNames = ({
  kyma,
  component,
  module,
}: ModuleOfKyma): readonly [name: string, ...apart: string[]] => {
  const described = `${kyma}-${component.slice(component.lastIndexOf('/') + 1)}`
  const name = `${described}-${fnv1(component + module)}`
  if (name.length <= charactersMost) return [name]
  const apart = `${cut(described, charactersBeforeNumber)}-${fnv1([kyma, component, module].join(' '))}`
  return [cut(name, charactersMost), apart]
}

const cut = (text: string, most: number): string => text.slice(0, most).replace(/-+$/, '')

/** Whether the Manifest belongs to another Kyma, or to another module by both label and annotation, because users may have edited one. */
const isOfAnotherModule = (manifest: Manifest, { kyma, component, module }: ModuleOfKyma): boolean => {
  const isOfModule = (moduleNameOf(manifest) ?? module) === module
  const isOfComponent = manifest.metadata.annotations?.[kymaNames.annotations.fqdn] === component
  return (kymaNameOf(manifest) || kyma) !== kyma || !(isOfModule || isOfComponent)
}

/** The FNV-1 hash with 32 bits, over UTF-8. */
const fnv1 = (text: string): number =>
  Buffer.from(text).reduce((hash, byte) => (Math.imul(hash, 0x01000193) ^ byte) >>> 0, 0x811c9dc5)
