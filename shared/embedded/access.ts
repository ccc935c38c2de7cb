// Access to an embedded cluster in this process, as administrator of the cluster.
import type { ClusterAccess } from '../kube/clusters/access.ts'
import { withoutSockets } from './http/without-sockets.ts'
import type { EmbeddedCluster } from './start.ts'

/** Uses no TLS and no sockets, because client and server are in the same process and would wait for each other. */
export const accessHere = ({ url, caCert, adminToken, answer }: EmbeddedCluster): ClusterAccess => {
  const credentials = { ca: caCert, token: adminToken }
  return { server: url, credentials: () => credentials, dispatcher: withoutSockets(answer) }
}
