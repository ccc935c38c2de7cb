// Who wakes a Garden: the relay with the subscriptions of serverless.yml, and the real function behind a host that never asks to be called
// again. So whatever happens here happens because of an event.
import t from 'tap'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import { gardenKind } from '../../../shared/api/garden.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { hostFor, relayOf } from '../../harness/clusters/relay-of.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { garden } from '../../make/garden/garden.ts'

const cluster = await anyCluster(t, { own: true })
const client = clientTo(t, cluster)
await define(client, gardenCrd())

const everywhere = clusters({ local: client })
const host = await hostFor(t, { 'garden-reconcile': gardenReconcile }, processContext({ clusters: everywhere }))
await relayOf(t, { everywhere }, { host, names: ['garden-reconcile'] })

const make = (name: string) => client.create(garden({ metadata: { name } }), { fieldManager: 'person' })

t.test('GA-300 of two Gardens one goes: the other is called', async t => {
  await make('first')
  await host.until(() => host.called().includes('first'))
  await make('second')
  await host.until(() => host.called().includes('second') && host.calls.every(({ isOver }) => isOver))
  host.forget()
  await client.delete({ ...gardenKind, namespace: '', name: 'second' }, {})
  await host.until(() => host.called().includes('first'))
  t.pass('it was stalled as long as there were two')
})
