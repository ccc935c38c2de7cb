// Finds the cluster of an object's parts: the modules of a Kyma without a runtime are in the cluster of the Kyma.
import { kymaNames } from '../../api/kyma/names.ts'
import { kymaKind } from '../../api/kyma.ts'
import type { ClusterName } from '../../core/objects/object.ts'
import type { ReadClusters } from '../../kube/client-types.ts'
import { type Kyma, withSpec } from '../../kyma/kinds.ts'
import { isRemote, runtimeName } from '../../kyma/kyma-runtime.ts'

export const placeOf = async (on: ClusterName, clusters: ReadClusters): Promise<ClusterName> => {
  if (on === 'local') return on
  const local = await clusters.of('local')
  const name = on.slice(runtimeName('').length)
  const kyma = await local.get({ ...kymaKind, namespace: kymaNames.namespaces.controlPlane, name })
  return kyma && !isRemote(withSpec<Kyma>(kyma)) ? 'local' : on
}
