// watcher on a cluster, called by a relay: VirtualServices follow Watchers, Gateways and whoever edits them. Istio comes late.
import t from 'tap'
import { watcher as definition } from '../../../functions/watcher/index.ts'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { watcherKind } from '../../../shared/api/kyma.ts'
import type { KubeObject, ObjectRef } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { atWork } from '../../harness/clusters/functions-at-work.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { ownCluster } from '../../harness/clusters/own-cluster.ts'
import { define, testCrd } from '../../harness/clusters/test-definitions.ts'
import { callOf } from '../../harness/component/orchards.ts'
import { differencesOf, matches } from '../../harness/matches.ts'
import { until } from '../../harness/until.ts'
import { watcher } from '../../make/kyma/kyma.ts'
import { namespace } from '../../make/objects/namespaces.ts'

const fieldManager = 'person'
const gatewayKind = { apiVersion: 'networking.istio.io/v1', kind: 'Gateway' }
const routeKind = { apiVersion: 'networking.istio.io/v1', kind: 'VirtualService' }
const inControlPlane = (kind: { apiVersion: string; kind: string }, name: string): ObjectRef => ({
  ...kind,
  namespace: 'kcp-system',
  name,
})
const [first, second] = ['kyma-watcher', 'second'].map(name => inControlPlane(routeKind, name)) as [
  ObjectRef,
  ObjectRef,
]
const theWatcher = inControlPlane(watcherKind, 'kyma-watcher')

const gateway = (name: string, host: string, app = 'gateway', namespace = 'kcp-system'): KubeObject => ({
  ...gatewayKind,
  metadata: { name, namespace, labels: { app } },
  spec: { servers: [{ hosts: [host] }] },
})

t.test('a Watcher and its VirtualService on a cluster', async t => {
  const client = await ownCluster(t)
  for (const name of ['kcp-system', 'team']) await client.create(namespace(name), { fieldManager })
  for (const crd of kymaCrds()) await define(client, crd as KubeObject)
  await atWork(t, client, ['watcher'])

  const create = (object: KubeObject) => client.create(object, { fieldManager })
  const change = (ref: ObjectRef, body: object) => client.patch(ref, { type: 'merge', body }, { fieldManager })
  /** Passes once the object is as expected; undefined: once it is gone. */
  const becomes = async (t: Tap, ref: ObjectRef, expected: object | undefined) => {
    const wanted = expected === undefined ? 'gone' : expected
    const found = await until(
      async () => (await client.get(ref)) ?? 'gone',
      found => differencesOf(found, wanted).length === 0,
    )
    t.strictSame(differencesOf(found, wanted), [], `${ref.kind} ${ref.name}`)
  }
  const conditionIs = (status: string, more: object) => ({
    status: { conditions: [{ type: 'VirtualService', reason: 'Ready', status, observedGeneration: Number }], ...more },
  })

  t.test('KY-144 no Istio yet: Ready, Unknown', async t => {
    await create(watcher())
    await becomes(t, theWatcher, conditionIs('Unknown', { state: 'Ready', observedGeneration: 1 }))
    await becomes(t, theWatcher, { metadata: { finalizers: ['operator.kyma-project.io/watcher'] } })
  })

  t.test(
    'KY-142 KY-335 Istio is there, but no Gateway of the namespace fits: Error, an Event; another Watcher works',
    async t => {
      await define(client, testCrd('virtualservices'))
      await define(client, testCrd('gateways'))
      await create(gateway('other', 'other.example.com', 'other'))
      for (const app of ['gateway', 'other']) await create(gateway(app, 'shop.example.com', app, 'team'))
      await becomes(t, theWatcher, conditionIs('False', { state: 'Error', observedGeneration: 1 }))
      const selector = { matchLabels: { app: 'other' } }
      await create(watcher({ metadata: { name: 'second' }, spec: { manager: 'other', gateway: { selector } } }))
      await becomes(t, second, { spec: { hosts: ['other.example.com'] } })
      const told = await until(
        async () => (await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'kcp-system' })).map(eventText),
        events => events.length > 0,
      )
      t.strictSame(told, ['Warning WatcherGatewayNotFound kyma-watcher'])
    },
  )

  t.test('KY-140 a Gateway: the VirtualService belongs to the Watcher, which is Ready', async t => {
    await create(gateway('events', 'events.example.com'))
    await becomes(t, theWatcher, conditionIs('True', { state: 'Ready', observedGeneration: 1 }))
    await becomes(t, first, {
      metadata: { ownerReferences: [{ kind: 'Watcher', name: 'kyma-watcher' }] },
      spec: {
        gateways: ['kcp-system/events'],
        hosts: ['events.example.com'],
        http: [
          {
            name: 'kcp-system/kyma-watcher',
            match: [{ uri: { prefix: '/v2/lifecycle-manager/event' } }],
            route: [{ destination: { host: 'events.kcp-system.svc.cluster.local', port: { number: 8082 } } }],
          },
        ],
      },
    })
  })

  t.test('KY-141 edited or deleted it is back; it follows the Watcher’s port and the hosts of Gateways', async t => {
    await change(first, { spec: { hosts: ['elsewhere.example.com'], http: [] } })
    await becomes(t, first, { spec: { hosts: ['events.example.com'], http: [Object] } })
    const before = await client.get(first)
    await client.delete(first, {})
    await becomes(t, first, { metadata: { uid: (uid: string) => uid !== before?.metadata.uid } })
    await change(theWatcher, { spec: { serviceInfo: { port: 9000 } } })
    await becomes(t, first, { spec: { http: [{ route: [{ destination: { port: { number: 9000 } } }] }] } })
    await change(inControlPlane(gatewayKind, 'events'), { spec: { servers: [{ hosts: ['new.example.com'] }] } })
    await becomes(t, first, { spec: { hosts: ['new.example.com'] } })
    await change(inControlPlane(gatewayKind, 'other'), { metadata: { labels: { app: 'gateway' } } })
    await becomes(t, first, { spec: { hosts: ['new.example.com', 'other.example.com'] } })
  })

  t.test('KY-143 deleted: VirtualService and Watcher are gone', async t => {
    await client.delete(theWatcher, {})
    await becomes(t, theWatcher, undefined)
    t.equal(await client.get(first), undefined)
    await becomes(t, second, { spec: Object })
  })
})

t.test('KY-232 of two processes that find a fault in different seconds one tells it', async t => {
  const client = await ownCluster(t)
  await client.create(namespace('kcp-system'), { fieldManager })
  for (const crd of [...kymaCrds(), testCrd('virtualservices'), testCrd('gateways')])
    await define(client, crd as KubeObject)
  await client.create(watcher(), { fieldManager })
  const began = Date.now()
  const callAt = (seconds: number, everywhere: Client) =>
    reconcile(
      definition as ReconcileFunction,
      { namespace: 'kcp-system', name: 'kyma-watcher' },
      { ...callOf(oneCluster(everywhere)), now: () => new Date(began + seconds * 1000) },
    )
  let isFirst = true
  const late = altered(client, ({ replace }) => ({
    replace: async (...write) => {
      if (isFirst) await callAt(0, client)
      isFirst = false
      return replace(...write)
    },
  }))
  matches(t, await callAt(2, late), { outcome: 'waiting', requeueAfterSeconds: 0 }, 'it was overtaken')
  await callAt(4, client)
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'kcp-system' })
  t.strictSame(events.map(eventText), ['Warning WatcherGatewayNotFound kyma-watcher'])
})

const eventText = ({ type, reason, involvedObject }: KubeObject): string =>
  `${type} ${reason} ${(involvedObject as ObjectRef).name}`

type Tap = { strictSame(found: unknown, wanted: unknown, message: string): unknown }
