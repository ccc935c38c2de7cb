// Manifests that no object declares any more. When a user deletes a version, mandatory-modules-delete deletes its existing Manifests. A call that
// read the version before its deletion may create or correct a Manifest later.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting } from '../../../shared/core/objects/object.ts'
import {
  isLabelledMandatory,
  isOn,
  type Kyma,
  type Manifest,
  type ModuleTemplate,
  moduleNameOf,
} from '../../../shared/kyma/kinds.ts'
import { hasList, isMadeOf, isManifestOf, manifestNames } from '../../../shared/kyma/manifests.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'

const { labels, annotations, finalizers } = kymaNames

/** `manifests` must be read before the catalogue: declarations are older than Manifests, so the catalogue then has all declarations. */
export const abandonedManifests = (
  manifests: readonly Manifest[],
  kyma: Kyma,
  catalogue: ModuleCatalogue,
): readonly Manifest[] =>
  manifests.filter(
    manifest =>
      !isDeleting(manifest) &&
      isUnedited(manifest, kyma) &&
      isMadeFor(manifest, kyma) &&
      !isDeclared(manifest, catalogue),
  )

/**
 * Whether the owner of the Manifest is this Kyma, with this uid. After a restore of a backup, the owner is a former Kyma or absent. In this case
 * the declaration of the Manifest may not be restored yet.
 */
const isMadeFor = ({ metadata }: Manifest, kyma: Kyma): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => uid === kyma.metadata.uid)

type Installed = { readonly module: string; readonly manifest: Manifest }

/** Manifests of versions whose component had another name. They are deleted once the new Manifest has taken over their objects. */
export const formerManifests = (
  { module, manifest }: Installed,
  manifests: readonly Manifest[],
  kyma: Kyma,
): readonly Manifest[] =>
  manifests.filter(
    one =>
      one !== manifest &&
      hasList(manifest) &&
      !isDeleting(one) &&
      isUnedited(one, kyma) &&
      moduleNameOf(one) === module,
  )

/** Whether labels, annotation and name of the Manifest name the same mandatory module. */
const isUnedited = (manifest: Manifest, kyma: Kyma): boolean => {
  const { name, labels: own, annotations: notes } = manifest.metadata
  const [module = '', component = ''] = [own?.[labels.moduleName], notes?.[annotations.fqdn]]
  const isNamedSo = manifestNames({ kyma: kyma.metadata.name, component, module }).includes(name)
  return isNamedSo && isOn(manifest, labels.mandatoryModule) && isManifestOf(kyma, manifest)
}

/**
 * Whether the version of the Manifest still exists, with whatever labels, or another object declares or declared the module, even if it cannot be
 * installed now.
 */
const isDeclared = (manifest: Manifest, { templates, metas }: ModuleCatalogue): boolean => {
  const module = moduleNameOf(manifest)
  return (
    metas.some(({ metadata }) => metadata.name === module) ||
    templates.some(one => isMadeOf(one, manifest) || (isMandatorySometime(one) && isOfModule(one, module)))
  )
}

const isMandatorySometime = (template: ModuleTemplate): boolean =>
  isLabelledMandatory(template) || hasFinalizer(template, finalizers.mandatoryModule)

/** A template that names no module may belong to any module. */
const isOfModule = (template: ModuleTemplate, module: string | undefined): boolean =>
  (moduleOfTemplate(template) ?? module) === module
