// Chooses the cluster of a program from its settings.
import { type ClusterAccess, inClusterAccess } from '../kube/clusters/access.ts'

type AccessSettings = { kubeconfig: string | undefined; apiServer: string; serviceAccount: string }

export const clusterAccess = async ({
  kubeconfig,
  apiServer,
  serviceAccount,
}: AccessSettings): Promise<ClusterAccess> =>
  kubeconfig === undefined
    ? inClusterAccess({ server: apiServer, directory: serviceAccount })
    : personsAccess(kubeconfig)

/** Imported only when needed, because a user's kubeconfig needs a large library. */
export const personsAccess = async (kubeconfig: string): Promise<ClusterAccess> => {
  const { ownKubeconfigAccess } = await import('../kube/kubeconfigs/own-kubeconfig.ts')
  return ownKubeconfigAccess({ files: kubeconfig.split(':') })
}
