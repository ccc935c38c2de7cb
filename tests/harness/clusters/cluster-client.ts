// Espalier's own client of a test cluster, with the rights of the administrator. Requests to the embedded cluster, which is in this process, use no
// socket: tests of the client, of the embedded cluster and of programs prove that requests survive as bytes.
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
