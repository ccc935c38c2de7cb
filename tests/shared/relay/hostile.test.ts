// What a remote cluster that means ill can do to the relay: call its own owners, be remembered as far as they have declared,
// and be left alone for ever longer. On a clock that stands still and clusters in memory.
import t from 'tap'
import type { InventorySettings, WatchEventSettings, WatchMapping } from '../../../shared/api/serverless.ts'
import { type Key, type KubeObject, keyText } from '../../../shared/core/objects/object.ts'
import { StreamError } from '../../../shared/kube/errors.ts'
import { Inventory } from '../../../shared/relay/dependents/inventory.ts'
import { startObserving } from '../../../shared/relay/observe.ts'
import type { Reconciler } from '../../../shared/relay/reconcilers.ts'
import { mappedKey } from '../../../shared/relay/watches/mapping.ts'
import { NamespacedKinds } from '../../../shared/relay/watches/namespaced-kinds.ts'
import { type ObjectChange, SeenObjects } from '../../../shared/relay/watches/seen-objects.ts'
import { createSubscription, type KeysQuestion, PreviousKeys } from '../../../shared/relay/watches/subscription.ts'
import { startWatch } from '../../../shared/relay/watches/watch.ts'
import { matches } from '../../harness/matches.ts'
import { fakeClock } from './fake-clock.ts'
import { apiError, fakeCluster } from './fake-cluster.ts'
import { keptLog } from './silent-log.ts'

const settings: InventorySettings = {
  path: 'status.inventory',
  ownerLabel: 'owner-id',
  ownerAnnotation: 'owner',
  cluster: 'runtimes',
  clusterLabel: 'runtime',
}

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
const configMap = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }

/** An object of the function, with something in a runtime. */
const component = (name: string, runtime: string, inventory: object[] = [deployment]): KubeObject => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'x', labels: { runtime } },
  status: { inventory },
})

/** Deployments d0, d1 and so on, as an inventory lists them. */
const listed = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ ...deployment, namespace: 'y', name: `d${n}` }))

/** A dependent that says whose it is. */
const claimed = (name: string, owner: unknown): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'y', labels: { 'owner-id': 'z' }, annotations: { owner: owner as string } },
})

const changeOf = (type: ObjectChange['type'], object: KubeObject): ObjectChange => ({
  type,
  object,
  ref: { apiVersion: object.apiVersion, kind: object.kind, namespace: 'x', name: object.metadata.name },
  changed: 'everything',
})

const surroundings = () => {
  const clock = fakeClock()
  const { log, lines } = keptLog()
  const resumes: string[] = []
  const resumed = (kind: string, cause: string) => void resumes.push(`${kind} ${cause}`)
  return { clock, log, lines, resumes, idleSeconds: { local: 9, remote: 60 }, resumed }
}

const inventoryOf = () => {
  const around = surroundings()
  const far = fakeCluster({ clock: around.clock, pageSize: 1_000 })
  const called: string[] = []
  const versions: (string | undefined)[] = []
  const inventory = new Inventory(
    {
      functionName: 'component',
      settings,
      target: () => ({ kinds: [], isNamespaced: true }),
      enqueue: (key, trigger) => {
        called.push(keyText(key))
        versions.push(trigger?.version)
      },
      local: fakeCluster().client,
      pollSeconds: 60,
    },
    around,
  )
  inventory.clusterBegan('runtimes/bad', far.client)
  const notice = (object: KubeObject) => inventory.notice(changeOf('MODIFIED', object))
  return { ...around, far, inventory, notice, calls: () => called.splice(0), versions }
}

const keyOf = (name: string): Key => ({ namespace: 'x', name })

t.test(
  'RE-28 an object of a remote cluster calls its owner only if that owner has dependents of its kind there',
  async t => {
    const { far, clock, inventory, notice, calls } = inventoryOf()
    notice(component('one', 'bad', listed(10)))
    notice(component('two', 'good', listed(10)))
    notice(component('three', 'bad', [configMap]))
    notice({ ...component('four', 'bad', listed(10)), metadata: { name: 'four', namespace: 'x' } })
    await clock.advance(0)
    calls()
    const owners = ['x/one', 'x/two', 'x/three', 'x/four', 'x/nobody', 'other/one', '', 7, {}, 'x/'.repeat(100_000)]
    for (const [n, owner] of owners.entries()) far.put(claimed(`d${n}`, owner))
    await clock.advance(0)
    t.strictSame(calls(), ['x/one'], 'as events')
    far.strike('Deployment', apiError(410, { reason: 'Expired' }))
    await clock.advance(1)
    t.strictSame(new Set(calls()), new Set(['x/one']), 'as lines of a list')
    for (const [n] of owners.entries()) far.remove('Deployment', `d${n}`, 'y')
    await clock.advance(0)
    t.strictSame(calls(), ['x/one'], 'as ends')
    await inventory.stop()
  },
)

t.test('RE-28 an owner whose dependent is seen before its inventory names the kind is called once it does', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad'))
  notice(component('late', 'bad', []))
  await clock.advance(0)
  far.put(claimed('d', 'x/late'))
  await clock.advance(0)
  t.strictSame(calls(), [])
  notice(component('late', 'bad'))
  t.strictSame(calls(), ['x/late'])
  notice(component('late', 'bad', [deployment, configMap]))
  t.strictSame(calls(), [], 'once')
  far.put(claimed('d2', 'x/unknown'))
  await clock.advance(0)
  notice(component('unknown', 'bad'))
  t.strictSame(calls(), [], 'one that is not there yet is called when it is seen itself')
  await inventory.stop()
})

t.test('RE-71 an object that names an owner calls it only while its inventory names the object', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad', listed(2)))
  await clock.advance(0)
  for (let change = 0; change < 20; change++)
    for (const name of ['d0', 'd2', 'other']) far.put({ ...claimed(name, 'x/one'), spec: { change } })
  far.put({ ...claimed('d1', 'x/one'), metadata: { ...claimed('d1', 'x/one').metadata, namespace: 'elsewhere' } })
  await clock.advance(0)
  t.strictSame(calls(), Array(20).fill('x/one'), 'the changes of d0')
  notice(component('one', 'bad', listed(3)))
  t.strictSame(calls(), ['x/one'], 'what came before the inventory named d2')
  notice(component('one', 'bad', listed(2)))
  far.put(claimed('d2', 'x/one'))
  far.remove('Deployment', 'other', 'y')
  await clock.advance(0)
  t.strictSame(calls(), [], 'no longer named')
  far.remove('Deployment', 'd0', 'y')
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'], 'the end of d0')
  await inventory.stop()
})

t.test(
  'RE-71 the object that a Manifest holds in spec.resource calls its owner, in whichever namespace it is',
  async t => {
    const around = surroundings()
    const local = fakeCluster({ clock: around.clock })
    const called: string[] = []
    const inventory = new Inventory(
      {
        functionName: 'manifest',
        settings: { path: 'spec.resource', ownerLabel: 'owner-id', ownerAnnotation: 'owner' },
        target: () => ({ kinds: [], isNamespaced: true }),
        enqueue: key => void called.push(keyText(key)),
        local: local.client,
        pollSeconds: 60,
      },
      around,
    )
    inventory.clusterBegan('local', local.client)
    const spec = { resource: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' } } }
    inventory.notice(changeOf('MODIFIED', { ...component('one', ''), spec }))
    await around.clock.advance(0)
    local.put(claimed('d', 'x/one'))
    local.put(claimed('d9', 'x/one'))
    await around.clock.advance(0)
    t.strictSame(called, ['x/one'])
    await inventory.stop()
  },
)

t.test('RE-28 a thousand owners are remembered whose dependents were seen before their inventories', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad'))
  const late = Array.from({ length: 1_100 }, (_, n) => `late-${n}`)
  for (const name of late) notice(component(name, 'bad', []))
  await clock.advance(0)
  for (const name of late) far.put(claimed(name, `x/${name}`))
  await clock.advance(0)
  t.strictSame(calls(), [])
  for (const name of late) notice(component(name, 'bad', [{ ...deployment, name }]))
  await clock.advance(0)
  t.strictSame(
    calls(),
    late.slice(100).map(name => `x/${name}`),
    'those that were seen last',
  )
  await inventory.stop()
})

t.test('RE-71 an object that was named before, and is deleted after, calls nobody', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad', listed(2)))
  await clock.advance(0)
  far.put(claimed('d1', 'x/one'))
  await clock.advance(0)
  notice(component('one', 'bad', listed(1)))
  calls()
  far.remove('Deployment', 'd1', 'y')
  await clock.advance(0)
  t.strictSame(calls(), [])
  await inventory.stop()
})

t.test('RE-71 foreign objects take no room from those that are named: a deletion nobody saw is noticed', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad', listed(1)))
  await clock.advance(0)
  for (let n = 0; n < 300; n++) far.put(claimed(`foreign-${n}`, 'x/one'))
  far.put(claimed('d0', 'x/one'))
  await clock.advance(0)
  calls()
  far.unseen(() => far.remove('Deployment', 'd0', 'y'))
  far.strike('Deployment', apiError(410, { reason: 'Expired' }))
  await clock.advance(1)
  t.strictSame(calls(), ['x/one', 'x/one'], 'it is missed, and trouble calls once')
  await inventory.stop()
})

t.test('RE-71 an early event tells which state it showed; two of them may be anything', async t => {
  const { far, clock, inventory, notice, versions } = inventoryOf()
  notice(component('one', 'bad'))
  await clock.advance(0)
  const once = far.put(claimed('d0', 'x/one'))
  for (const change of [1, 2]) far.put({ ...claimed('d1', 'x/one'), spec: { change } })
  await clock.advance(0)
  versions.splice(0)
  notice(component('one', 'bad', listed(2)))
  t.strictSame(versions, [`${once.metadata.uid} ${once.metadata.resourceVersion}`, undefined])
  await inventory.stop()
})

t.test('RE-28 an object moves to an owner without dependents there: only the owner it leaves is called', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad'))
  notice(component('two', 'good'))
  await clock.advance(0)
  for (const owner of ['x/one', 'x/two', 'x/two']) far.put(claimed('d', owner))
  await clock.advance(0)
  t.strictSame(calls(), ['x/one', 'x/one'])
  await inventory.stop()
})

t.test('RE-28 an owner declares n dependents: at most 2n + 100 objects that it names are remembered', async t => {
  const { far, clock, inventory, notice, calls } = inventoryOf()
  notice(component('one', 'bad'))
  await clock.advance(0)
  for (let n = 0; n < 1_000; n++)
    far.put({ ...claimed('d', 'x/one'), metadata: { ...claimed('d', 'x/one').metadata, namespace: `y${n}` } })
  await clock.advance(0)
  t.equal(calls().length, 1_000, 'all are news')
  far.unseen(() => {
    for (let n = 0; n < 1_000; n++) far.remove('Deployment', 'd', `y${n}`)
  })
  far.strike('Deployment', apiError(410, { reason: 'Expired' }))
  await clock.advance(1)
  t.equal(calls().length, 102 + 1, 'as many are missed, and trouble calls once')
  await inventory.stop()
})

t.test(
  'RE-28 seen objects and previous keys are remembered up to a bound, objects only when they are wanted',
  async t => {
    const memory = { concerns: ({ metadata }: KubeObject) => metadata.name !== 'nobody', objectsMost: () => 2 }
    const sightings = new SeenObjects(configMap, ['any'], memory)
    const seen = (name: string, resourceVersion = '1') =>
      sightings.noticed({
        type: 'MODIFIED',
        object: { ...configMap, metadata: { name, uid: 'u', resourceVersion } },
      })?.type
    t.strictSame(
      ['nobody', 'a', 'b', 'c'].map(name => seen(name)),
      Array(4).fill('ADDED'),
    )
    t.equal(sightings.size, 2)
    t.strictSame([seen('a'), seen('c'), seen('nobody')], [undefined, 'ADDED', 'ADDED'], 'who is not remembered is new')
    const trail = new PreviousKeys(() => 1)
    const led = (name: string, owner: string) =>
      trail.follow(changeOf('MODIFIED', { ...configMap, metadata: { name } }), [keyOf(owner)]).map(({ name }) => name)
    t.strictSame([led('a', 'one'), led('b', 'one')], [['one'], ['one']])
    t.strictSame([led('a', 'two'), led('b', 'two')], [['one', 'two'], ['two']])
  },
)

t.test('RE-28 an owner annotation that is no text, or longer than 1,024 characters, leads to no key', async t => {
  const target = { kinds: [], isNamespaced: true }
  const object = claimed('d', `x/${'y'.repeat(2_000)}`)
  t.equal(mappedKey({ annotation: 'owner' }, { object, target }), undefined)
  t.equal(mappedKey({ annotation: 'owner' }, { object: claimed('d', ['x']), target }), undefined)
})

t.test('RE-28 an object of a remote cluster leads only to keys that it concerns, and to fixed keys', async t => {
  const called: string[] = []
  const questions: KeysQuestion[] = []
  const noticed = (map: WatchMapping, object: KubeObject, answer: Key[] = []): string[] => {
    const subscription = createSubscription({
      name: 's',
      settings: { ...configMap, on: ['any'], map },
      cluster: 'runtimes/bad',
      client: fakeCluster().client,
      target: () => ({ kinds: [], isNamespaced: true }),
      clusterOwner: keyOf('owner'),
      concerns: ({ name }) => name === 'ours',
      objectsMost: () => 10,
      enqueue: key => void called.push(keyText(key)),
      now: () => 0,
      ask: question => void questions.push(question),
    })
    subscription.notice(changeOf('ADDED', object))
    for (const question of questions.splice(0)) question.answered(answer)
    return called.splice(0)
  }
  t.strictSame(noticed({ annotation: 'owner' }, claimed('d', 'x/ours')), ['x/ours'])
  t.strictSame(noticed({ annotation: 'owner' }, claimed('d', 'x/theirs')), [])
  t.strictSame(noticed('self', { ...configMap, metadata: { name: 'theirs', namespace: 'x' } }), [])
  t.strictSame(noticed('keys', claimed('d', ''), [keyOf('ours'), keyOf('theirs')]), ['x/ours'])
  t.strictSame(noticed('cluster', claimed('d', '')), ['x/owner'])
  t.strictSame(noticed({ key: keyOf('fixed') }, claimed('d', '')), ['x/fixed'])
})

t.test('RE-28 of what a watch of serverless.yml shows in a remote cluster 20,000 objects are remembered', async t => {
  const around = surroundings()
  const [local, far] = [fakeCluster(), fakeCluster({ clock: around.clock, pageSize: 5_000 })]
  const access = { name: 's', namespace: 'kcp', labels: { name: 'bad' } }
  local.put({ apiVersion: 'v1', kind: 'Secret', metadata: access })
  for (let n = 0; n < 20_500; n++) far.put({ ...configMap, metadata: { name: `c${n}`, namespace: 'x' } })
  let called = 0
  const observed = startObserving({
    reconcilers: [watcherOf('runtimes')],
    remotes: {
      runtimes: {
        namespace: 'kcp',
        optionalLabels: {},
        nameLabel: 'name',
        kubeconfigKey: 'config',
        allowedHosts: ['*'],
      },
    },
    local: local.client,
    clusters: { of: async () => far.client },
    calls: { lanes: [], call: () => void called++, ask() {}, wake() {}, stop: async () => {} },
    scopes: new NamespacedKinds(local.client),
    surroundings: around,
    pollSeconds: 60,
    reached() {},
  })
  await around.clock.advance(0)
  t.equal(called, 20_500, 'each is news')
  far.unseen(() => {
    for (let n = 0; n < 20_500; n++) far.remove('ConfigMap', `c${n}`, 'x')
  })
  far.strike('ConfigMap', apiError(410, { reason: 'Expired' }))
  await around.clock.advance(1)
  t.equal(called - 20_500, 20_000, 'and so many are missed')
  await observed.stop()
})

/** A function that watches ConfigMaps in a group of remote clusters. */
const watcherOf = (cluster: string): Reconciler => {
  const watch: WatchEventSettings = { ...configMap, cluster, on: ['any'], map: 'cluster' }
  const settings = { handler: '', description: '', timeout: 1, concurrency: 1, memorySize: 1, access: [] }
  const patience = { failureBaseSeconds: 1, failureMaxSeconds: 60 }
  const events = [{ watch }]
  const none = { schedules: [], inventories: [], own: [], fixed: [] }
  return { name: 'f', settings: { ...settings, ...patience, events }, watches: [watch], ...none }
}

/** A watch in a remote cluster. */
const watching = () => {
  const around = surroundings()
  const cluster = fakeCluster({ clock: around.clock })
  const states: (string | undefined)[] = []
  const watch = startWatch({
    ...around,
    client: cluster.client,
    cluster: 'runtimes/bad',
    watched: { apiVersion: 'v1', kind: 'ConfigMap' },
    filters: ['any'],
    changed: () => {},
    state: trouble => void states.push(trouble?.cause),
  })
  const lists = () => cluster.requests.filter(({ verb, page }) => verb === 'list' && page === 0).length
  return { ...around, cluster, watch, states, lists }
}

const flood = new StreamError('excess', 'the watch of ConfigMap: events arrive faster than they are read')

t.test('RE-28 a watch that exceeds the limits waits ever longer, and log and metric say why', async t => {
  const { clock, cluster, watch, states, lists, lines, resumes } = watching()
  await clock.advance(1)
  const stop = cluster.fail(
    ({ verb }) => verb === 'watch',
    () => flood,
  )
  cluster.strike('ConfigMap', flood)
  await clock.advance(59)
  t.equal(lists(), 1, 'a minute at least')
  await clock.advance(10)
  t.equal(lists(), 2, 'then it lists anew')
  await clock.advance(110)
  t.equal(lists(), 2)
  await clock.advance(25)
  t.equal(lists(), 3)
  await clock.advance(24 * 3600)
  t.ok(lists() < 105, 'a quarter of an hour at most')
  t.strictSame(new Set(resumes), new Set(['ConfigMap excess']))
  matches(
    t,
    lines.filter(({ level }) => level === 'warn').map(({ fields, message }) => ({ fields, message })),
    [{ message: 'watch interrupted', fields: { cause: 'excess', error: flood.message } }],
  )
  t.strictSame(new Set(states), new Set(['excess']), 'a list and a first event are no sign that it is over')
  stop()
  await clock.advance(1_000 + 58)
  t.strictSame(states.at(-1), undefined, 'a stream that lived is')
  t.equal(watch.interruption, undefined)
  await watch.stop()
})

t.test('RE-28 a stream that brings an event and then a 410, again and again, leads to ever longer waits', async t => {
  const { clock, cluster, watch, lists } = watching()
  for (let n = 0; n < 600; n++) {
    cluster.put({ ...configMap, metadata: { name: `c${n}`, namespace: 'x' } })
    await clock.advance(0)
    cluster.strike('ConfigMap', apiError(410, { reason: 'Expired' }))
    await clock.advance(0.5)
  }
  t.ok(lists() < 25, `${lists()} lists in five minutes`)
  await watch.stop()
})

t.test(
  'RE-28 owners whose watch exceeds the limits are called every minute until it works, and no other owner is',
  async t => {
    const { far, clock, inventory, notice, calls, lines } = inventoryOf()
    notice(component('one', 'bad', [deployment, configMap]))
    notice(component('two', 'bad', [configMap]))
    await clock.advance(1)
    calls()
    const stop = far.fail(
      ({ verb, kind }) => verb === 'watch' && kind === 'Deployment',
      () => flood,
    )
    far.strike('Deployment', flood)
    await clock.advance(59)
    t.strictSame(calls(), [])
    await clock.advance(1)
    t.strictSame(calls(), ['x/one'], 'polled')
    stop()
    await clock.advance(300)
    calls()
    await clock.advance(300)
    t.strictSame(calls(), [], 'the watch works again')
    matches(
      t,
      lines.filter(({ message }) => message.includes('polled')).map(({ fields }) => fields),
      [{ function: 'component', cluster: 'runtimes/bad', kind: 'Deployment', cause: 'excess', pollSeconds: 60 }],
    )
    await inventory.stop()
  },
)
