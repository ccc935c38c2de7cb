// Whom an event concerns, and what is an event at all.
import t from 'tap'
import { decide, eventIn, namesAlone } from '../../../functions/runtime-events/decide.ts'
import { gather, isListening, kymaOf } from '../../../functions/runtime-events/gather.ts'
import { runtimeEvents } from '../../../functions/runtime-events/index.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Reads } from '../../../shared/kube/client-types.ts'
import type { Manifest } from '../../../shared/kyma/kinds.ts'
import type { GatherContext } from '../../../shared/runtime/context.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { rejects } from '../../harness/matches.ts'
import { MemoryCluster } from '../../http/memory-cluster.ts'
import { kyma, moduleManifest, watcher } from '../../make/kyma/kyma.ts'

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment', name: 'web', namespace: 'shop' }
const crd = { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition', name: 'x', namespace: '' }

const manifest = (name: string, change: object): Manifest =>
  moduleManifest({ metadata: { name, labels: { 'operator.kyma-project.io/kyma-name': 'default-id' } }, ...change })

const synced = manifest('synced', { status: { state: 'Ready', synced: [deployment, crd] } })
const sample = { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { name: 'default', namespace: 'shop' } }
const resource = manifest('resource', { spec: { resource: sample } })
const neither = manifest('neither', { spec: { resource: null } })
const manifests = [synced, resource, neither]

const about = (group: string, kind: string, place: string, more: object = {}) => {
  const [Namespace = '', Name = ''] = place.split('/')
  const event = eventIn({ watched: { Namespace, Name }, watchedGvk: { group, version: 'v7', kind }, ...more })
  if (!event) throw new Error('it is no event')
  return event
}

const told = (event: ReturnType<typeof about>): string[] =>
  decide({ event, kyma: kyma(), manifests: manifests.map(namesAlone) }).flatMap(({ function: name, keys }) =>
    keys.map(key => `${name} ${key.name}`),
  )

t.test('KY-161 KY-162 who is called for an event', async t => {
  t.strictSame(told(about('apps', 'Deployment', 'shop/web')), ['manifest synced'])
  t.strictSame(told(about('apiextensions.k8s.io', 'CustomResourceDefinition', '/x')), ['manifest synced'])
  t.strictSame(told(about('shop.example.com', 'Shop', 'shop/default')), ['manifest resource'])
  t.strictSame(told(about('shop.example.com', 'Shop', '/default')), ['manifest resource'], 'a kind without namespaces')
  t.strictSame(told(about('', 'Secret', 'shop/web')), ['kyma default-id'])
  for (const place of ['other/web', 'sho/web', '/we'])
    t.strictSame(told(about('apps', 'Deployment', place)), ['kyma default-id'], place)
  const all = ['kyma default-id', 'manifest synced', 'manifest resource', 'manifest neither']
  t.strictSame(told(about('', 'Secret', 'shop/web', { fullSync: true })), all)
  t.strictSame(told(about('', 'Secret', 'shop/web', { fullSync: 'true' })), ['kyma default-id'], 'a text is no truth')
})

t.test('KY-163 a body that is no event is refused', async t => {
  const sound = { watched: { Name: 'x' }, watchedGvk: { kind: 'Y' } }
  t.strictSame(eventIn(sound), {
    watched: { Namespace: '', Name: 'x' },
    watchedGvk: { group: '', version: '', kind: 'Y' },
  })
  const odd = [undefined, null, 1, 'x', [], {}, { ...sound, watched: null }, { ...sound, watched: { name: 'x' } }]
  for (const body of [
    ...odd,
    { ...sound, watchedGvk: { kind: 1 } },
    { ...sound, watched: { Name: 'x', Namespace: 1 } },
  ])
    t.equal(eventIn(body), undefined, JSON.stringify(body))
})

const contextOf = (...objects: KubeObject[]) => ({
  reads: new MemoryCluster(objects).client,
  memory: processMemory(),
})
const withId = (name: string, id: string) => kyma({ metadata: { name, labels: { 'kyma-project.io/runtime-id': id } } })

t.test('KY-167 a runtime is known by its id, or by the name of a Kyma without one; two are none', async t => {
  const context = contextOf(withId('a', 'one'), withId('b', 'two'), kyma({ metadata: { name: 'c' } }), withId('d', 'c'))
  const found = async (commonName: string) => (await kymaOf(commonName, context))?.metadata.name
  t.strictSame(await Promise.all(['one', 'two', 'a', 'b', 'c', 'd', '', 'x=y'].map(found)), [
    ...['a', 'b', undefined, undefined],
    ...[undefined, undefined, undefined, undefined],
  ])
  const plain = contextOf(kyma({ metadata: { name: 'c' } }))
  t.equal((await kymaOf('c', plain))?.metadata.name, 'c')
})

t.test('KY-163 events are heard under the names of Watchers', async t => {
  const context = contextOf(watcher(), watcher({ metadata: { name: 'x' }, spec: { manager: 'other' } }))
  const heard = await Promise.all(['lifecycle-manager', 'other', 'x', ''].map(name => isListening(name, context)))
  t.strictSame(heard, [true, true, false, false])
})

t.test('KY-220 nothing is heard under the name of a Watcher that has no entry in any runtime', async t => {
  const watchers = [watcher({ spec: { manager: 'My_Manager' } }), watcher({ metadata: { name: 'x' }, spec: unfit })]
  const heard = ['My_Manager', 'sound'].map(name => isListening(name, contextOf(...watchers)))
  t.strictSame(await Promise.all(heard), [false, false])
})

const unfit = { manager: 'sound', labelsToWatch: { app: 'a b' } }

t.test('KY-161 Manifests are read for events about other objects than the Kyma, and only its own', async t => {
  const foreign = moduleManifest({
    metadata: { name: 'foreign', labels: { 'operator.kyma-project.io/kyma-name': 'x' } },
  })
  const context = contextOf(...manifests, foreign)
  const read = async (event: ReturnType<typeof about>) =>
    (await gather(event, kyma(), context)).manifests.map(({ metadata }) => metadata.name)
  t.strictSame(await read(about('apps', 'Deployment', 'shop/web')), ['synced', 'resource', 'neither'])
  t.strictSame(await read(about('operator.kyma-project.io', 'Kyma', 'kyma-system/default')), [])
  const full = about('operator.kyma-project.io', 'Kyma', 'kyma-system/default', { fullSync: true })
  t.strictSame(await read(full), ['synced', 'resource', 'neither'])
})

t.test('RE-51 of Manifests no more is remembered than the names of their objects', async t => {
  const spec = { text: 'x'.repeat(100_000) }
  const conditions = [{ type: 'Resources', status: 'True', reason: 'y'.repeat(10_000) }]
  const large = manifest('large', {
    metadata: {
      name: 'large',
      labels: { 'operator.kyma-project.io/kyma-name': 'default-id' },
      annotations: { note: 'z'.repeat(10_000) },
    },
    spec: { resource: { ...sample, spec } },
    status: { state: 'Ready', synced: [deployment], conditions } as never,
  })
  const context = contextOf(large)
  await gather(about('shop.example.com', 'Shop', 'shop/default'), kyma(), context)
  const kept = await context.memory.runtimes.manifests.get('default-id', async () => [])
  t.strictSame(
    kept.map(({ metadata, ...rest }) => ({ name: metadata.name, ...rest })),
    [
      {
        name: 'large',
        apiVersion: large.apiVersion,
        kind: 'Manifest',
        objects: ['apps Deployment web shop', 'shop.example.com Shop default shop'],
      },
    ],
  )
  t.ok(JSON.stringify(kept).length < 1_000)
})

t.test('RE-51 what is remembered is bounded by its size, not only by the number of runtimes', async t => {
  const runtimes = 40
  const synced = Array.from({ length: 5_000 }, (_, at) => ({ ...deployment, name: `${at}-${'x'.repeat(80)}` }))
  const memory = processMemory()
  const reading = (name: string) => {
    let lists = 0
    const labels = { 'operator.kyma-project.io/kyma-name': name }
    const [{ client }] = [
      new MemoryCluster([moduleManifest({ metadata: { labels }, status: { state: 'Ready', synced } })]),
    ]
    const list: Reads['list'] = query => {
      lists++
      return client.list(query)
    }
    return { reads: { get: client.get, list }, memory, lists: () => lists }
  }
  const listsFor = async (at: number) => {
    const name = `kyma-${at}`
    const context = reading(name)
    await gather(about('apps', 'Deployment', `shop/7-${'x'.repeat(80)}`), kyma({ metadata: { name } }), context)
    return context.lists()
  }
  for (let at = 0; at < runtimes; at++) t.equal(await listsFor(at), 1)
  t.equal(await listsFor(runtimes - 1), 0)
  t.equal(await listsFor(0), 1)
})

t.test('a body that is no event costs no read', async t => {
  const unasked = async () => {
    throw new Error('the cluster is asked')
  }
  const context = { ...contextOf(), reads: { get: unasked, list: unasked } } as unknown as GatherContext
  const sound = { watched: { Name: 'x' }, watchedGvk: { kind: 'Y' } }
  for (const body of [undefined, null, [], {}, 'x', { ...sound, watched: {} }, { fullSync: true }])
    t.equal(await runtimeEvents.concerned(body, kyma(), context), undefined, JSON.stringify(body))
  await rejects(t, runtimeEvents.concerned(sound, kyma(), context), /the cluster is asked/)
})

t.test(
  'KY-185 a runtime that reports much is looked up once in a while; what is not there is looked for each time',
  async t => {
    const cluster = new MemoryCluster([withId('a', 'one'), withId('x', 'other')])
    let lists = 0
    const list: Reads['list'] = query => {
      lists++
      return cluster.client.list(query)
    }
    const context = { reads: { get: cluster.client.get, list }, memory: processMemory() }
    const listsFor = async <Answer>(ask: () => Promise<Answer>): Promise<readonly [Answer, number]> => {
      lists = 0
      return [await ask(), lists]
    }
    const found = async (name: string) => (await kymaOf(name, context))?.metadata.name
    t.strictSame(await listsFor(() => found('one')), ['a', 1])
    t.strictSame(await listsFor(() => found('one')), ['a', 0])
    t.strictSame(await listsFor(() => found('other')), ['x', 0], 'one list is for all runtimes')
    t.strictSame(await listsFor(() => found('two')), [undefined, 2])
    cluster.put(withId('b', 'two'))
    t.strictSame(await listsFor(() => found('two')), ['b', 2], 'nobody is not remembered')
    t.strictSame(await listsFor(() => isListening('lifecycle-manager', context)), [false, 1])
    cluster.put(watcher())
    t.strictSame(await listsFor(() => isListening('lifecycle-manager', context)), [true, 1])
    t.strictSame(await listsFor(() => isListening('lifecycle-manager', context)), [true, 0])
    const read = async (event: ReturnType<typeof about>) =>
      (await gather(event, kyma(), context)).manifests.map(({ metadata }) => metadata.name)
    const [event, full] = [{}, { fullSync: true }].map(more => about('apps', 'Deployment', 'shop/web', more)) as [
      ReturnType<typeof about>,
      ReturnType<typeof about>,
    ]
    cluster.put(neither)
    t.strictSame(await listsFor(() => read(event)), [['neither'], 2], 'none holds it, so they are read for it alone')
    cluster.put(synced)
    t.strictSame(await listsFor(() => read(event)), [['neither', 'synced'], 1], 'it was installed a moment ago')
    t.strictSame(await listsFor(() => read(event)), [['neither', 'synced'], 0])
    t.strictSame(await listsFor(() => read(full)), [['neither', 'synced'], 1], 'a full sync is about all there are now')
  },
)
