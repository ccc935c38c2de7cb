// Espalier's own client of a test cluster, for its administrator. The embedded cluster is in this process and asked without a socket:
// what becomes bytes and back is proved by the tests of the client, of the embedded cluster and of programs.
import type { Test } from 'tap'
import { withoutSockets } from '../../../shared/embedded/http/without-sockets.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client, RequestNote } from '../../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import type { AnyCluster } from './any-cluster.ts'

type Place = Pick<AnyCluster, 'kubeconfig' | 'embedded'>

/** Closed on teardown. */
export const clientTo = (t: Test, { kubeconfig, embedded }: Place, onRequest?: (note: RequestNote) => void): Client => {
  const verdict = parseKubeconfig(kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const dispatcher = embedded && withoutSockets(embedded.answer)
  const client = createClient({ ...verdict.access, dispatcher }, { onRequest })
  t.teardown(client.close)
  return client
}
