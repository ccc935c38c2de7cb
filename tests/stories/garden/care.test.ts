/**
 * garden-care through the loop: a Garden whose components come, are well, and whose API server, a real second one, is
 * taken away and brought back. Time is the test's.
 */
import t, { type Test } from 'tap'
import { gardenCare } from '../../../functions/garden-care/index.ts'
import { gardenCrd } from '../../../shared/api/garden/spec.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import type { GardenerCondition } from '../../../shared/core/objects/gardener-condition.ts'
import { type GroupVersionKind, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import { processContext } from '../../../shared/runtime/context.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { ownCluster, secondApiServer } from '../../harness/clusters/own-cluster.ts'
import { define, testCrd } from '../../harness/clusters/test-definitions.ts'
import { lasting } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { usualSeconds } from '../../harness/until.ts'
import { type Garden, garden } from '../../make/garden/garden.ts'
import { components } from '../../make/garden/garden-health.ts'
import { accessSecret, virtualGardenKubeconfig } from '../../make/garden/virtual-garden-access.ts'
import { settingsWith } from '../../make/settings.ts'

const fieldManager = 'person'
const subject = garden({ metadata: { name: 'cared-for' } })

t.test('garden-care on a cluster', async t => {
  const [client, virtualGarden] = await Promise.all([preparedCluster(t), secondApiServer(t)])
  const conditionThresholds = { VirtualGardenAPIServerAvailable: 90, VirtualComponentsHealthy: 0 }
  const settingsOf = settingsWith({ conditionThresholds, virtualGardenAddress: virtualGarden.address })
  const clock = testClock('2026-01-01T12:00:00Z')
  const call = () => called(client, { settingsOf, now: clock.now })
  const stored = async () => (await client.get(refOf(subject))) as Garden
  const statuses = async () => Object.fromEntries((await conditionsOf(stored())).map(told => [told.type, told.status]))
  const server = async () => (await conditionsOf(stored())).find(({ type }) => type.startsWith('VirtualGarden'))

  t.test('GA-114 GA-115 GA-128 a Garden of which nothing is there', async t => {
    await client.create(subject, { fieldManager })
    matches(t, await call(), { outcome: 'settled', requeueAfterSeconds: 60 })
    matches(t, await conditionsOf(stored()), [
      { type: 'VirtualGardenAPIServerAvailable', status: 'False', reason: 'VirtualGardenAPIServerDown' },
      { type: 'RuntimeComponentsHealthy', status: 'False', reason: 'ResourceNotFound' },
      { type: 'VirtualComponentsHealthy', status: 'False', reason: 'EtcdMissing' },
      { type: 'ObservabilityComponentsHealthy', status: 'False', reason: 'DeploymentMissing' },
    ])
  })

  t.test('GA-117 GA-123 all components come: True, with the columns of kubectl', async t => {
    for (const component of components()) await deploy(client, component)
    await untilEvery(client, { apiVersion: 'apps/v1', kind: 'Deployment' }, isAvailable)
    await untilEvery(client, { apiVersion: 'apps/v1', kind: 'StatefulSet' }, isReady)
    const { caData, token, serverName } = virtualGarden
    const kubeconfig = virtualGardenKubeconfig({ caData, serverName, credentials: { token } })
    await client.create(accessSecret(kubeconfig), { fieldManager })
    await call()
    matches(
      t,
      (await conditionsOf(stored())).map(({ status, reason }) => [status, reason]),
      [
        ['True', 'HealthzRequestSucceeded'],
        ['True', 'RuntimeComponentsRunning'],
        ['True', 'VirtualComponentsRunning'],
        ['True', 'ObservabilityComponentsRunning'],
      ],
    )
  })

  t.test('GA-127 nothing changes: no patch, and a condition of others is kept', async t => {
    const foreign = { type: 'Reconciled', status: 'True', reason: 'ReconciliationSuccessful', message: 'Done.' }
    const times = { lastTransitionTime: clock.text(), lastUpdateTime: clock.text() }
    const conditions = [{ ...foreign, ...times }, ...(await conditionsOf(stored()))]
    await report(client, subject, { conditions })
    const before = await stored()
    clock.pass(60)
    await call()
    t.strictSame((await stored()).metadata.resourceVersion, before.metadata.resourceVersion)
    matches(t, (await conditionsOf(stored()))[0], foreign)
  })

  t.test('GA-116 the API server stopped: Progressing with the real time', async t => {
    await virtualGarden.stop()
    clock.pass(60)
    const since = clock.text()
    await call()
    const progressing = { status: 'Progressing', reason: 'HealthzRequestFailed', lastTransitionTime: since }
    matches(t, await server(), { ...progressing, lastUpdateTime: since, message: /\[response_time:\d+ms\] \(.+\)$/ })
  })

  t.test('GA-126 another measured time alone writes nothing', async t => {
    const { resourceVersion } = (await stored()).metadata
    clock.pass(90)
    await call()
    t.equal((await stored()).metadata.resourceVersion, resourceVersion)
  })

  t.test('GA-125 beyond its threshold of 90 s the condition is False with the real time', async t => {
    clock.pass(1)
    await call()
    matches(t, await server(), { status: 'False', lastTransitionTime: clock.text(), lastUpdateTime: clock.text() })
    matches(t, await statuses(), { VirtualComponentsHealthy: 'True', Reconciled: 'True' }, 'and nothing of the others')
  })

  t.test('a started API server makes its condition True', async t => {
    await virtualGarden.start()
    clock.pass(60)
    await call()
    matches(t, await server(), { status: 'True', reason: 'HealthzRequestSucceeded', lastTransitionTime: clock.text() })
  })

  t.test('GA-117 a token that is not good any more', async t => {
    const { caData, serverName } = virtualGarden
    const kubeconfig = virtualGardenKubeconfig({ caData, serverName, credentials: { token: 'nobody' } })
    await client.patch(refOf(accessSecret()), { type: 'merge', body: accessSecret(kubeconfig) }, { fieldManager })
    await call()
    matches(t, await server(), {
      status: 'Progressing',
      reason: 'HealthzRequestError',
      message: /non ok status code 401\./,
    })
  })

  t.test('GA-120 GA-122 a component becomes unhealthy, another goes', async t => {
    const resource = theComponent('ManagedResource', 'vali')
    const conditions = [{ type: 'ResourcesApplied', status: 'False', reason: 'ApplyFailed', message: 'no such kind' }]
    await report(client, resource, { conditions })
    await client.delete(refOf(theComponent('Deployment', 'virtual-garden-kube-controller-manager')), {})
    await call()
    const told = await conditionsOf(stored())
    matches(t, told, [
      { type: 'Reconciled' },
      { type: 'VirtualGardenAPIServerAvailable' },
      { status: 'True' },
      { status: 'Progressing', reason: 'DeploymentMissing' },
      { status: 'False', reason: 'ApplyFailed', message: 'no such kind' },
    ])
  })

  t.test('GA-128 a Garden that is gone is settled and left alone', async t => {
    await client.delete(refOf(subject), {})
    t.strictSame(await call(), { outcome: 'settled' })
  })
})

async function preparedCluster(t: Test): Promise<Client> {
  const client = await ownCluster(t)
  for (const crd of [gardenCrd(), testCrd('managedresources'), testCrd('etcds')]) await define(client, crd)
  for (const name of ['garden', 'istio-system'])
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager })
  return client
}

/** One call of the function, as the host makes it. */
function called(client: Client, { settingsOf, now }: Pick<CallContext, 'settingsOf' | 'now'>): Promise<Outcome> {
  return reconcile(
    gardenCare,
    { namespace: '', name: subject.metadata.name },
    {
      ...processContext({ clusters: oneCluster(client), settingsOf }),
      now,
      ...lasting(120),
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    },
  )
}

function testClock(start: string) {
  let milliseconds = Date.parse(start)
  const now = () => new Date(milliseconds)
  return {
    now,
    text: () => now().toISOString().replace('.000', ''),
    pass: (seconds: number) => {
      milliseconds += seconds * 1_000
    },
  }
}

async function conditionsOf(stored: Promise<Garden>): Promise<GardenerCondition[]> {
  return (await stored).status?.conditions ?? []
}

/** Workloads are brought up by the cluster itself; of the others somebody tells that they are well. */
async function deploy(client: Client, component: KubeObject): Promise<void> {
  const { status, ...object } = component
  const isWorkload = component.apiVersion === 'apps/v1'
  await client.create(isWorkload ? runnable(object as KubeObject) : (object as KubeObject), { fieldManager })
  if (!isWorkload) await report(client, component, status as object)
}

const report = (client: Client, object: KubeObject, status: object) =>
  client.patch(refOf(object), { type: 'merge', body: { status } }, { fieldManager, subresource: 'status' })

function runnable(object: KubeObject): KubeObject {
  const labels = { app: object.metadata.name }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  return { ...object, spec: object.kind === 'StatefulSet' ? { ...spec, serviceName: object.metadata.name } : spec }
}

function theComponent(kind: string, name: string): KubeObject {
  const found = components().find(one => one.kind === kind && one.metadata.name === name)
  if (!found) throw new Error(`no ${kind} ${name}`)
  return found
}

/** Looks again after every change, until all of a kind are as desired. */
async function untilEvery(client: Client, kind: GroupVersionKind, isDesired: (object: KubeObject) => boolean) {
  const query = { ...kind, namespace: 'garden' }
  for await (const page of client.pages(query)) {
    const objects = new Map(page.objects.map(object => [object.metadata.name, object]))
    if ([...objects.values()].every(isDesired)) return
    const signal = AbortSignal.timeout(usualSeconds * 1000)
    for await (const { type, object } of client.watch({ ...query, resourceVersion: page.resourceVersion, signal })) {
      if (type !== 'BOOKMARK') objects.set(object.metadata.name, object)
      if ([...objects.values()].every(isDesired)) return
    }
  }
  throw new Error(`not every ${kind.kind} became as desired`)
}

type Status = { observedGeneration?: number; readyReplicas?: number; conditions?: GardenerCondition[] }

function isAvailable({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as Status
  return ['Available', 'Progressing'].every(type => conditions.some(one => one.type === type && one.status === 'True'))
}

function isReady({ status }: KubeObject): boolean {
  return (status as Status | undefined)?.readyReplicas === 1
}
