// Objects as no API server gives them, each with one value changed, through everything that looks at the objects of a watch.
import t, { type Test } from 'tap'
import type { InventorySettings, WatchFilter, WatchMapping } from '../../../shared/api/serverless.ts'
import { type Key, type KubeObject, keyText } from '../../../shared/core/objects/object.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { Inventory } from '../../../shared/relay/dependents/inventory.ts'
import { isKey } from '../../../shared/relay/key-text.ts'
import { SeenObjects } from '../../../shared/relay/watches/seen-objects.ts'
import { createSubscription } from '../../../shared/relay/watches/subscription.ts'
import { answering, hostileApiServer } from '../../harness/clients/hostile-api-server.ts'
import { rejects } from '../../harness/matches.ts'
import { fakeClock } from './fake-clock.ts'
import { fakeCluster } from './fake-cluster.ts'
import { silentLog } from './silent-log.ts'

/** A kind that is known without discovery. */
const kind = { apiVersion: 'v1', kind: 'ConfigMap' }

const whole: KubeObject = {
  ...kind,
  metadata: {
    name: 'a',
    namespace: 'x',
    uid: 'u',
    resourceVersion: '7',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'owner-id': 'z', runtime: 'r' },
    annotations: { owner: 'x/a' },
    finalizers: ['f'],
    ownerReferences: [{ ...kind, name: 'a', uid: 'u', controller: true }],
    managedFields: [{ manager: 'm' }],
  },
  spec: {
    kubeConfig: { secretRef: { name: 's', key: 'k' } },
    valuesFrom: [{ kind: 'Secret', name: 's' }],
    remote: true,
  },
  status: { inventory: [{ group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'x', name: 'd' }] },
}

const oddValues: readonly unknown[] = [
  null,
  undefined,
  '',
  'x',
  0,
  -1,
  1e300,
  true,
  [],
  {},
  [null],
  { toString: 1 },
  '/',
  'a/b/c',
]

/** The value with one of its parts replaced, once for each part and each odd value. */
function* mutated(value: unknown): Generator<unknown> {
  yield* oddValues
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value))
    for (const odd of mutated(part))
      yield Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [key]: odd })
}

const mutants = [...mutated(whole)]

const answered = async (t: Test, body: unknown): Promise<Client> => {
  const server = await hostileApiServer(t, answering(JSON.stringify(body)))
  const client = createClient(server.access)
  t.teardown(client.close)
  return client
}

const filters: WatchFilter[] = ['generation', 'annotations', 'labels', 'status', 'deletion', 'any']

const mappings: WatchMapping[] = [
  ...(['self', 'owner', 'cluster', 'keys'] as const),
  { label: 'owner-id' },
  { annotation: 'owner' },
]

const inventories: InventorySettings[] = [
  {
    path: 'status.inventory',
    ownerLabel: 'owner-id',
    ownerAnnotation: 'owner',
    kubeConfigPath: 'spec.kubeConfig.secretRef',
  },
  {
    path: 'status.inventory',
    ownerLabel: 'owner-id',
    cluster: 'runtimes',
    clusterLabel: 'runtime',
    remotePath: 'spec.remote',
  },
  { path: 'spec.valuesFrom' },
]

/** All that looks at the objects of a watch; `keys` are those that it would call. */
const consumers = () => {
  const keys: Key[] = []
  const enqueue = (key: Key) => void keys.push(key)
  const clock = fakeClock()
  const surroundings = { clock, log: silentLog, idleSeconds: { local: 9, remote: 60 }, resumed: () => {} }
  const target = () => ({ kinds: [kind], isNamespaced: true })
  const { client } = fakeCluster({ clock })
  const usual = { target, enqueue, ask: () => {}, client }
  const subscriptions = mappings.map(map =>
    createSubscription({
      ...usual,
      ...{
        name: 's',
        settings: { ...kind, on: filters, map },
        cluster: 'local',
        clusterOwner: { namespace: 'x', name: 'o' },
      },
      concerns: () => true,
      objectsMost: () => 1_000,
      now: () => 0,
    }),
  )
  const watched = inventories.map(
    settings => new Inventory({ ...usual, functionName: 'f', settings, local: client, pollSeconds: 60 }, surroundings),
  )
  return { keys, noticing: [...subscriptions, ...watched], stop: () => Promise.all(watched.map(one => one.stop())) }
}

t.test('RE-72 items of a list with any odd value are left out or followed, and lead to keys that are keys', async t => {
  const client = await answered(t, { kind: 'ConfigMapList', metadata: { resourceVersion: '7' }, items: mutants })
  const { keys, noticing, stop } = consumers()
  const seen = new SeenObjects(kind, filters)
  let objects = 0
  for await (const page of client.pages(kind)) {
    for (const object of page.objects) {
      objects++
      seen.beginList()
      const listed = seen.listed(object)
      const events = (['ADDED', 'MODIFIED', 'DELETED'] as const).map(type => seen.noticed({ type, object }))
      for (const change of [listed, ...events, ...seen.endList()])
        for (const one of noticing) if (change) one.notice(change)
    }
  }
  t.ok(objects > mutants.length / 4, `${objects} of ${mutants.length} are followed`)
  t.strictSame(
    keys.filter(key => !isKey(key)),
    [],
  )
  t.ok(keys.some(key => keyText(key) === 'x/a'))
  await stop()
})

t.test('RE-72 an event whose object has no name is garbage, which lists anew; a bookmark needs none', async t => {
  const line = (type: string, metadata: object) => `${JSON.stringify({ type, object: { ...whole, metadata } })}\n`
  const streamOf = async (text: string) => {
    const client = createClient((await hostileApiServer(t, answering(text))).access)
    t.teardown(client.close)
    const types: string[] = []
    for await (const { type } of client.watch({ ...kind, resourceVersion: '7' })) types.push(type)
    return types
  }
  t.strictSame(await streamOf(line('BOOKMARK', { resourceVersion: '8' })), ['BOOKMARK'])
  t.strictSame(await streamOf(line('ADDED', { name: 'a' })), ['ADDED'])
  for (const metadata of [{}, { name: '' }])
    for (const type of ['ADDED', 'MODIFIED', 'DELETED'])
      await rejects(t, streamOf(line(type, metadata)), { fault: 'garbage' }, type)
})
