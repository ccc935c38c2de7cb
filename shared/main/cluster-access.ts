// Which cluster a program works for, by its setting.
import type { ClusterAccess } from '../kube/access.ts'
import { inClusterAccess } from '../kube/in-cluster.ts'

/** A person's kubeconfig needs a large library, which is loaded only for it. */
export const clusterAccess = async (kubeconfig: string | undefined): Promise<ClusterAccess> => {
  if (kubeconfig === undefined) return inClusterAccess()
  const { laptopAccess } = await import('../kube/laptop.ts')
  return laptopAccess({ files: kubeconfig.split(':') })
}
