// Manifests that bear the name of one which a Kyma needs, but not its label: somebody else's, or altered by hand.
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { manifestKind } from '../../../shared/api/kyma.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import { manifestName } from '../../../shared/kyma/manifest-name.ts'
import type { World } from '../world.ts'
import type { KnownModule } from './defined-modules.ts'

/** One read for each module that is about to be installed; none once all are. */
export const unlabelledManifests = async (
  modules: readonly KnownModule[],
  { kyma, manifests }: World,
  reads: Pick<Reads, 'get'>,
): Promise<Manifest[]> => {
  const listed = new Set(manifests.map(({ metadata }) => metadata.name))
  const needed = modules.map(({ name, module }) =>
    manifestName({ kyma: kyma.metadata.name, component: module.descriptor.component, module: name }),
  )
  const namespace = kymaNames.namespaces.controlPlane
  const missing = [...new Set(needed)].filter(name => !listed.has(name))
  const found = await Promise.all(missing.map(name => reads.get({ ...manifestKind, namespace, name })))
  return found.filter(manifest => manifest !== undefined) as Manifest[]
}
