// What the relay watches beyond serverless.yml: kinds named in inventories, and clusters found through access Secrets;
// and how functions are asked whose keys an object concerns. On a clock that stands still and clusters in memory.
import t from 'tap'
import type { InventorySettings, RemoteSettings } from '../../../shared/api/serverless.ts'
import { type KubeObject, keyText, versionText } from '../../../shared/core/objects/object.ts'
import type { ClientOptions, RequestNote } from '../../../shared/kube/client-types.ts'
import { AccessError } from '../../../shared/kube/errors.ts'
import type { Host, HostReply, KeysRequest } from '../../../shared/relay/calls/function-host.ts'
import { keyQuestions } from '../../../shared/relay/calls/key-questions.ts'
import { Inventory } from '../../../shared/relay/dependents/inventory.ts'
import { needsOf } from '../../../shared/relay/dependents/needs.ts'
import { Dispatch } from '../../../shared/relay/queue/dispatch.ts'
import { Queue } from '../../../shared/relay/queue/queue.ts'
import type { ClusterReach } from '../../../shared/relay/remote-clusters/remote-cluster.ts'
import { RemoteGroup } from '../../../shared/relay/remote-clusters/remote-group.ts'
import type { ObjectChange } from '../../../shared/relay/watches/seen-objects.ts'
import { startWatches } from '../../../shared/relay/watches/shared-watches.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { base64, kubeconfig } from '../../harness/clients/kubeconfig.ts'
import { matches } from '../../harness/matches.ts'
import { json, type Script, scriptedServer, status } from '../kube/scripted-server.ts'
import { fakeClock } from './fake-clock.ts'
import { apiError, fakeCluster } from './fake-cluster.ts'
import { keptLog, silentLog } from './silent-log.ts'

const component = (name: string, inventory: unknown, more: object = {}): KubeObject => ({
  apiVersion: 'core.espalier.dev/v1alpha1',
  kind: 'Component',
  metadata: { name, namespace: 'x', ...more },
  status: { inventory },
})

const byLabel: InventorySettings = { path: 'status.inventory', ownerLabel: 'owner-id', ownerAnnotation: 'owner' }
const byName: InventorySettings = { path: 'status.inventory' }

t.test('FN-43 an inventory names the kinds to watch, and their cluster', async t => {
  const items = [
    { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'y', name: 'd' },
    { apiVersion: 'v1', kind: 'Secret', name: 's' },
    { group: '', version: 'v1', kind: 'Namespace', namespace: '', name: 'n' },
    { name: 'of no kind' },
    'no item at all',
  ]
  t.strictSame(needsOf(component('c', items), byLabel), [
    { cluster: 'local', apiVersion: 'apps/v1', kind: 'Deployment', item: { namespace: 'y', name: 'd' } },
    { cluster: 'local', apiVersion: 'v1', kind: 'Secret', item: { namespace: '', name: 's' } },
    { cluster: 'local', apiVersion: 'v1', kind: 'Namespace', item: { namespace: '', name: 'n' } },
  ])
  t.strictSame(
    needsOf(component('c', items), byName).map(({ item }) => item),
    [
      { namespace: 'y', name: 'd' },
      { namespace: 'x', name: 's' },
      { namespace: '', name: 'n' },
    ],
  )
  t.strictSame(needsOf(component('c', undefined), byLabel), [])
  const remote = { ...byLabel, cluster: 'runtimes', clusterLabel: 'runtime' }
  const [need] = needsOf(component('c', items, { labels: { runtime: 'r1' } }), remote)
  t.equal(need?.cluster, 'runtimes/r1')
  t.strictSame(needsOf(component('c', items), remote), [], 'an object that names no cluster yet')
  const mixed = { ...remote, remotePath: 'spec.remote' }
  for (const [spec, cluster] of [
    [{ remote: false }, 'local'],
    [{ remote: true }, 'runtimes/r1'],
    [{}, 'runtimes/r1'],
  ] as const) {
    const [first] = needsOf({ ...component('c', items, { labels: { runtime: 'r1' } }), spec }, mixed)
    t.equal(first?.cluster, cluster, JSON.stringify(spec))
  }
})

const changeOf = (type: ObjectChange['type'], object: KubeObject): ObjectChange => ({
  type,
  object,
  ref: { apiVersion: object.apiVersion, kind: object.kind, namespace: 'x', name: object.metadata.name },
  changed: 'everything',
})

const idleSeconds = { local: 9, remote: 60 }

const inventoryOf = (settings: InventorySettings, clientOptions?: ClientOptions) => {
  const clock = fakeClock()
  const cluster = fakeCluster({ clock })
  const { log, lines } = keptLog()
  const called: string[] = []
  const versions: (string | undefined)[] = []
  const routine: string[] = []
  const inventory = new Inventory(
    {
      functionName: 'component',
      settings,
      target: () => ({ kinds: [], isNamespaced: true }),
      enqueue: (key, { version, isRoutine } = {}) => {
        if (isRoutine) routine.push(keyText(key))
        called.push(keyText(key))
        versions.push(version)
      },
      local: cluster.client,
      clientOptions,
      pollSeconds: 60,
    },
    { clock, log, idleSeconds, resumed: () => {} },
  )
  inventory.clusterBegan('local', cluster.client)
  const told = { calls: () => called.splice(0).sort(), versions: () => versions.splice(0) }
  return { cluster, clock, lines, inventory, routine, ...told }
}

const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }
const secret = { apiVersion: 'v1', kind: 'Secret', name: 's' }

t.test('FN-43 a kind is watched, metadata only, as long as somebody needs it', async t => {
  const { cluster, clock, inventory } = inventoryOf(byLabel)
  inventory.notice(changeOf('ADDED', component('one', [deployment])))
  inventory.notice(changeOf('ADDED', component('two', [deployment, secret])))
  await clock.advance(0)
  matches(t, cluster.streams('Deployment'), [{ metadataOnly: true, labelSelector: 'owner-id' }])
  t.equal(cluster.streams('Deployment').length, 1, 'one watch for both')
  inventory.notice(changeOf('MODIFIED', component('one', [])))
  await clock.advance(0)
  t.equal(cluster.streams('Deployment').length, 1)
  inventory.notice(changeOf('MODIFIED', component('two', [secret])))
  await clock.advance(0)
  t.equal(cluster.streams('Deployment').length, 0)
  t.equal(cluster.streams('Secret').length, 1)
  inventory.notice(changeOf('DELETED', component('two', [secret])))
  await clock.advance(0)
  t.equal(cluster.streams('Secret').length, 0)
  t.equal(inventory.size, 0)
  t.equal(clock.timers, 0)
})

t.test('FN-37 FN-43 a list after an interruption calls every owner, because dependents may be gone', async t => {
  const { cluster, clock, inventory, versions } = inventoryOf(byLabel)
  const metadata = { name: 's', namespace: 'x', labels: { 'owner-id': 'hash' }, annotations: { owner: 'x/one' } }
  inventory.notice(changeOf('ADDED', component('one', [secret])))
  await clock.advance(0)
  t.strictSame(versions(), [], 'what its call will make is not there yet')
  cluster.unseen(() => {
    cluster.put({ ...secret, metadata })
    cluster.remove('Secret', 's', 'x')
  })
  cluster.strike('Secret', apiError(410, { reason: 'Expired' }))
  await clock.advance(1)
  t.strictSame(versions(), [undefined])
  await inventory.stop()
})

t.test('FN-43 a dependent leads to its owner by its annotation', async t => {
  const { cluster, clock, inventory, calls } = inventoryOf(byLabel)
  const owned = { name: 'd', namespace: 'y', labels: { 'owner-id': 'hash' }, annotations: { owner: 'x/one' } }
  cluster.put({ ...deployment, metadata: { ...owned, annotations: { owner: 'x/one' } } })
  inventory.notice(changeOf('ADDED', component('one', [deployment])))
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'])
  cluster.put({ ...deployment, metadata: { ...owned, labels: { 'owner-id': 'hash', more: 'labels' } } })
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'])
  cluster.remove('Deployment', 'd', 'y')
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'])
  await inventory.stop()
})

t.test(
  'FN-30 FN-101 an event of a dependent found by label carries its version, one found by name does not',
  async t => {
    for (const [settings, isTold] of [
      [byLabel, true],
      [byName, false],
    ] as const) {
      const { cluster, clock, inventory, versions, routine } = inventoryOf(settings)
      const metadata = { name: 's', namespace: 'x', labels: { 'owner-id': 'hash' }, annotations: { owner: 'x/one' } }
      cluster.put({ ...secret, metadata })
      inventory.notice(changeOf('ADDED', component('one', [secret])))
      await clock.advance(0)
      t.strictSame(versions(), [undefined], 'a line of a list carries none')
      const changed = cluster.put({ ...secret, metadata })
      await clock.advance(0)
      t.strictSame(versions(), [isTold ? versionText(changed) : undefined])
      cluster.remove('Secret', 's', 'x')
      await clock.advance(0)
      t.strictSame(versions(), [undefined], 'nor does its end')
      t.strictSame(routine, ['x/one'], 'only the first list is a routine')
      await inventory.stop()
    }
  },
)

t.test('FN-101 what an owner names is not there at the first list: nothing has changed', async t => {
  const { cluster, clock, inventory, calls, routine } = inventoryOf(byName)
  inventory.notice(changeOf('ADDED', component('one', [secret])))
  await clock.advance(0)
  t.strictSame([calls(), routine.splice(0)], [['x/one'], ['x/one']])
  cluster.strike('Secret', apiError(410, { reason: 'Expired' }))
  await clock.advance(1)
  t.strictSame([calls(), routine], [['x/one'], []], 'it may have come and gone in between')
  await inventory.stop()
})

t.test(
  'FN-101 a dependent is found before its owner’s inventory: the owner is called as for one found after',
  async t => {
    for (const isChanged of [false, true]) {
      const { cluster, clock, inventory, calls, routine } = inventoryOf(byLabel)
      const metadata = { name: 'd', namespace: 'x', labels: { 'owner-id': 'hash' }, annotations: { owner: 'x/two' } }
      cluster.put({ ...deployment, metadata })
      inventory.notice(changeOf('ADDED', component('one', [deployment])))
      inventory.notice(changeOf('ADDED', component('two', [])))
      await clock.advance(0)
      if (isChanged) cluster.put({ ...deployment, metadata })
      await clock.advance(0)
      inventory.notice(changeOf('MODIFIED', component('two', [deployment])))
      t.strictSame([calls(), routine], [['x/two'], isChanged ? [] : ['x/two']])
      await inventory.stop()
    }
  },
)

t.test(
  'FN-101 a dependent changes before its owner’s inventory, and is listed again as it is: the change counts',
  async t => {
    const { cluster, clock, inventory, calls, routine } = inventoryOf(byLabel)
    const metadata = { name: 'd', namespace: 'x', labels: { 'owner-id': 'hash' }, annotations: { owner: 'x/two' } }
    cluster.put({ ...deployment, metadata })
    inventory.notice(changeOf('ADDED', component('one', [deployment])))
    inventory.notice(changeOf('ADDED', component('two', [])))
    await clock.advance(0)
    cluster.put({ ...deployment, metadata })
    await clock.advance(0)
    cluster.strike('Deployment', apiError(410, { reason: 'Expired' }))
    await clock.advance(1)
    t.strictSame(calls(), ['x/one'], 'listed again')
    inventory.notice(changeOf('MODIFIED', component('two', [deployment])))
    t.strictSame([calls(), routine], [['x/two'], []])
    await inventory.stop()
  },
)

t.test('FN-43 an annotation that holds more before the key leads to the key', async t => {
  const { cluster, clock, inventory, calls } = inventoryOf(byLabel)
  const annotations = { owner: '7a2-uid/x/one' }
  cluster.put({ ...deployment, metadata: { name: 'd', namespace: 'y', labels: { 'owner-id': 'hash' }, annotations } })
  inventory.notice(changeOf('ADDED', component('one', [deployment])))
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'])
  await inventory.stop()
})

t.test('FN-43 a reference without a kind is watched as the kind that the inventory gives', async t => {
  const { cluster, clock, inventory, calls } = inventoryOf({ path: 'status.inventory.ref', kind: 'ConfigMap' })
  inventory.notice(changeOf('ADDED', component('one', { ref: { name: 'chart' } })))
  await clock.advance(0)
  matches(t, cluster.streams('ConfigMap'), [{ namespace: 'x' }])
  t.strictSame(calls(), ['x/one'], 'it is not there')
  cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'chart', namespace: 'x' } })
  await clock.advance(0)
  t.strictSame(calls(), ['x/one'])
  await inventory.stop()
})

t.test('FN-43 references are watched by name', async t => {
  const { cluster, clock, inventory, calls } = inventoryOf(byName)
  inventory.notice(changeOf('ADDED', component('one', [secret])))
  inventory.notice(changeOf('ADDED', component('two', [secret, { ...secret, name: 't' }])))
  await clock.advance(0)
  t.equal(cluster.streams('Secret').length, 1, 'one stream for the namespace')
  t.strictSame(calls(), ['x/one', 'x/two'], 'they are not there')
  const put = (name: string) => cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'x' } })
  for (const [name, owners] of [
    ['s', ['x/one', 'x/two']],
    ['t', ['x/two']],
    ['u', []],
  ] as const) {
    put(name)
    await clock.advance(0)
    t.strictSame(calls(), owners, name)
  }
  await inventory.stop()
})

t.test('FN-43 FN-37 a list does not show an object that an owner names: the owner is called', async t => {
  const { cluster, clock, inventory, calls } = inventoryOf(byName)
  cluster.put({ ...secret, metadata: { name: 's', namespace: 'x' } })
  inventory.notice(changeOf('ADDED', component('one', [secret])))
  await clock.advance(0)
  inventory.notice(changeOf('ADDED', component('two', [{ ...secret, name: 't' }])))
  cluster.unseen(() => {
    cluster.put({ ...secret, metadata: { name: 't', namespace: 'x' } })
    cluster.remove('Secret', 't', 'x')
  })
  cluster.strike('Secret', apiError(410, { reason: 'Expired' }))
  calls()
  await clock.advance(1)
  t.strictSame(calls(), ['x/one', 'x/two'])
  await inventory.stop()
})

t.test('FN-43 a stream in a remote cluster may be silent for longer than a local one', async t => {
  for (const { settings, cluster: name, seconds } of [
    { settings: byLabel, cluster: 'local', seconds: 7 },
    { settings: { ...byLabel, cluster: 'runtimes', clusterLabel: 'runtime' }, cluster: 'runtimes/r1', seconds: 58 },
  ]) {
    const { cluster, clock, inventory } = inventoryOf(settings)
    inventory.clusterBegan(name, cluster.client)
    inventory.notice(changeOf('ADDED', component('one', [deployment], { labels: { runtime: 'r1' } })))
    await clock.advance(0)
    t.strictSame(
      cluster.streams('Deployment').map(({ timeoutSeconds }) => timeoutSeconds),
      [seconds],
      name,
    )
    await inventory.stop()
  }
})

t.test('FN-43 a remote cluster is watched while any of its kinds is needed', async t => {
  const { cluster, clock, inventory } = inventoryOf({ ...byLabel, kubeConfigPath: 'spec.kubeConfig' })
  const behind = (...items: object[]) => ({ ...component('one', items), spec: { kubeConfig: { name: 'far' } } })
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c' }
  const asked = () => cluster.requests.filter(({ verb }) => verb === 'watch')
  inventory.notice(changeOf('ADDED', behind(deployment)))
  await clock.advance(0)
  inventory.notice(changeOf('MODIFIED', behind(configMap)))
  await clock.advance(0)
  t.strictSame(
    asked().map(({ kind }) => kind),
    ['Secret'],
    'the Secret that leads there is still watched, not anew',
  )
  inventory.notice(changeOf('MODIFIED', behind()))
  await clock.advance(0)
  t.equal(cluster.streams('Secret').length, 0)
  t.equal(clock.timers, 0)
})

t.test('FN-12 requests to a cluster behind a kubeconfig are counted and carry our User-Agent', async t => {
  const authority = await newAuthority('far')
  const caData = base64(authority.certificate)
  const notes: RequestNote[] = []
  const counted = Promise.withResolvers<void>()
  const onRequest = (note: RequestNote) => {
    notes.push(note)
    counted.resolve()
  }
  const refuse: Script = (_, answer) => json(answer, 403, status(403, 'Forbidden'))
  const far = await scriptedServer(t, refuse, { tls: await authority.serving({ ip: ['127.0.0.1'] }) })
  const { cluster, clock, inventory } = inventoryOf(
    { ...byLabel, kubeConfigPath: 'spec.kubeConfig', kubeConfigHosts: ['127.0.0.1'] },
    { userAgent: 'espalier-relay/1.2.3', onRequest },
  )
  const text = base64(kubeconfig({ url: far.url, caData }, { token: 'far' }))
  cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'far', namespace: 'x' }, data: { value: text } })
  inventory.notice(changeOf('ADDED', { ...component('one', [deployment]), spec: { kubeConfig: { name: 'far' } } }))
  await clock.advance(0)
  await counted.promise
  matches(t, notes, [{ code: '403', method: 'GET' }])
  matches(t, far.asked, [{ headers: { 'user-agent': 'espalier-relay/1.2.3' } }])
  await inventory.stop()
})

t.test('FN-43 a kind that may not be watched is reported once, and its owners are polled', async t => {
  const { cluster, clock, lines, inventory, calls, routine } = inventoryOf(byLabel)
  const heal = cluster.fail(
    ({ kind }) => kind === 'Deployment',
    () => apiError(403),
  )
  inventory.notice(changeOf('ADDED', component('one', [deployment])))
  await clock.advance(59)
  t.strictSame(calls(), [])
  await clock.advance(121)
  t.strictSame(calls(), ['x/one', 'x/one', 'x/one'])
  t.equal(routine.length, 3, 'FN-101 nothing says that anything has changed')
  const reports = lines.filter(({ message }) => message.startsWith('changes cannot be watched'))
  t.equal(reports.length, 1)
  matches(t, reports[0]?.fields, { function: 'component', kind: 'Deployment' })
  heal()
  await clock.advance(34)
  t.equal(cluster.streams('Deployment').length, 1, 'watched as soon as it may be')
  calls()
  await clock.advance(300)
  t.strictSame(calls(), [], 'and polled no more')
  await inventory.stop()
  t.equal(clock.timers, 0)
})

const group: RemoteSettings = {
  namespace: 'kcp',
  optionalLabels: { managed: 'yes' },
  nameLabel: 'kyma',
  kubeconfigKey: 'config',
  allowedHosts: ['*'],
}

/** A group of clusters, each behind an access Secret in the cluster `local`, and what runs where. */
const remoteGroup = () => {
  const local = fakeCluster()
  const clock = fakeClock()
  const running = new Map<string, string>()
  const states = new Map<string, ClusterReach>()
  const clients = new Map<string, typeof local.client>()
  const begun: string[] = []
  const contentOf = (client: object): string => ('content' in client ? String(client.content) : '')
  const parts = {
    local,
    clock,
    running,
    states,
    begun,
    /** How a cluster is looked up. */
    of: async (name: string) => clients.get(name) ?? local.client,
    /** The Secret appears or changes; the same content leads to the same client. */
    access: (name: string, kyma: string, content: string, managed: object = {}) => {
      const client = clients.get(content) ?? Object.assign({ ...local.client }, { content })
      clients.set(content, client).set(`runtimes/${kyma}`, client)
      const labels = { ...managed, kyma }
      local.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'kcp', labels } })
      return clock.advance(0)
    },
  }
  const surroundings = { clock, log: silentLog, idleSeconds, resumed: () => {} }
  const remotes = new RemoteGroup(
    { name: 'runtimes', settings: group },
    {
      local: local.client,
      clusters: { of: name => parts.of(name) },
      begin: ({ name, owner }, client) => {
        begun.push(name)
        running.set(name, `${contentOf(client)} for ${keyText(owner)}`)
        states.set(name, 'up')
        return async () => void running.delete(name)
      },
      begins: () => {},
      reached: (name, reach) => void states.set(name, reach),
    },
    surroundings,
  )
  const subscriptions = [remotes.subscription]
  const watches = startWatches(
    { cluster: 'local', client: local.client, subscriptions, objectsMost: () => Infinity },
    surroundings,
  )
  const stop = async () => {
    await watches.stop()
    await remotes.stop()
  }
  return Object.assign(parts, { stop })
}

t.test('FN-41 an access Secret appears, changes, goes: the watches of its cluster start, move, end', async t => {
  const far = remoteGroup()
  const { local, clock, running, states, access, stop, of } = far
  await access('secret-1', 'one', 'first')
  t.strictSame([...running], [['runtimes/one', 'first for kcp/one']])
  matches(t, local.streams('Secret'), [{ metadataOnly: true, labelSelector: 'kyma', namespace: 'kcp' }])
  await access('secret-2', 'two', 'other')
  await access('secret-1', 'one', 'rotated')
  t.equal(running.get('runtimes/one'), 'rotated for kcp/one')
  t.equal(running.get('runtimes/two'), 'other for kcp/two', 'untouched')
  far.of = () => Promise.reject(new AccessError('Refused', 'exec is not allowed'))
  await access('secret-1', 'one', 'bad')
  t.equal(running.has('runtimes/one'), false)
  t.equal(states.get('runtimes/one'), 'down')
  t.equal(running.has('runtimes/two'), true, 'one bad cluster is no trouble of the others')
  far.of = of
  await access('secret-1', 'one', 'good')
  t.equal(running.get('runtimes/one'), 'good for kcp/one')
  local.remove('Secret', 'secret-1', 'kcp')
  await clock.advance(0)
  t.strictSame([...running.keys()], ['runtimes/two'])
  t.equal(states.get('runtimes/one'), 'ended')
  await stop()
  t.equal(running.size, 0)
  t.equal(clock.timers, 0)
})

t.test('KY-188 an access Secret needs no label managed-by, and one with another value leads nowhere', async t => {
  const { running, access, stop } = remoteGroup()
  await access('secret-1', 'one', 'first')
  await access('secret-2', 'two', 'other', { managed: 'somebody' })
  t.strictSame([...running.keys()], ['runtimes/one'])
  await access('secret-1', 'one', 'first', { managed: 'somebody' })
  await access('secret-2', 'two', 'other', { managed: 'yes' })
  t.strictSame([...running.keys()], ['runtimes/two'])
  await stop()
})

t.test('KY-312 an access Secret in another namespace leads nowhere', async t => {
  const { local, clock, running, access, stop } = remoteGroup()
  local.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'other', labels: { kyma: 'planted' } },
  })
  await clock.advance(0)
  await access('secret-1', 'one', 'first')
  t.strictSame([...running.keys()], ['runtimes/one'])
  await stop()
})

t.test('RE-08 RE-16 the API server cannot show access Secrets: running remote watches go on', async t => {
  const far = remoteGroup()
  const { clock, running, states, access, begun, stop, of } = far
  await access('secret-1', 'one', 'first')
  far.of = () => Promise.reject(apiError(503))
  await access('secret-1', 'one', 'first')
  await access('secret-2', 'two', 'other')
  t.strictSame([...running.keys()], ['runtimes/one'])
  t.strictSame(Object.fromEntries(states), { 'runtimes/one': 'up', 'runtimes/two': 'down' }, 'what never ran is down')
  far.of = of
  await clock.advance(2)
  t.strictSame(begun, ['runtimes/one', 'runtimes/two'], 'nothing begins anew')
  t.equal(states.get('runtimes/two'), 'up')
  far.of = () => Promise.reject(apiError(503))
  await access('secret-1', 'one', 'rotated')
  far.of = of
  await clock.advance(2)
  t.equal(running.get('runtimes/one'), 'rotated for kcp/one', 'new credentials count as soon as they can be read')
  await stop()
})

t.test('KY-14 a second access Secret of a cluster ends its watches, the end of one of the two begins them', async t => {
  const far = remoteGroup()
  const { local, clock, running, access, stop, of } = far
  await access('secret-1', 'one', 'first')
  far.of = () => Promise.reject(new AccessError('Refused', 'more than one secret found'))
  await access('secret-2', 'one', 'second')
  t.strictSame([...running.keys()], [])
  far.of = of
  local.remove('Secret', 'secret-2', 'kcp')
  await clock.advance(0)
  t.strictSame([...running.keys()], ['runtimes/one'])
  await stop()
})

t.test('FN-41 an access Secret is deleted and created at once: a late answer does not end its cluster', async t => {
  const far = remoteGroup()
  const { local, clock, running, states, access, stop, of } = far
  await access('secret-1', 'one', 'first')
  for (const late of [() => of('runtimes/one'), () => Promise.reject(apiError(503))]) {
    const answered = Promise.withResolvers<void>()
    far.of = async () => {
      await answered.promise
      return late()
    }
    await access('secret-1', 'one', 'first')
    local.remove('Secret', 'secret-1', 'kcp')
    await clock.advance(0)
    far.of = of
    await access('secret-1', 'one', 'first')
    answered.resolve()
    await clock.advance(0)
    t.strictSame([...running.keys()], ['runtimes/one'])
    t.equal(states.get('runtimes/one'), 'up')
  }
  await stop()
  t.equal(states.get('runtimes/one'), 'ended')
})

/** A host that answers questions as the test says, and a lane that asks it. */
const asking = (answer: (question: KeysRequest) => HostReply) => {
  const clock = fakeClock()
  const cluster = fakeCluster()
  const asked: KeysRequest[] = []
  const called: string[] = []
  const host: Host = {
    call: async () => ({ status: 500, body: undefined }),
    keys: async (_, question) => {
      asked.push(question)
      return answer(question)
    },
    close: async () => {},
  }
  const queue = new Queue({ failureBaseSeconds: 1, failureMaxSeconds: 60 }, () => 0)
  const asks = keyQuestions({
    functionName: 'f',
    concurrency: 1,
    timeoutSeconds: 30,
    queue,
    host,
    log: silentLog,
    add: (lane, id) => dispatch.add(lane, id),
  })
  const dispatch = new Dispatch({ lanes: [asks.lane], maxInFlight: 10, clock, log: silentLog })
  const put = (name: string, type: ObjectChange['type'] = 'MODIFIED') => {
    const object = cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'x' } })
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'x', name }
    const answered = (keys: readonly { namespace: string; name: string }[]) => void called.push(...keys.map(keyText))
    asks.put({ id: name, object, type, ref, cluster: 'local', metadataOnly: false, client: cluster.client, answered })
  }
  return { clock, cluster, asked, called, put, queue }
}

const keys = (...names: string[]): HostReply => ({
  status: 200,
  body: { keys: names.map(name => ({ namespace: 'x', name })) },
})

t.test('FN-32 a question for keys that fails is asked again until it is answered', async t => {
  const replies: HostReply[] = [
    { status: 503, body: undefined },
    { status: 200, body: { keys: 'no list' } },
    { status: 200, body: { keys: [{ name: 'without namespace' }] } },
    keys('k'),
  ]
  const { clock, asked, called, put, queue } = asking(() => replies.shift() ?? keys('too often'))
  put('a')
  await clock.advance(7)
  t.equal(asked.length, 4, 'after 1, 2 and 4 seconds')
  t.strictSame(called, ['x/k'])
  t.equal(queue.size, 0)
})

t.test('FN-32 an object changes during the question for its keys: the function is asked once more', async t => {
  const { clock, asked, put } = asking(() => keys('k'))
  put('a', 'ADDED')
  put('a')
  put('a')
  await clock.advance(0)
  t.strictSame(
    asked.map(({ type }) => type),
    ['ADDED', 'MODIFIED'],
  )
})

t.test('of more than a thousand waiting objects only names are held, and they are read again', async t => {
  const { clock, cluster, asked, put } = asking(() => keys('k'))
  for (let n = 0; n < 1500; n++) put(`c${n}`)
  await clock.advance(0)
  while (asked.length < 1500) await clock.advance(0)
  const reads = cluster.requests.filter(({ verb }) => verb === 'get').length
  t.ok(reads >= 490 && reads <= 500, `${reads} were read again`)
  t.equal(new Set(asked.map(({ object }) => object.metadata.name)).size, 1500)
})
