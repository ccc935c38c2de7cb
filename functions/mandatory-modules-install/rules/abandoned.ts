// Manifests that nothing declares any more. mandatory-modules-delete takes out what it sees when somebody deletes a version; a call that
// read the version before its deletion may make, or correct, its Manifest only after that.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { hasFinalizer, isDeleting } from '../../../shared/core/objects/object.ts'
import type { Kyma, Manifest, ModuleTemplate } from '../../../shared/kyma/kinds.ts'
import { isOn, moduleNameOf } from '../../../shared/kyma/labels.ts'
import { manifestNames } from '../../../shared/kyma/manifest-name.ts'
import { hasList, isMadeOf, isManifestOf } from '../../../shared/kyma/manifests.ts'
import { type ModuleCatalogue, moduleOfTemplate } from '../../../shared/kyma/modules/look-up.ts'
import { isLabelledMandatory } from '../../../shared/kyma/modules/mandatory-templates.ts'

const { labels, annotations, finalizers } = kymaNames

/** `manifests` must be read before the catalogue: what is in use was declared before it was made, so its declaration is in there. */
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

/** False after a restore of a backup, which may bring Manifests before what declares them: it names a former Kyma as its owner, or none. */
const isMadeFor = ({ metadata }: Manifest, kyma: Kyma): boolean =>
  (metadata.ownerReferences ?? []).some(({ uid }) => uid === kyma.metadata.uid)

type Installed = { readonly module: string; readonly manifest: Manifest }

/** Those of versions whose component had another name, once the Manifest of the module lists objects, which it gets from them. */
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

/** It says of itself which mandatory module it is, and its name agrees. */
const isUnedited = (manifest: Manifest, kyma: Kyma): boolean => {
  const { name, labels: own, annotations: notes } = manifest.metadata
  const [module = '', component = ''] = [own?.[labels.moduleName], notes?.[annotations.fqdn]]
  const isNamedSo = manifestNames({ kyma: kyma.metadata.name, component, module }).includes(name)
  return isNamedSo && isOn(manifest, labels.mandatoryModule) && isManifestOf(kyma, manifest)
}

/** Its version is still there, whatever its labels; or something else that is, or was, to install the module, even if it cannot now. */
const isDeclared = (manifest: Manifest, { templates, metas }: ModuleCatalogue): boolean => {
  const module = moduleNameOf(manifest)
  return (
    metas.some(({ metadata }) => metadata.name === module) ||
    templates.some(one => isMadeOf(one, manifest) || (isMandatorySometime(one) && isOfModule(one, module)))
  )
}

const isMandatorySometime = (template: ModuleTemplate): boolean =>
  isLabelledMandatory(template) || hasFinalizer(template, finalizers.mandatoryModule)

/** One that names no module may be of any. */
const isOfModule = (template: ModuleTemplate, module: string | undefined): boolean =>
  (moduleOfTemplate(template) ?? module) === module
