// Reads Manifests with the name of a needed Manifest and without its label. Another program created them, or a user removed the label.
import { kymaNames } from '../../api/kyma/names.ts'
import { manifestKind } from '../../api/kyma.ts'
import type { Reads } from '../../kube/client-types.ts'
import { type Manifest, withSpec } from '../../kyma/kinds.ts'
import { type ModuleOfKyma, manifestNames } from '../../kyma/manifest-name.ts'

/** `listed`: Manifests with the label. Makes one read for each module that has no Manifest in `listed`. */
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
