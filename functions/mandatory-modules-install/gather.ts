// Reads for mandatory-modules-install: three lists, and one look for each Manifest that is not among them.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { hasFinalizer, isDeleting, type Key, type KubeObject, keyOf } from '../../shared/core/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import type { Kyma, Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import { moduleOfTemplate } from '../../shared/kyma/look-up.ts'
import {
  isLabelledMandatory,
  type MandatoryModule,
  mandatoryModules,
  mandatoryTemplateName,
} from '../../shared/kyma/mandatory-modules.ts'
import { manifestName } from '../../shared/kyma/manifest-name.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { isInstalledFor } from './rules/installed-for.ts'
import type { World } from './world.ts'

const { namespaces, labels, finalizers } = kymaNames
const namespace = namespaces.controlPlane

type Context = Pick<GatherContext, 'reads' | 'installation'>

export const gather = async (object: KubeObject, { reads, installation }: Context): Promise<World> => {
  const kyma = object as Kyma
  const { registry = '' } = installation.kyma.modules
  if (!isInstalledFor(kyma)) return { kyma, registry, modules: [], going: [], manifests: [] }
  const [templates, metas, listed] = (await Promise.all([
    reads.list({ ...moduleTemplateKind, namespace }),
    reads.list({ ...moduleReleaseMetaKind, namespace }),
    reads.list({ ...manifestKind, namespace, labelSelector: `${labels.kymaName}=${kyma.metadata.name}` }),
  ])) as [ModuleTemplate[], ModuleReleaseMeta[], Manifest[]]
  const { modules } = mandatoryModules({ templates, metas })
  const others = await unlisted({ kyma, modules, listed }, reads)
  return { kyma, registry, modules, going: templates.filter(isDeleting), manifests: [...listed, ...others] }
}

type Listing = {
  readonly kyma: Kyma
  readonly modules: readonly MandatoryModule[]
  readonly listed: readonly Manifest[]
}

/** Manifests that bear the name of one which is needed, but not the label of the Kyma: somebody else's, or altered by hand. */
const unlisted = async ({ kyma, modules, listed }: Listing, reads: Reads): Promise<Manifest[]> => {
  const known = new Set(listed.map(({ metadata }) => metadata.name))
  const names = modules
    .map(({ module, descriptor: { component } }) => manifestName({ kyma: kyma.metadata.name, component, module }))
    .filter(name => !known.has(name))
  const found = await Promise.all(names.map(name => reads.get({ ...manifestKind, namespace, name })))
  return found.filter(manifest => manifest !== undefined) as Manifest[]
}

/** All Kymas, if the ModuleTemplate or ModuleReleaseMeta means anything to mandatory modules; otherwise none. */
export const kymasToCall = async (object: KubeObject, { reads }: { reads: Reads }): Promise<Key[]> => {
  if (!(await isOfMandatoryModule(object, reads))) return []
  // Whoever is not in the cache yet is called for its own creation.
  const kymas = await reads.list({ ...kymaKind, namespace, fromCache: true, metadataOnly: true })
  return kymas.map(keyOf)
}

/** One that was mandatory has our finalizer still. */
const isOfMandatoryModule = async (object: KubeObject, reads: Reads): Promise<boolean> => {
  if (hasFinalizer(object, finalizers.mandatoryModule)) return true
  if (object.kind === moduleTemplateKind.kind) {
    const template = object as ModuleTemplate
    if (isLabelledMandatory(template)) return true
    const metas = (await reads.list({ ...moduleReleaseMetaKind, namespace, fromCache: true })) as ModuleReleaseMeta[]
    return metas.some(meta => mandatoryTemplateName(meta) === template.metadata.name)
  }
  const meta = object as ModuleReleaseMeta
  if (meta.spec.mandatory) return true
  const templates = (await reads.list({ ...moduleTemplateKind, namespace, fromCache: true })) as ModuleTemplate[]
  return templates.some(one => isLabelledMandatory(one) && moduleOfTemplate(one) === meta.metadata.name)
}
