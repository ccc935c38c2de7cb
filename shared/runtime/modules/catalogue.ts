// Reads the catalogue of modules. Thousands of Kymas have the same one, so those that are called at the same time share a read of it.
import { kymaNames } from '../../api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../api/kyma.ts'
import type { Reads } from '../../kube/client-types.ts'
import { type Manifest, type ModuleReleaseMeta, type ModuleTemplate, withSpec } from '../../kyma/kinds.ts'
import { type ModuleOfKyma, manifestNames } from '../../kyma/manifest-name.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import type { GatherContext } from '../context.ts'

const { controlPlane: namespace } = kymaNames.namespaces

export const readCatalogue = ({ reads, memory }: Pick<GatherContext, 'reads' | 'memory'>): Promise<ModuleCatalogue> =>
  memory.modules.catalogue.of(async () => {
    const [templates, metas] = await Promise.all([
      reads.list({ ...moduleTemplateKind, namespace }),
      reads.list({ ...moduleReleaseMetaKind, namespace }),
    ])
    return { templates: templates.map(withSpec<ModuleTemplate>), metas: metas.map(withSpec<ModuleReleaseMeta>) }
  })

// Manifests that bear the name of one which a Kyma needs, but not its label: somebody else's, or altered by hand.

/** `listed`: those with the label. One read for each module that is about to be installed; none once all are. */
export const unlabelledManifests = async (
  needed: readonly ModuleOfKyma[],
  listed: readonly Manifest[],
  reads: Pick<Reads, 'get'>,
): Promise<Manifest[]> => {
  const known = new Set(listed.map(({ metadata }) => metadata.name))
  const unknown = needed.map(manifestNames).filter(names => !names.some(name => known.has(name)))
  const missing = [...new Set(unknown.flat())]
  const namespace = kymaNames.namespaces.controlPlane
  const found = await Promise.all(missing.map(name => reads.get({ ...manifestKind, namespace, name })))
  return found.filter(manifest => manifest !== undefined).map(withSpec<Manifest>)
}
