// A Garden in a cluster in which no replica is ever Ready for as long as `minReadySeconds` says: its API servers are used as soon as all
// replicas are Ready, and replicas of a former template hold the Garden up for as long as Kubernetes keeps them.
import t from 'tap'
import { gardenReconcile } from '../../../functions/garden-reconcile/index.ts'
import { conditionOf } from '../../../shared/core/objects/condition.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import {
  gardenGround,
  gardenRef,
  gardenStatus,
  longSeconds,
  makeGarden,
  namespacesOfVirtualGarden,
  person,
} from '../../harness/garden/garden-ground.ts'
import { matches } from '../../harness/matches.ts'
import { mortalProcess } from '../../harness/processes/mortal-process.ts'
import { eventually } from '../../harness/until.ts'

const hour = 3_600_000
const ground = await gardenGround(t, { secondMilliseconds: hour })
const { client } = ground

const servers = ['virtual-garden-kube-apiserver', 'gardener-apiserver']

const availability = async (name: string) => {
  const found = await client.get({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'garden', name })
  return found && conditionOf(found, 'Available')?.status
}

t.test('GA-376 it comes up and is used though none of its API servers is Available yet', async t => {
  await makeGarden(client)
  const isUp = async () => (await gardenStatus(client)).lastOperation?.state === 'Succeeded'
  await eventually('the Garden is up', isUp, longSeconds)
  t.strictSame(await Promise.all(servers.map(availability)), ['False', 'False'])
  t.ok((await namespacesOfVirtualGarden(ground)).includes('garden'))
})

t.test('GA-376 a change that rolls out its API server waits until no former replica is left', async t => {
  const spec = { virtualCluster: { kubernetes: { kubeAPIServer: { eventTTL: '2h' } } } }
  await client.patch(gardenRef, { type: 'merge', body: { spec } }, person)
  const wait = 'Deployment garden/virtual-garden-kube-apiserver: still has replicas of an older Pod template'
  const waits = async () => ((await gardenStatus(client)).lastOperation?.description ?? '').includes(wait)
  await eventually('it waits for the former replicas', waits, longSeconds)
  const selected = {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'garden',
    labelSelector: 'app=kubernetes,role=apiserver',
  }
  const isReady = async () =>
    (await client.list(selected)).filter(pod => conditionOf(pod, 'Ready')?.status === 'True').length === 4
  await eventually('old and new replicas are Ready', isReady, longSeconds)
  const process = mortalProcess(ground, Number.POSITIVE_INFINITY)
  const outcome = await process.reconcile(gardenReconcile as ReconcileFunction, { namespace: '', name: 'garden' })
  await process.end()
  matches(t, outcome, { outcome: 'waiting', reason: wait })
})
