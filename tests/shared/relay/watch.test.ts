// How the relay sees: which changes count, where they lead, and what becomes of a watch on bad days; on a clock that
// stands still and a cluster in memory.
import t from 'tap'
import type { WatchEventSettings, WatchFilter, WatchMapping } from '../../../shared/api/serverless.ts'
import { type Key, type KubeObject, keyText, type ObjectMeta } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import type { Client, WatchEvent } from '../../../shared/kube/client-types.ts'
import { StreamError } from '../../../shared/kube/errors.ts'
import { steeringOf } from '../../../shared/relay/watches/filters.ts'
import { mappedKey, type OwnMapping } from '../../../shared/relay/watches/mapping.ts'
import { type ObjectChange, passes, SeenObjects } from '../../../shared/relay/watches/seen-objects.ts'
import { startWatches } from '../../../shared/relay/watches/shared-watches.ts'
import { createSubscription, type KeysQuestion } from '../../../shared/relay/watches/subscription.ts'
import { type KindWatchOptions, startWatch, type WatchSurroundings } from '../../../shared/relay/watches/watch.ts'
import { matches } from '../../harness/matches.ts'
import { fakeClock } from './fake-clock.ts'
import { apiError, type FakeCluster, fakeCluster } from './fake-cluster.ts'
import { keptLog } from './silent-log.ts'

const configMap = (metadata: Partial<ObjectMeta>, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'x', ...metadata },
  ...more,
})

const allFilters: WatchFilter[] = ['generation', 'annotations', 'labels', 'status', 'deletion', 'any']

t.test('FN-31 each filter lets through what fits it and nothing else', async t => {
  const before = configMap({ uid: 'u', resourceVersion: '1', generation: 1 }, { spec: {}, status: {} })
  const after = (metadata: Partial<ObjectMeta>, more: object = {}): KubeObject => ({
    ...before,
    ...more,
    metadata: { ...before.metadata, resourceVersion: '2', ...metadata },
  })
  const cases: { change: string; object: KubeObject; lets: WatchFilter[] }[] = [
    { change: 'spec', object: after({ generation: 2 }, { spec: { a: 1 } }), lets: ['generation', 'any'] },
    { change: 'status', object: after({}, { status: { phase: 'Ready' } }), lets: ['status', 'any'] },
    { change: 'annotation', object: after({ annotations: { a: '1' } }), lets: ['annotations', 'any'] },
    { change: 'label', object: after({ labels: { a: '1' } }), lets: ['labels', 'any'] },
    { change: 'deletion', object: after({ deletionTimestamp: '2030-01-01T00:00:00Z' }), lets: ['deletion', 'any'] },
    { change: 'finalizer', object: after({ finalizers: ['a'] }), lets: ['any'] },
    { change: 'nothing new', object: before, lets: [] },
  ]
  for (const { change, object, lets } of cases) {
    const sightings = new SeenObjects(before, allFilters)
    sightings.noticed({ type: 'ADDED', object: before })
    const noticed = sightings.noticed({ type: 'MODIFIED', object })
    const through = allFilters.filter(filter => noticed && passes(noticed, [filter]))
    t.strictSame(through, lets, change)
  }
})

t.test(
  'SEE-40 SEE-43 what people ask by annotation passes every filter; that a function took it away does not',
  async t => {
    const annotated = (resourceVersion: string, annotations: Record<string, string> = {}) =>
      configMap({ uid: 'u', resourceVersion, generation: 1, annotations })
    const { reconcileRequestedAt, suspended } = espalierAnnotations
    const rows: [change: string, annotations: Record<string, string>, isHeard: boolean][] = [
      ['asked', { [reconcileRequestedAt]: '1' }, true],
      ['asked again', { [reconcileRequestedAt]: '2' }, true],
      ['as before', { [reconcileRequestedAt]: '2', other: 'a' }, false],
      ['answered', {}, false],
      ['suspended', { [suspended]: 'alice' }, true],
      ['by another', { [suspended]: 'bob' }, true],
      ['resumed', {}, true],
    ]
    const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['generation'])
    sightings.noticed({ type: 'ADDED', object: annotated('1') })
    for (const [at, [change, annotations, isHeard]] of rows.entries()) {
      const noticed = sightings.noticed({ type: 'MODIFIED', object: annotated(String(at + 2), annotations) })
      t.equal(noticed !== undefined && passes(noticed, ['deletion']), isHeard, change)
    }
  },
)

t.test('SEE-40 of texts that people ask with, however long, a few numbers are remembered', async t => {
  const { reconcileRequestedAt, suspended } = espalierAnnotations
  const text = 'x'.repeat(200_000)
  const annotations = { [reconcileRequestedAt]: text, [suspended]: text }
  const remembered = JSON.stringify(steeringOf(configMap({ annotations })))
  t.ok(remembered.length < 80, remembered.slice(0, 80))
})

t.test('FN-31 each finalizer that goes from an object in deletion passes the filter deletion', async t => {
  const inDeletion = (resourceVersion: string, finalizers: string[]) =>
    configMap({ uid: 'u', resourceVersion, deletionTimestamp: '2030-01-01T00:00:00Z', finalizers })
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['deletion'])
  sightings.noticed({ type: 'ADDED', object: inDeletion('1', ['a', 'b']) })
  t.strictSame(sightings.noticed({ type: 'MODIFIED', object: inDeletion('2', ['b']) })?.changed, ['deletion'])
  t.equal(sightings.noticed({ type: 'MODIFIED', object: inDeletion('3', ['b']) }), undefined)
})

t.test('FN-31 kinds without a generation count as changed when their content changes', async t => {
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['generation'])
  const see = (resourceVersion: string, metadata: object, data: object) =>
    sightings.noticed({ type: 'MODIFIED', object: configMap({ resourceVersion, ...metadata }, { data }) })
  t.equal(see('1', {}, { k: 'v' })?.type, 'ADDED')
  t.equal(see('2', { labels: { a: 'b' } }, { k: 'v' }), undefined)
  t.strictSame(see('3', {}, { k: 'w' })?.changed, ['generation'])
})

t.test('FN-31 any change of a metadata-only object without a generation counts as a change of its content', async t => {
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'Secret' }, ['generation', 'status'])
  sightings.noticed({ type: 'ADDED', object: configMap({ resourceVersion: '1' }) })
  const noticed = sightings.noticed({ type: 'MODIFIED', object: configMap({ resourceVersion: '2' }) })
  t.strictSame(noticed?.changed, ['generation', 'status'])
  t.equal(noticed?.object?.kind, 'Secret', 'and it is called by its real kind')
})

t.test('FN-31 a created, deleted or re-created object passes every filter', async t => {
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['status'])
  const reported = [
    sightings.noticed({ type: 'ADDED', object: configMap({ uid: 'one', resourceVersion: '1' }) }),
    sightings.noticed({ type: 'MODIFIED', object: configMap({ uid: 'two', resourceVersion: '2' }) }),
    sightings.noticed({ type: 'DELETED', object: configMap({ uid: 'two', resourceVersion: '3' }) }),
  ]
  t.ok(reported.every(change => change && passes(change, ['deletion'])))
  t.equal(sightings.size, 0)
})

t.test('FN-32 each mapping leads to its key', async t => {
  const kinds = [{ apiVersion: 'core.example/v1', kind: 'Garden' }]
  const controller = { apiVersion: 'core.example/v1beta1', kind: 'Garden', name: 'g', uid: 'u', controller: true }
  const object = configMap({
    labels: { owner: 'l' },
    annotations: { full: 'y/n', bare: 'n' },
    ownerReferences: [{ ...controller, controller: false, name: 'other' }, controller],
  })
  const owned = (change: object): KubeObject => configMap({ ownerReferences: [{ ...controller, ...change }] })
  const cases: { map: OwnMapping; object?: KubeObject; namespaced: string | undefined; clusterScoped?: string }[] = [
    { map: 'self', namespaced: 'x/a', clusterScoped: 'x/a' },
    { map: 'owner', namespaced: 'x/g', clusterScoped: 'g' },
    { map: 'owner', object: owned({ kind: 'Shoot' }), namespaced: undefined },
    { map: 'owner', object: owned({ apiVersion: 'other.example/v1' }), namespaced: undefined },
    { map: 'owner', object: owned({ controller: undefined }), namespaced: undefined },
    { map: { label: 'owner' }, namespaced: 'x/l', clusterScoped: 'l' },
    { map: { label: 'owner', namespace: 'z' }, namespaced: 'z/l', clusterScoped: 'l' },
    { map: { label: 'missing' }, namespaced: undefined },
    { map: { annotation: 'full' }, namespaced: 'y/n', clusterScoped: 'n' },
    { map: { annotation: 'bare', namespace: 'z' }, namespaced: 'z/n', clusterScoped: 'n' },
    { map: { key: { namespace: 'k', name: 'fixed' } }, namespaced: 'k/fixed', clusterScoped: 'k/fixed' },
    { map: 'cluster', namespaced: 'kcp/kyma', clusterScoped: 'kcp/kyma' },
  ]
  const textOf = (key: Key | undefined) => key && keyText(key)
  for (const { map, namespaced, clusterScoped, ...one } of cases) {
    const sight = { object: one.object ?? object, clusterOwner: { namespace: 'kcp', name: 'kyma' } }
    const name = JSON.stringify(map)
    t.equal(textOf(mappedKey(map, { ...sight, target: { kinds, isNamespaced: true } })), namespaced, name)
    t.equal(textOf(mappedKey(map, { ...sight, target: { kinds, isNamespaced: false } })), clusterScoped, name)
  }
})

/** A subscription to ConfigMaps, and the keys it has called so far. */
const subscribed = (map: WatchMapping, on: WatchFilter[] = ['any']) => {
  const called: string[] = []
  const versions: (string | undefined)[] = []
  const routine: string[] = []
  const questions: KeysQuestion[] = []
  let now = 0
  const settings: WatchEventSettings = { apiVersion: 'v1', kind: 'ConfigMap', on, map }
  const subscription = createSubscription({
    name: 's',
    settings,
    cluster: 'local',
    client: fakeCluster().client,
    target: () => ({ kinds: [], isNamespaced: true }),
    concerns: () => true,
    objectsMost: () => Number.POSITIVE_INFINITY,
    enqueue: (key, { version, isRoutine, foundAt }) => {
      if (isRoutine) routine.push(foundAt === undefined ? keyText(key) : `${keyText(key)} found at ${foundAt}`)
      called.push(keyText(key))
      versions.push(version)
    },
    ask: question => void questions.push(question),
    now: () => now,
  })
  return {
    subscription,
    questions,
    routine,
    at: (time: number) => {
      now = time
    },
    calls: () => called.splice(0).sort(),
    versions: () => versions.splice(0),
  }
}

const changeOf = (type: ObjectChange['type'], object: KubeObject | undefined): ObjectChange => ({
  type,
  object,
  ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name: 'a' },
  changed: 'everything',
})

t.test('FN-30 an event carries the version it shows; listed and deleted objects carry none', async t => {
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['any'])
  const seen = (resourceVersion: string) => configMap({ uid: 'u', resourceVersion })
  sightings.beginList()
  t.equal(sightings.listed(seen('1')).version, undefined)
  t.equal(sightings.noticed({ type: 'MODIFIED', object: seen('2') })?.version, 'u 2')
  t.equal(sightings.noticed({ type: 'DELETED', object: seen('3') })?.version, undefined)
  sightings.listed(seen('3'))
  sightings.beginList()
  matches(t, sightings.endList(), [{ type: 'DELETED', version: undefined }])
  t.equal(sightings.noticed({ type: 'ADDED', object: configMap({ uid: 'w', resourceVersion: '4' }) })?.version, 'w 4')
  for (const map of ['self', { label: 'owner' }, 'keys'] as WatchMapping[]) {
    const { subscription, questions, versions } = subscribed(map)
    subscription.notice({ ...changeOf('MODIFIED', configMap({ labels: { owner: 'one' } })), version: 'u 2' })
    for (const { answered } of questions) answered([{ namespace: 'x', name: 'one' }])
    t.strictSame(versions(), [map === 'keys' ? undefined : 'u 2'], 'an answer may be one to several changes')
  }
})

t.test('FN-101 what the first list shows is nothing new; what a later list or an event shows is', async t => {
  const sightings = new SeenObjects({ apiVersion: 'v1', kind: 'ConfigMap' }, ['any'])
  const seen = (resourceVersion: string) => configMap({ uid: 'u', resourceVersion })
  sightings.beginList()
  sightings.beginList()
  const first = sightings.listed(seen('1'))
  sightings.endList()
  const event = sightings.noticed({ type: 'MODIFIED', object: seen('2') })
  sightings.beginList()
  const same = sightings.listed(seen('2'))
  const second = sightings.listed(seen('3'))
  const anew = sightings.listed(configMap({ uid: 'v', resourceVersion: '3' }))
  t.strictSame(
    [first, event, same, second, anew].map(change => change?.isRoutine),
    [true, undefined, true, undefined, undefined],
    'one that failed and one that shows the same as before show nothing new either',
  )
  for (const map of ['self', 'keys'] as const) {
    const { subscription, questions, calls, routine } = subscribed(map)
    for (const change of [first, second]) {
      subscription.notice(change)
      for (const question of questions.splice(0)) question.answered([{ namespace: 'x', name: 'a' }], question.isRoutine)
    }
    t.equal(calls().length, 2)
    t.equal(routine.length, 1, map)
  }
})

t.test('FN-32 a label that moves calls the old owner and the new one', async t => {
  const { subscription, calls } = subscribed({ label: 'owner' })
  subscription.notice(changeOf('ADDED', configMap({ labels: { owner: 'one' } })))
  t.strictSame(calls(), ['x/one'])
  subscription.notice(changeOf('MODIFIED', configMap({ labels: { owner: 'two' } })))
  t.strictSame(calls(), ['x/one', 'x/two'])
  subscription.notice(changeOf('MODIFIED', configMap({ labels: {} })))
  t.strictSame(calls(), ['x/two'])
})

t.test('FN-32 an object is deleted while nobody watches: the keys it led to are called', async t => {
  for (const map of ['self', { label: 'owner' }, { key: { namespace: 'k', name: 'n' } }] as WatchMapping[]) {
    const { subscription, calls } = subscribed(map)
    subscription.notice(changeOf('ADDED', configMap({ labels: { owner: 'one' } })))
    const before = calls()
    subscription.notice(changeOf('DELETED', undefined))
    t.strictSame(calls(), before, JSON.stringify(map))
    t.equal(before.length, 1)
  }
})

t.test('RE-106 the keys that a function names for an object are called for the time when it was found', async t => {
  const { subscription, questions, routine, at } = subscribed('keys')
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'x', name: 'm' } }
  const seen = new SeenObjects(object, ['any'])
  at(5)
  subscription.notice(seen.listed(object))
  at(7)
  for (const { answered, isRoutine } of questions) answered([{ namespace: 'x', name: 'a' }], isRoutine)
  t.strictSame(routine, ['x/a found at 5'])
})

t.test('FN-32 with the mapping `keys` the answers to the old and the new object count, none twice', async t => {
  const { subscription, questions, calls } = subscribed('keys')
  const answer = (...names: string[]) => questions.shift()?.answered(names.map(name => ({ namespace: 'x', name })))
  subscription.notice(changeOf('ADDED', configMap({})))
  answer('a', 'b', 'a')
  t.strictSame(calls(), ['x/a', 'x/b'])
  subscription.notice(changeOf('MODIFIED', configMap({})))
  answer('b', 'c')
  t.strictSame(calls(), ['x/a', 'x/b', 'x/c'])
  subscription.notice(changeOf('DELETED', undefined))
  t.strictSame(calls(), ['x/b', 'x/c'], 'an end that went unseen calls the keys answered last')
  t.strictSame(questions, [], 'without a question, as there is no object to ask about')
})

/** A watch of the ConfigMaps of a fake cluster, and all it tells. */
const watching = (
  t: { teardown(cleanUp: () => unknown): void },
  options: Partial<KindWatchOptions & WatchSurroundings> = {},
  cluster: FakeCluster = fakeCluster(),
) => {
  const clock = fakeClock()
  const { log, lines } = keptLog()
  const reported: string[] = []
  const resumes: string[] = []
  const watch = startWatch({
    client: cluster.client,
    cluster: 'local',
    watched: { apiVersion: 'v1', kind: 'ConfigMap' },
    filters: ['any'],
    changed: ({ type, ref, object }) => void reported.push(`${type} ${ref.name}${object ? '' : ' unseen'}`),
    clock,
    log,
    idleSeconds: { local: 9, remote: 60 },
    resumed: (kind, cause) => void resumes.push(`${kind} ${cause}`),
    ...options,
  })
  t.teardown(() => watch.stop())
  const lists = () => cluster.requests.filter(({ verb }) => verb === 'list').map(({ page }) => page)
  return { cluster, clock, lines, resumes, watch, lists, reported: () => reported.splice(0) }
}

type Test = Parameters<typeof watching>[0]
type Watching = Pick<ReturnType<typeof watching>, 'cluster'>

const put = ({ cluster }: Watching, ...names: string[]) => {
  for (const name of names) cluster.put(configMap({ name }))
}

t.test('FN-30 existing objects are listed in pages, and each later change is reported', async t => {
  const cluster = fakeCluster({ pageSize: 3 })
  for (let n = 0; n < 7; n++) cluster.put(configMap({ name: `c${n}` }))
  const w = watching(t, {}, cluster)
  await w.clock.advance(0)
  t.strictSame(w.lists(), [0, 1, 2])
  t.equal(w.reported().length, 7)
  put(w, 'c0', 'new')
  cluster.remove('ConfigMap', 'c1', 'x')
  await w.clock.advance(0)
  t.strictSame(w.reported(), ['MODIFIED c0', 'ADDED new', 'DELETED c1'])
  t.strictSame(w.resumes, [])
})

type Begins = () => Iterable<WatchEvent> | AsyncIterable<WatchEvent>

const farOptions = (client: Client) => ({ client, cluster: 'far', idleSeconds: { local: 9, remote: 150 } })

/** A watch as in a remote cluster, whose streams last for minutes. `begins`: what a stream with the list sends instead, or how it fails. */
const watchingFar = (t: Test, begins?: Begins, cluster = fakeCluster()) => {
  const client: Client = {
    ...cluster.client,
    watch: async function* (query) {
      if (query.resourceVersion !== undefined || begins === undefined) return yield* cluster.client.watch(query)
      cluster.requests.push({ verb: 'watch', kind: query.kind })
      yield* begins()
      if (!query.signal?.aborted) await new Promise(resolve => query.signal?.addEventListener('abort', resolve))
    },
  }
  const w = watching(t, farOptions(client), cluster)
  const asked = () => cluster.requests.map(({ verb, resourceVersion }) => (resourceVersion ? 'watch on' : verb))
  return { ...w, client, asked }
}

const event = (type: WatchEvent['type'], name: string, metadata: Partial<ObjectMeta> = {}): WatchEvent => ({
  type,
  object: configMap({ name, uid: name, resourceVersion: '1', ...metadata }),
})

t.test('FN-207 a watch with long streams lists within its first stream', async t => {
  const w = watchingFar(t)
  put(w, 'a', 'b')
  await w.clock.advance(0)
  t.strictSame(w.reported(), ['ADDED a', 'ADDED b'])
  put(w, 'a')
  await w.clock.advance(25)
  t.strictSame(w.reported(), ['MODIFIED a'])
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  put(w, 'b')
  await w.clock.advance(1)
  t.strictSame(w.reported(), ['MODIFIED b'])
  t.strictSame(w.asked(), ['watch', 'watch on'])
  w.cluster.unseen(() => w.cluster.remove('ConfigMap', 'a', 'x'))
  w.cluster.strike('ConfigMap', apiError(410))
  await w.clock.advance(1)
  t.strictSame([w.reported(), w.asked().slice(2)], [['MODIFIED b', 'DELETED a unseen'], ['watch']])
})

const unfinished: Record<string, Begins> = {
  'it fails': () => {
    throw apiError(503)
  },
  'its list breaks': function* () {
    yield event('ADDED', 'a')
    throw new StreamError('dropped', 'broken')
  },
  'it never ends the list': () => [event('ADDED', 'a'), event('BOOKMARK', '', { uid: undefined })],
}

for (const [how, begins] of Object.entries(unfinished))
  t.test(`FN-207 if ${how}, the list is read in pages, and this is no interruption`, async t => {
    const w = watchingFar(t, begins)
    put(w, 'a', 'b')
    const tried = { isOver: false }
    void w.watch.tried.then(() => {
      tried.isOver = true
    })
    await w.clock.advance(how.includes('never') ? 19.9 : 0)
    if (how.includes('never')) t.notOk(tried.isOver)
    await w.clock.advance(0.2)
    t.ok(tried.isOver)
    t.ok(w.reported().includes('ADDED b'))
    t.strictSame(w.asked(), ['watch', 'list', 'watch on'])
    w.cluster.strike('ConfigMap', apiError(410))
    await w.clock.advance(1)
    t.strictSame(w.asked().slice(3), ['list', 'watch on'], 'and later too')
    t.strictSame(w.resumes, ['ConfigMap gone'])
  })

t.test('FN-207 an API server that refuses the list within a stream is asked once', async t => {
  const w = watchingFar(t, () => {
    throw apiError(422, { reason: 'Invalid' })
  })
  await w.clock.advance(0)
  t.strictSame(w.asked(), ['watch', 'list', 'watch on'])
  const { cluster, client } = w
  await watching(t, farOptions(client), cluster).clock.advance(0)
  t.strictSame(w.asked().slice(3), ['list', 'watch on'])
})

t.test('FN-207 watches that begin together wait for the answer to the first', async t => {
  for (const { answer, asked } of [
    { answer: () => [event('ADDED', 'a')], asked: ['watch', 'watch'] },
    {
      answer: () => {
        throw apiError(422)
      },
      asked: ['watch', 'list', 'watch on', 'list', 'watch on'],
    },
  ]) {
    const answers = Promise.withResolvers<void>()
    const first = watchingFar(t, async function* () {
      await answers.promise
      yield* answer()
    })
    const both = [first, watching(t, farOptions(first.client), first.cluster)]
    for (const { clock } of both) await clock.advance(0)
    t.strictSame(first.asked(), ['watch'])
    answers.resolve()
    for (const { clock } of both) await clock.advance(0)
    t.strictSame(first.asked().toSorted(), asked.toSorted())
  }
})

t.test('FN-207 a kind that is not served is an interruption, and is not listed', async t => {
  const w = watchingFar(t, () => {
    throw apiError(404)
  })
  await w.clock.advance(0)
  t.strictSame([w.watch.interruption?.cause, w.asked()], ['notServed', ['watch']])
})

t.test('FN-207 RE-04 what changes during the list is reported as it is', async t => {
  const end = event('BOOKMARK', '', { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } })
  const w = watchingFar(t, () => [
    event('ADDED', 'a'),
    event('ADDED', 'b'),
    event('DELETED', 'a', { resourceVersion: '2' }),
    event('MODIFIED', 'b', { resourceVersion: '3' }),
    end,
  ])
  await w.clock.advance(0)
  t.strictSame(w.reported(), ['ADDED a', 'ADDED b', 'DELETED a', 'MODIFIED b'])
  await w.clock.advance(25)
  t.strictSame(w.asked(), ['watch'], 'the list has ended')
})

t.test('FN-42 a dropped watch resumes from its resourceVersion: no event is reported twice or lost', async t => {
  const w = watching(t)
  put(w, 'a')
  await w.clock.advance(0)
  t.strictSame(w.reported(), ['ADDED a'])
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  put(w, 'b')
  await w.clock.advance(1)
  t.strictSame(w.reported(), ['ADDED b'])
  t.strictSame(w.lists(), [0], 'no second list')
  t.strictSame(w.resumes, ['ConfigMap dropped'])
})

t.test('FN-42 an interruption is logged once when it begins, and at its end with the time since when', async t => {
  const w = watching(t)
  await w.clock.advance(1)
  const heal = w.cluster.fail(
    ({ verb }) => verb === 'watch',
    () => apiError(503),
  )
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  await w.clock.advance(60)
  t.equal(w.watch.interruption?.cause, 'unavailable')
  heal()
  // It is tried again 21 to 29.1 s from here, as the jitter has it, and silent for nine seconds it were trouble again.
  await w.clock.advance(29.5)
  put(w, 'a')
  await w.clock.advance(0)
  t.equal(w.watch.interruption, undefined)
  t.strictSame(
    w.lines.filter(({ level }) => level !== 'debug').map(({ level, message }) => `${level}: ${message}`),
    ['warn: watch interrupted', 'warn: watch interrupted', 'info: watch works again'],
    'one line per cause',
  )
  const since = new Date('2030-01-01T00:00:01Z')
  matches(
    t,
    w.lines.filter(({ level }) => level !== 'debug').map(({ fields }) => fields),
    [
      { cause: 'dropped', since },
      { cause: 'unavailable', since },
      { cause: 'unavailable', since },
    ],
    'each of them says since when',
  )
})

t.test('FN-42 a watch without events works again when its stream ends at its timeoutSeconds', async t => {
  const w = watching(t)
  await w.clock.advance(0)
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  await w.clock.advance(1)
  t.equal(w.watch.interruption?.cause, 'dropped')
  await w.clock.advance(6.5)
  w.cluster.strike('ConfigMap')
  await w.clock.advance(0)
  t.equal(w.watch.interruption, undefined)
})

t.test('FN-42 each error has its cause, and resumes the watch or lists again', async t => {
  const cases = [
    { error: new StreamError('dropped', ''), cause: 'dropped', relists: false },
    { error: new StreamError('silent', ''), cause: 'silent', relists: false },
    { error: new StreamError('garbage', ''), cause: 'garbage', relists: true },
    { error: apiError(410, { reason: 'Expired' }), cause: 'gone', relists: true },
    { error: apiError(429), cause: 'throttled', relists: false },
    { error: apiError(403), cause: 'refused', relists: false },
    { error: apiError(404), cause: 'notServed', relists: true },
    { error: apiError(500), cause: 'unavailable', relists: false },
    { error: undefined, cause: 'ended', relists: false },
  ]
  for (const { error, cause, relists } of cases) {
    const w = watching(t)
    put(w, 'a')
    await w.clock.advance(0)
    w.reported()
    w.cluster.strike('ConfigMap', error)
    put(w, 'b')
    await w.clock.advance(5)
    t.strictSame(w.resumes, [`ConfigMap ${cause}`])
    t.strictSame(w.lists(), relists ? [0, 0] : [0], `${cause}: ${relists ? 'one list more' : 'no list'}`)
    t.ok(w.reported().includes('ADDED b'))
  }
})

t.test('RE-05 FN-37 410 leads to exactly one paged list that calls everything and notices deletions', async t => {
  const cluster = fakeCluster({ pageSize: 3 })
  for (let n = 0; n < 7; n++) cluster.put(configMap({ name: `c${n}` }))
  const w = watching(t, {}, cluster)
  await w.clock.advance(0)
  w.reported()
  cluster.unseen(() => cluster.remove('ConfigMap', 'c3', 'x'))
  cluster.strike('ConfigMap', apiError(410, { reason: 'Expired' }))
  await w.clock.advance(1)
  t.strictSame(w.lists(), [0, 1, 2, 0, 1])
  const reported = w.reported()
  t.strictSame(reported.filter(line => line.startsWith('MODIFIED')).length, 6)
  t.ok(reported.includes('DELETED c3 unseen'))
  await w.clock.advance(60)
  t.strictSame(w.lists(), [0, 1, 2, 0, 1], 'and no other list follows')
})

t.test(
  'FN-37 FN-30 an event carries its version; the list after a 410 carries none, as changes may be unseen',
  async t => {
    const versions: (string | undefined)[] = []
    const w = watching(t, { changed: ({ version }) => void versions.push(version) })
    const { metadata } = w.cluster.put(configMap({ name: 'a' }))
    await w.clock.advance(0)
    w.cluster.strike('ConfigMap', apiError(410, { reason: 'Expired' }))
    await w.clock.advance(1)
    t.strictSame(versions, [`${metadata.uid} ${metadata.resourceVersion}`, undefined])
  },
)

t.test('RE-05 a 410 in answer to the watch request leads to one list too', async t => {
  const w = watching(t)
  put(w, 'a')
  await w.clock.advance(0)
  let times = 1
  w.cluster.fail(
    ({ verb }) => verb === 'watch' && times-- > 0,
    () => apiError(410, { reason: 'Expired' }),
  )
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  await w.clock.advance(2)
  t.strictSame(w.lists(), [0, 0])
  t.strictSame(w.resumes, ['ConfigMap dropped', 'ConfigMap gone'])
})

t.test('RE-05 a 410 after every list leads to ever longer waits, not to a storm of lists', async t => {
  const w = watching(t)
  w.cluster.fail(
    ({ verb }) => verb === 'watch',
    () => apiError(410, { reason: 'Expired' }),
  )
  await w.clock.advance(60)
  t.ok(w.lists().length <= 10, `${w.lists().length} lists in a minute`)
})

t.test('RE-04 events between two lists are never seen, and the next list makes up for them', async t => {
  const w = watching(t)
  put(w, 'gone', 'changed', 'same')
  await w.clock.advance(0)
  w.reported()
  w.cluster.unseen(() => {
    w.cluster.remove('ConfigMap', 'gone', 'x')
    put(w, 'changed', 'new')
  })
  w.cluster.strike('ConfigMap', new StreamError('garbage', 'no event'))
  await w.clock.advance(1)
  t.strictSame(w.reported().sort(), ['ADDED new', 'DELETED gone unseen', 'MODIFIED changed', 'MODIFIED same'])
})

t.test('RE-06 a stream that says nothing is resumed within ten seconds', async t => {
  const w = watching(t)
  await w.clock.advance(0)
  t.equal(w.cluster.streams('ConfigMap').length, 1)
  await w.clock.advance(9.5)
  t.strictSame(w.resumes, ['ConfigMap silent'])
  t.equal(w.cluster.streams('ConfigMap').length, 1, 'the silent one is closed, another is open')
  t.equal(w.cluster.streams('ConfigMap')[0]?.timeoutSeconds, 7, 'servers are asked to end streams before that')
})

t.test('RE-06 a stream that ends at its timeoutSeconds is no interruption', async t => {
  const w = watching(t)
  await w.clock.advance(7)
  w.cluster.strike('ConfigMap')
  await w.clock.advance(0)
  t.equal(w.cluster.streams('ConfigMap').length, 1)
  t.strictSame(w.resumes, [])
  t.strictSame(w.lines, [])
})

t.test('RE-06 a stream that a proxy cuts after some seconds resumes at once, and is no interruption', async t => {
  for (const error of [new StreamError('dropped', 'cut'), undefined]) {
    const states: (string | undefined)[] = []
    const w = watching(t, { cluster: 'runtimes/one', state: trouble => void states.push(trouble?.cause) })
    const { cluster, clock } = w
    await clock.advance(1)
    cluster.strike('ConfigMap', error)
    await clock.advance(1)
    for (let n = 0; n < 10; n++) {
      t.equal(cluster.streams('ConfigMap').length, 1, 'the next one follows at once')
      await clock.advance(50)
      cluster.strike('ConfigMap', error)
      await clock.advance(0)
    }
    const cause = error ? 'dropped' : 'ended'
    t.strictSame(states, [cause, undefined], 'the first one, which had not lived at all, was trouble')
    t.strictSame(w.resumes, Array(11).fill(`ConfigMap ${cause}`), 'and all are counted')
    t.strictSame(w.lists(), [0])
  }
})

t.test('RE-06 streams that are dropped right after they begin lead to ever longer waits', async t => {
  const w = watching(t, { cluster: 'runtimes/one' })
  for (let n = 0; n < 300; n++) {
    await w.clock.advance(1)
    w.cluster.strike('ConfigMap', new StreamError('dropped', 'cut'))
  }
  t.equal(w.watch.interruption?.cause, 'dropped')
  const asked = w.cluster.requests.filter(({ verb }) => verb === 'watch').length
  t.ok(asked < 20, `${asked} streams in five minutes`)
})

t.test('FN-41 a watch that is stopped while it lists begins no stream and tells no more of its state', async t => {
  const cluster = fakeCluster()
  const listed = Promise.withResolvers<void>()
  const answers = [() => Promise.reject(apiError(503)), () => listed.promise]
  const client: Client = {
    ...cluster.client,
    bound: () => client,
    pages: async function* (query) {
      await answers.shift()?.()
      yield* cluster.client.pages(query)
    },
  }
  const states: (string | undefined)[] = []
  const w = watching(t, { client, state: trouble => void states.push(trouble?.cause) })
  await w.clock.advance(1)
  const stopped = w.watch.stop()
  listed.resolve()
  await stopped
  t.strictSame(states, ['unavailable'])
  t.strictSame(
    cluster.requests.map(({ verb }) => verb),
    ['list'],
  )
})

t.test('RE-07 429 with Retry-After is obeyed', async t => {
  const w = watching(t)
  await w.clock.advance(0)
  const heal = w.cluster.fail(
    ({ verb }) => verb === 'watch',
    () => apiError(429, { retryAfterSeconds: 20 }),
  )
  w.cluster.strike('ConfigMap', new StreamError('dropped', 'broken'))
  await w.clock.advance(1)
  const asked = w.cluster.requests.length
  heal()
  await w.clock.advance(19)
  t.equal(w.cluster.requests.length, asked)
  await w.clock.advance(3)
  t.equal(w.cluster.requests.length, asked + 1, 'with the jitter at the latest')
})

t.test('a list that fails half way is begun again and forgets no object', async t => {
  const cluster = fakeCluster({ pageSize: 2 })
  for (let n = 0; n < 5; n++) cluster.put(configMap({ name: `c${n}` }))
  const w = watching(t, {}, cluster)
  await w.clock.advance(0)
  w.reported()
  const heal = cluster.fail(
    ({ verb, page }) => verb === 'list' && page === 1,
    () => apiError(410),
  )
  cluster.unseen(() => cluster.remove('ConfigMap', 'c4', 'x'))
  cluster.strike('ConfigMap', new StreamError('garbage', ''))
  await w.clock.advance(0.3)
  t.notOk(
    w.reported().some(line => line.startsWith('DELETED')),
    'what a broken list did not show is not gone',
  )
  heal()
  await w.clock.advance(2)
  t.ok(w.reported().includes('DELETED c4 unseen'))
})

t.test('FN-30 functions that ask for the same objects share one watch', async t => {
  const cluster = fakeCluster()
  const clock = fakeClock()
  const { log } = keptLog()
  const noticed: string[] = []
  const settings: WatchEventSettings = { apiVersion: 'v1', kind: 'ConfigMap', on: ['any'], map: 'self' }
  const listener = (name: string, more: Partial<WatchEventSettings> = {}) => ({
    settings: { ...settings, ...more },
    notice: ({ ref }: ObjectChange) => void noticed.push(`${name} ${ref.name}`),
  })
  const subscriptions = [
    listener('one'),
    listener('two', { on: ['labels'], metadataOnly: false }),
    listener('three', { labelSelector: 'a=b' }),
  ]
  const surroundings = { clock, log, idleSeconds: { local: 9, remote: 60 }, resumed: () => {} }
  const watches = startWatches(
    { cluster: 'local', client: cluster.client, subscriptions, objectsMost: () => 1_000 },
    surroundings,
  )
  await clock.advance(0)
  t.equal(cluster.streams('ConfigMap').length, 2)
  cluster.put(configMap({ labels: { a: 'b' } }))
  await clock.advance(0)
  t.strictSame(noticed.sort(), ['one a', 'three a', 'two a'])
  await watches.stop()
  t.equal(cluster.streams('ConfigMap').length, 0)
  t.equal(clock.timers, 0)
})
