// istio on a cluster where the installation stands, as far as the test says: the mesh resources are kept, and a deletion waits for
// the resources of users.
import t, { type Test } from 'tap'
import { type ResourceRow, resourceName } from '../../../functions/istio/desired/resource-row.ts'
import { resourceRows } from '../../../functions/istio/desired/resource-rows.ts'
import { readBlocking } from '../../../functions/istio/gather/blocking.ts'
import { readEnvoyFilters, readResources } from '../../../functions/istio/gather/resources.ts'
import type { IstioCall } from '../../../functions/istio/gather.ts'
import { istio as istioFunction } from '../../../functions/istio/index.ts'
import type { Istio, World } from '../../../functions/istio/world.ts'
import { istioCrd } from '../../../shared/api/istio/crd.ts'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import { isDeleting, type KubeObject, type ObjectRef, refOf } from '../../../shared/core/objects/object.ts'
import type { RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { callOf, later } from '../../harness/component/orchards.ts'
import { differencesOf, matches } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { istioWorld, withRun } from '../../make/istio/istio.ts'
import { istioDefinition, istioResource } from '../../make/istio/istio-definitions.ts'

const person = { fieldManager: 'person' }
const { control, mesh } = istioNames.namespaces
const theIstio: ObjectRef = { ...istioKind, namespace: control, name: 'default' }

/** The function, but all that other parts know is as it should be. */
const withRows = (rows: () => readonly ResourceRow[]): ReconcileFunction => ({
  ...(istioFunction as ReconcileFunction),
  gather: async (object, context, scope) => {
    const istio = { ...object, spec: object.spec ?? {} } as Istio
    const world: World = istioWorld({ istio })
    const call = scope as IstioCall
    const looking = { ...call, world, context, now: call.now() }
    const read = isDeleting(istio)
      ? { blocking: await readBlocking(looking) }
      : { resources: await readResources(looking, rows()), envoyFilters: await readEnvoyFilters(looking) }
    return withRun({ ...world, facts: { ...world.facts, ...read } }, call.now())
  },
})

t.test('mesh resources on a cluster', async t => {
  const cluster = await anyCluster(t, { own: true })
  const client = clientTo(t, cluster)
  const requests: RequestNote[] = []
  const own = clientTo(t, cluster, note => requests.push(note))
  for (const name of [control, mesh, 'team'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, person)
  await define(client, istioCrd() as unknown as KubeObject)
  for (const kind of ['PeerAuthentication', 'EnvoyFilter']) await define(client, istioDefinition(kind))
  const finalizers = [istioNames.finalizer]
  const spec = { networkPoliciesEnabled: true }
  await client.create({ ...istioKind, metadata: { name: 'default', namespace: control, finalizers }, spec }, person)

  const rows = resourceRows
  const call = (seconds = 0) =>
    reconcile(
      withRows(() => rows),
      theIstio,
      { ...callOf(clusters({ local: own })), ...later(seconds) },
    )
  const status = async () => (await client.get(theIstio))?.status
  const live = async () => {
    const found = await Promise.all(rows.map(({ ref }) => client.get(ref).catch(() => undefined)))
    return found.flatMap(object => object ?? [])
  }
  const names = async () => (await live()).map(object => resourceName(refOf(object))).sort()
  const refNamed = (name: string): ObjectRef => {
    const row = rows.find(({ ref }) => ref.name === name)
    if (!row) throw new Error(`no resource ${name}`)
    return row.ref
  }
  const edit = (name: string, body: object) => client.patch(refNamed(name), { type: 'merge', body }, person)
  const read = async (name: string) => client.get(refNamed(name))
  const becomes = async (t: Tap, name: string, expected: object) =>
    t.strictSame(differencesOf(await read(name), expected), [], name)
  /** Methods of the writes of one more call. */
  const writes = async (seconds = 0): Promise<string[]> => {
    requests.length = 0
    await call(seconds)
    return requests.map(({ method }) => method).filter(method => method !== 'GET')
  }

  t.test('IS-44 IS-46 IS-47 a fresh mesh gets its resources, and the next call writes nothing', async t => {
    matches(t, await call(), { outcome: 'settled' })
    const found = await names()
    t.equal(found.length, 8, 'no VerticalPodAutoscaler where the kind is not served')
    t.strictSame(
      found.filter(name => !name.startsWith('NetworkPolicy/')),
      ['PeerAuthentication/default'],
    )
    matches(t, await status(), { state: 'Ready' })
    t.strictSame(await writes(), [])

    await define(client, istioDefinition('VerticalPodAutoscaler'))
    await call()
    t.strictSame(
      (await names()).filter(name => name.startsWith('Vertical')),
      ['VerticalPodAutoscaler/istio-operator-vpa'],
    )
    t.strictSame(await writes(), [])
  })

  t.test('IS-45 what somebody edits or deletes is as before after the next call', async t => {
    const before = await read('default')
    await edit('default', { spec: { mtls: { mode: 'PERMISSIVE' }, selector: { matchLabels: { app: 'shop' } } } })
    await edit('kyma-project.io--istio-pilot', {
      spec: { egress: [{}], podSelector: { matchLabels: { app: 'shop' } } },
    })
    await edit('istio-operator-vpa', {
      metadata: { labels: { team: 'shop' }, annotations: null, ownerReferences: null },
    })
    await client.delete(refNamed('kyma-project.io--istio-cni-node'), {})
    await call()
    t.strictSame((await read('default'))?.spec, before?.spec)
    await becomes(t, 'kyma-project.io--istio-pilot', { spec: { podSelector: { matchLabels: { istio: 'pilot' } } } })
    await becomes(t, 'istio-operator-vpa', {
      metadata: { labels: { team: 'shop' }, annotations: Object, ownerReferences: [{ kind: 'Istio' }] },
    })
    t.equal((await names()).length, 9)
    t.strictSame(await writes(), [])
  })

  t.test('IS-46 policies that nobody wants go', async t => {
    await client.patch(theIstio, { type: 'merge', body: { spec: { networkPoliciesEnabled: false } } }, person)
    await call()
    t.strictSame(await names(), ['PeerAuthentication/default', 'VerticalPodAutoscaler/istio-operator-vpa'])
    t.strictSame(await writes(), [])
  })

  t.test('IS-51 an EnvoyFilter of a user for the ingress gateway is told until it is gone', async t => {
    const filter = {
      ...istioResource('EnvoyFilter', 'mine', { namespace: mesh }),
      spec: { workloadSelector: { labels: { istio: 'ingressgateway' } } },
    }
    await client.create(filter, person)
    matches(t, await call(), { outcome: 'waiting', requeueAfterSeconds: 3_600 })
    matches(t, await status(), { state: 'Warning', description: /EnvoyFilter istio-system\/mine targeting Ingress/ })
    t.strictSame(await writes(), [])
    await client.delete(refOf(filter), {})
    await call()
    matches(t, await status(), { state: 'Ready' })
  })

  t.test('IS-83 IS-85 IS-99 resources of users hold the deletion, by name, and only they', async t => {
    for (const kind of ['Gateway', 'ServiceEntry', 'Telemetry', 'TrafficExtension', 'VirtualService'])
      await define(client, istioDefinition(kind))
    const ours = { labels: { [istioNames.labels.module]: istioNames.module } }
    const users = [
      istioResource('ServiceEntry', 'shop'),
      istioResource('Telemetry', 'shop'),
      istioResource('TrafficExtension', 'shop'),
      // Of a Garden, and of a Watcher.
      istioResource('Gateway', 'virtual-garden', { labels: { app: 'virtual-garden' } }),
      istioResource('VirtualService', 'kyma-watcher', { labels: { [istioNames.labels.module]: 'lifecycle' } }),
    ]
    for (const object of [...users, istioResource('VirtualService', 'of-the-module', ours)])
      await client.create(object, person)
    await client.delete(theIstio, {})
    matches(t, await call(), { outcome: 'waiting', requeueAfterSeconds: 60 })
    const { state, conditions } = (await status()) as { state: string; conditions: { message: string }[] }
    t.equal(state, 'Warning')
    const told = [
      ...['Gateway team/virtual-garden', 'ServiceEntry team/shop', 'Telemetry team/shop'],
      ...['TrafficExtension team/shop', 'VirtualService team/kyma-watcher'],
    ]
    const [, listed = ''] = conditions[0]?.message.split('custom resources: ') ?? []
    t.strictSame(listed.split(', ').sort(), told)
    const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: control })
    t.strictSame(
      events.map(({ reason }) => reason),
      ['IstioCustomResourcesDangling'],
    )
    t.strictSame(await writes(), ['POST'], 'the Event is there already')
    t.equal((await live()).length, 2, 'nothing is removed')

    for (const object of users.slice(1)) await client.delete(refOf(object), {})
    matches(t, await call(), { requeueAfterSeconds: 60 })
    await client.delete(refOf(istioResource('ServiceEntry', 'shop')), {})
    matches(t, await call(), { outcome: 'settled' })
    t.equal(await client.get(theIstio), undefined)
  })

  t.test('IS-94 what an Istio owns in its namespace is collected with it', async t => {
    await eventually('the VerticalPodAutoscaler is gone', async () => (await read('istio-operator-vpa')) === undefined)
    t.ok(await read('default'), 'what lies elsewhere is owned by nobody')
  })
})

type Tap = Pick<Test, 'strictSame'>
