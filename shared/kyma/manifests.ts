// Manifests that are stored: whose they are, and what makes them as they should be.
import { kymaNames } from '../api/kyma/names.ts'
import type { Step } from '../core/decisions/plan.ts'
import { isText, mapOrEmpty } from '../core/json/json.ts'
import { mergePatchTo } from '../core/json/merge-patch.ts'
import { groupOf, isDeleting, type OwnerReference } from '../core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from './kinds.ts'
import { isOfAnother } from './labels.ts'

/** Whether it was made for this Kyma, and nobody else looks after it: its controller says so, or its label where it has none. */
export const isManifestOf = (kyma: Kyma, manifest: Manifest): boolean => {
  const { metadata } = manifest
  if (isOfAnother(manifest)) return false
  const controller = controllerOf(manifest)
  return controller ? isThisKyma(controller, kyma) : metadata.labels?.[kymaNames.labels.kymaName] === kyma.metadata.name
}

/** No two Kymas of a namespace have one name: with another uid it is a former one, as after a restore of a backup. */
const isThisKyma = ({ apiVersion, kind, name }: OwnerReference, kyma: Kyma): boolean =>
  groupOf(apiVersion) === groupOf(kyma.apiVersion) && kind === kyma.kind && name === kyma.metadata.name

/** It lists what it has installed or will install, so that others can leave it what they have of that. */
export const hasList = ({ status }: Manifest): boolean => (status?.synced ?? []).length > 0 || status?.state === 'Ready'

export const owningKyma = (manifest: Manifest): string | undefined =>
  controllerOf(manifest)?.name ?? manifest.metadata.labels?.[kymaNames.labels.kymaName]

const controllerOf = ({ metadata }: Manifest) => metadata.ownerReferences?.find(({ controller }) => controller)

/** Whether it was made of this version of the module: it is called after both, or the ModuleTemplate describes the same component. */
export const isMadeOf = (template: ModuleTemplate, { metadata, spec }: Manifest): boolean => {
  if (template.metadata.name === `${metadata.labels?.[kymaNames.labels.moduleName]}-${spec.version}`) return true
  const { name, version } = mapOrEmpty(mapOrEmpty(template.spec.descriptor).component)
  return isText(name) && name === metadata.annotations?.[kymaNames.annotations.fqdn] && version === spec.version
}

/** The step that makes it so; none where it is so. All of the spec is ours; of labels, annotations and owners those of others stay. */
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

/** A version without a default object leaves that of the former one to its users. Its kind says still which custom objects there are. */
const formerKind = (target: Manifest, desired: Manifest): Partial<Manifest['spec']> => {
  const { resource, customResourcePolicy } = target.spec
  const isKept = resource && !desired.spec.resource && (isCreated(target) || customResourcePolicy === 'Ignore')
  return isKept ? { resource, customResourcePolicy: 'Ignore' } : {}
}

/** Custom objects that users were to make stay theirs while the Manifest is deleted, whatever the spec says by now. */
const policyKept = (target: Manifest): Partial<Manifest['spec']> =>
  isDeleting(target) && target.spec.customResourcePolicy === 'Ignore' ? { customResourcePolicy: 'Ignore' } : {}

/** The condition ModuleCR remembers it: whoever deletes the default object afterwards shall not find it again. */
export const isCreated = ({ status }: Manifest): boolean =>
  status?.conditions?.some(({ type, status }) => type === 'ModuleCR' && status === 'True') ?? false
