// Reads for kyma. A steady pass is three lists: ModuleTemplates, ModuleReleaseMetas and the Manifests of the Kyma. What more is needed
// is known by what they hold.
import { kymaNames } from '../../shared/api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../shared/api/kyma.ts'
import { isDeleting, type KubeObject } from '../../shared/core/object.ts'
import type { Reads } from '../../shared/kube/client-types.ts'
import type { Kyma, Manifest, ModuleReleaseMeta, ModuleTemplate } from '../../shared/kyma/kinds.ts'
import { manifestName } from '../../shared/kyma/manifest-name.ts'
import type { GatherContext } from '../../shared/runtime/context.ts'
import { definedModule } from './rules/defined-module.ts'
import { isUnmanaged, listedModules } from './rules/module-views.ts'
import { isLeftAlone, type Wanted, type World } from './world.ts'

const { namespaces, labels } = kymaNames
const namespace = namespaces.controlPlane

type Context = Pick<GatherContext, 'reads' | 'installation'>

export const gather = async (object: KubeObject, { reads, installation }: Context): Promise<World> => {
  const kyma = object as Kyma
  const settings = installation.kyma
  const wanted = wantedOf(kyma)
  const known = { kyma, settings, wanted, pulled: new Map() }
  if (isLeftAlone(kyma)) return { ...known, catalogue: { templates: [], metas: [] }, manifests: [] }
  const [templates, metas, listed] = (await Promise.all([
    reads.list({ ...moduleTemplateKind, namespace }),
    reads.list({ ...moduleReleaseMetaKind, namespace }),
    reads.list({ ...manifestKind, namespace, labelSelector: `${labels.kymaName}=${kyma.metadata.name}` }),
  ])) as [ModuleTemplate[], ModuleReleaseMeta[], Manifest[]]
  const world = { ...known, catalogue: { templates, metas }, manifests: listed }
  return { ...world, manifests: [...listed, ...(await unlabelled(world, reads))] }
}

/** A Kyma that is being deleted wants nothing. */
const wantedOf = (kyma: Kyma): Wanted => (isDeleting(kyma) ? { ...kyma.spec, modules: [] } : kyma.spec)

/** Manifests that bear the name of one which is needed, but not the label of the Kyma: somebody else's, or altered by hand. */
const unlabelled = async (world: World, reads: Reads): Promise<Manifest[]> => {
  const listed = new Set(world.manifests.map(({ metadata }) => metadata.name))
  const names = namesNeeded(world).filter(name => !listed.has(name))
  const found = await Promise.all(names.map(name => reads.get({ ...manifestKind, namespace, name })))
  return found.filter(manifest => manifest !== undefined) as Manifest[]
}

const namesNeeded = (world: World): string[] =>
  listedModules(world).flatMap(module => {
    if (isUnmanaged(module)) return []
    const defined = definedModule({ ...module, controller: module.entry?.controller }, world)
    if ('fault' in defined) return []
    const { component } = defined.defined.descriptor
    return manifestName({ kyma: world.kyma.metadata.name, component, module: module.name })
  })
