// Manifests that nothing declares any more. mandatory-modules-delete deletes the Manifests that exist when somebody deletes a version. A call that
// read the version before its deletion may create or correct its Manifest later.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isLabelledMandatory, isOn, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestNames } from '../../../shared/kyma/manifest-name.ts'
import { hasList, isMadeOf, isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'

const { labels, annotations, finalizers } = kymaNames

/** `manifests` must be read before the catalogue. A Manifest in use was declared before it was created, so a later catalogue has its declaration. */
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
 * Whether this very Kyma owns the Manifest. After a restore of a backup it does not: the owner is a former Kyma or absent. Then the declaration of
 * the Manifest may still be missing.
 */
const isMadeFor = ({ metadata }: Manifest, kyma: Kyma): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => uid === kyma.metadata.uid)

type Installed = { readonly module: string; readonly manifest: Manifest }

/** Manifests of versions whose component had another name. They end once the new Manifest lists its objects, because it takes these over. */
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

/** Whether labels, annotation and name of the Manifest agree about its mandatory module. */
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

/** A template that names no module may belong to any. */
const isOfModule = (template: ModuleTemplate, module: string | undefined): boolean =>
  (moduleOfTemplate(template) ?? module) === module
