// Who wakes a Garden: the relay with the subscriptions of serverless.yml, and the real function behind a host that never asks to be called
// again. So whatever happens here happens because of an event.
import t from 'tap'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { gardenCrd } from '../../../shared/api/garden/crd.ts'
import { gardenKind } from '../../../shared/api/garden.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import type { ChangeType } from '../../../shared/runtime/definition.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { standingRelayClock } from '../../harness/standing-clock.ts'
import { garden } from '../../make/garden/garden.ts'
import { recordingHost, relayToken } from '../../shared/relay/recording-host.ts'
import { silentLog } from '../../shared/relay/silent-log.ts'

const cluster = await anyCluster(t, { own: true })
const client = clientTo(t, cluster)
await define(client, gardenCrd())

const host = await recordingHost()
t.teardown(host.close)
const everywhere = clusters({ local: client })
const context = await gatherContext(processContext({ clusters: everywhere }), {})
host.keys = ({ object, type }) => gardenReconcile.keys?.(object, context, type as ChangeType) ?? []
const { functions, ...rest } = readLandscape('serverless.yml')
const own = functions['garden-reconcile']
if (!own) throw new Error('serverless.yml has garden-reconcile')
const relay = await startRelay({
  landscape: { ...rest, provider: { ...rest.provider, remotes: {} }, functions: { 'garden-reconcile': own } },
  clock: standingRelayClock(),
  clusters: everywhere,
  log: silentLog,
  host: { urlOf: () => host.url, token: async () => relayToken },
  listen: { host: '127.0.0.1', port: 0 },
  refuses: async () => undefined,
})
t.teardown(() => relay.stop(1))
await relay.ready

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
