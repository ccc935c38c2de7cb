// How this process reaches an embedded cluster of its own, as its administrator.
import type { ClusterAccess } from '../kube/clusters/access.ts'
import { withoutSockets } from './http/without-sockets.ts'
import type { EmbeddedCluster } from './start.ts'

/** No TLS and no bytes between client and server: both are in this process, and would wait for each other's turn. */
export const accessHere = ({ url, caCert, adminToken, answer }: EmbeddedCluster): ClusterAccess => {
  const credentials = { ca: caCert, token: adminToken }
  return { server: url, credentials: () => credentials, dispatcher: withoutSockets(answer) }
}
