// The harness by which other tests get a cluster: embedded by default, one of their own, with a namespace of their own.
import t from 'tap'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { contains } from '../../harness/matches.ts'

t.test('two clusters in one process share nothing', async t => {
  const [one, two] = await Promise.all([anyCluster(t), anyCluster(t)])
  t.not(one.namespace, two.namespace)
  t.equal((await one.api.call('GET', `/api/v1/namespaces/${one.namespace}`)).status, 200)
  if (!one.isReal) t.equal((await two.api.call('GET', `/api/v1/namespaces/${one.namespace}`)).status, 404)
  contains(t, one.kubeconfig, one.url)
})
