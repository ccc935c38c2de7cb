// Reads the catalogue of modules, and Manifests that modules need.
import { kymaNames } from '../../api/kyma/names.ts'
import { manifestKind, moduleReleaseMetaKind, moduleTemplateKind } from '../../api/kyma.ts'
import type { Reads } from '../../kube/client-types.ts'
import { type Manifest, type ModuleReleaseMeta, type ModuleTemplate, withSpec } from '../../kyma/kinds.ts'
import { type ModuleOfKyma, manifestNames } from '../../kyma/manifests.ts'
import type { ModuleCatalogue } from '../../kyma/modules/look-up.ts'
import type { GatherContext } from '../context.ts'

const { controlPlane: namespace } = kymaNames.namespaces

/** Thousands of Kymas use the same catalogue, so concurrent calls share a read. */
export const readCatalogue = ({ reads, memory }: Pick<GatherContext, 'reads' | 'memory'>): Promise<ModuleCatalogue> =>
  memory.modules.catalogue.of(undefined, async () => {
    const [templates, metas] = await Promise.all([
      reads.list({ ...moduleTemplateKind, namespace }),
      reads.list({ ...moduleReleaseMetaKind, namespace }),
    ])
    return { templates: templates.map(withSpec<ModuleTemplate>), metas: metas.map(withSpec<ModuleReleaseMeta>) }
  })

/**
 * Manifests with the name of a needed Manifest and without its label. `listed`: Manifests with the label. Makes one read for each module
 * that has no Manifest in `listed`.
 */
export const unlabelledManifests = async (
  needed: readonly ModuleOfKyma[],
  listed: readonly Manifest[],
  reads: Pick<Reads, 'get'>,
): Promise<Manifest[]> => {
  const known = new Set(listed.map(({ metadata }) => metadata.name))
  const unknown = needed.map(manifestNames).filter(names => !names.some(name => known.has(name)))
  const missing = [...new Set(unknown.flat())]
  const found = await Promise.all(missing.map(name => reads.get({ ...manifestKind, namespace, name })))
  return found.filter(manifest => manifest !== undefined).map(withSpec<Manifest>)
}
