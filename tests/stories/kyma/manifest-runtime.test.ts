// Manifests of a runtime behind an access Secret: where their objects are, what becomes of them when the runtime is away, and the relay
// that watches there.
import t from 'tap'
import { parse, stringify } from 'yaml'
import { manifestsConcerned } from '../../../functions/manifest/gather/manifests-concerned.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { gatherContext, processContext } from '../../../shared/runtime/context.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { crd } from '../../harness/component/orchards.ts'
import { manifestGround } from '../../harness/kyma/manifest-ground.ts'
import { statesIn } from '../../harness/kyma/settled-manifests.ts'
import { matches } from '../../harness/matches.ts'
import { standingRelayClock } from '../../harness/standing-clock.ts'
import { eventually } from '../../harness/until.ts'
import { recordingHost, relayToken } from '../../shared/relay/recording-host.ts'
import { silentLog } from '../../shared/relay/silent-log.ts'

const ground = await manifestGround(t)
const { client, namespace } = ground
const runtime = await anyCluster(t, { remote: true })
const far = clientTo(t, runtime)
const somebody = { fieldManager: 'somebody' }
/** Seconds: more than a busy machine needs for what an event brings about, and less than any sweep. */
const quickly = 30
const { labels, managedBy, annotations } = kymaNames

type KubeconfigFile = { clusters: [{ cluster: object }]; contexts: [{ context: object }] }

/** Leads to the runtime, unless a field of its cluster or context says otherwise. */
const kubeconfig = ({ cluster = {}, context = {} }: { cluster?: object; context?: object } = {}): string => {
  const file = parse(runtime.kubeconfig) as KubeconfigFile
  Object.assign(file.clusters[0].cluster, cluster)
  Object.assign(file.contexts[0].context, context)
  return stringify(file)
}

const accessSecret = (kyma: string, text: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `${kyma}-access`,
    namespace,
    labels: { [labels.kymaName]: kyma, [labels.managedBy]: managedBy.controlPlane },
  },
  data: { config: Buffer.from(text).toString('base64') },
})

const newRuntime = async (kyma: string, text = kubeconfig()): Promise<KubeObject> => {
  await ground.createKyma(kyma, { spec: { channel: 'regular' } })
  return client.create(accessSecret(kyma, text), somebody)
}

const configMap = (name: string, data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: runtime.namespace },
  data,
})

const there = (object: KubeObject) => far.get(refOf(object))

const stateOf = statesIn(ground)

t.test('KY-118 objects without a namespace are in that of the kubeconfig’s context, else in default', async t => {
  await newRuntime('placed', kubeconfig({ context: { namespace: runtime.namespace } }))
  await newRuntime('unplaced')
  const homeless = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
  const clusterRole = (name: string): KubeObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    rules: [],
    metadata: { name, namespace: 'nowhere' },
  })
  for (const [kyma, place] of [
    ['placed', runtime.namespace],
    ['unplaced', 'default'],
  ] as const) {
    const name = `${kyma}-${runtime.namespace}`
    const objects = [homeless(name), clusterRole(name)].map(object => stringify(object)).join('---\n')
    await ground.create(kyma, ground.layer(objects), { kyma })
    matches(t, await ground.settle(kyma), { outcome: 'settled' }, kyma)
    t.ok(await there({ ...homeless(name), metadata: { name, namespace: place } }), place)
    t.ok(await far.get({ ...refOf(clusterRole(name)), namespace: '' }), 'removed from what has none')
    t.equal(await client.get({ ...refOf(homeless(name)), namespace: place }), undefined, 'nothing in the control plane')
    await ground.remove(kyma)
    await ground.settle(kyma)
    t.equal(await ground.read(kyma), undefined)
  }
})

/** All clusters, which do not serve the kind as far as they say. */
const without = (kind: string): BindableClusters => ({
  ...ground.everywhere,
  bound: bounds => {
    const { of } = ground.everywhere.bound(bounds)
    const change = ({ scopeOf }: Client): Partial<Client> => ({
      scopeOf: async asked => (asked.kind === kind ? 'unserved' : scopeOf(asked)),
    })
    return { of: async cluster => altered(await of(cluster), change) }
  },
})

t.test('KY-263 in another runtime the default object is made once again, and then it is the user’s there', async t => {
  const next = await anyCluster(t, { remote: true })
  const place = { namespace: 'default' }
  const definition = crd(`figs-${namespace}.example`, 'Fig', 'figs')
  const fig = { apiVersion: `figs-${namespace}.example/v1`, kind: 'Fig', metadata: { name: 'fig', ...place } }
  const access = await newRuntime('moving')
  const layer = ground.layer(
    [definition, { ...configMap('moving'), metadata: { name: 'moving', ...place } }]
      .map(one => stringify(one))
      .join('---\n'),
  )
  await ground.create('moving', layer, { kyma: 'moving', spec: { resource: fig } })
  const ready = () =>
    eventually('it is ready', async () => {
      await ground.settle('moving')
      return (await stateOf('moving')).state === 'Ready'
    })
  await ready()
  t.ok(await there(fig))
  await far.delete(refOf(fig), {})
  await ready()
  t.equal(await there(fig), undefined, 'its user did not want it')
  const other = { ...fig, metadata: { name: 'other', ...place } }
  const beside = { ...configMap('beside'), metadata: { name: 'beside', ...place } }
  await ground.create('beside', ground.layer(stringify(beside)), { kyma: 'moving', spec: { resource: other } })
  await ground.settle('beside')
  t.ok(await there(other))
  await far.delete(refOf(other), {})
  await ground.settle('beside')
  t.equal(await there(other), undefined, 'also where another module has the definition')
  await far.delete(refOf(beside), {})
  await ground.settle('beside')
  t.strictSame(
    [(await there(beside))?.kind, await there(other)],
    ['ConfigMap', undefined],
    'and where nothing else is left',
  )
  await ground.call('moving', { clusters: without('Fig') })
  t.equal(await there(fig), undefined, 'nor does it come back when an API server forgets its kind for a moment')
  await far.delete({ ...refOf(definition), namespace: '' }, {})
  await ground.settle('beside')
  matches(t, await stateOf('beside'), { state: 'Ready' }, 'and where that takes it away')
  const config = Buffer.from(next.kubeconfig).toString('base64')
  await client.patch(refOf(access), { type: 'merge', body: { data: { config } } }, somebody)
  const moved = clientTo(t, next)
  await ground.settle('beside')
  ground.requests.length = 0
  await ready()
  t.ok(await moved.get(refOf(fig)))
  const [first] = ground.requests.filter(({ method }) => method !== 'GET')
  t.equal(first?.method, 'PUT', 'the status is written before anything is created')
  await ground.settle('beside')
  t.ok(await moved.get(refOf(other)))
  await moved.delete(refOf(other), {})
  await moved.delete(refOf(fig), {})
  await ready()
  t.equal(await moved.get(refOf(fig)), undefined)
  await moved.delete({ ...refOf(definition), namespace: '' }, {})
  await ready()
  t.ok(await moved.get(refOf(fig)), 'somebody deleted the definition, and all objects with it')
  for (const name of ['moving', 'beside']) {
    await ground.remove(name)
    await ground.settle(name)
    t.equal(await ground.read(name), undefined)
  }
})

t.test(
  'KY-352 objects of a new Manifest are created without a look, and found ones are read and taken over',
  async t => {
    await newRuntime('fresh')
    const [one, two] = ['fresh-one', 'fresh-two'].map(name => configMap(name, { a: '1' })) as [KubeObject, KubeObject]
    const layer = ground.layer([one, two].map(object => stringify(object)).join('---\n'))
    await ground.create('fresh', layer, { kyma: 'fresh' })
    ground.requests.length = 0
    await ground.call('fresh')
    const asked = ground.requests.map(({ verb, path }) => `${verb} ${path.replace(/[?].*/, '').split('/').at(-1)}`)
    const begun = asked.slice(0, asked.indexOf('create configmaps'))
    t.strictSame(
      begun.filter(request => !/^(get|list) /.test(request)),
      ['patch fresh', 'replace status status'],
      'finalizers, then keys: both before anything is created',
    )
    t.notOk(
      begun.some(request => /configmaps|fresh-/.test(request)),
      begun.join(', '),
    )
    await far.delete(refOf(one), {})
    const found = configMap('found', { a: 'of somebody' })
    await far.create(found, somebody)
    await ground.create('finding', ground.layer(stringify(configMap('found', { a: '1' }))), { kyma: 'fresh' })
    matches(t, await ground.call('finding'), { outcome: 'settled' }, 'in one call')
    matches(t, await there(found), { data: { a: '1' }, metadata: { labels: { [labels.managedBy]: 'kyma' } } })
    await ground.settle('fresh')
    t.ok(await there(one), 'a later call reads everything')
  },
)

const written = () =>
  ground.requests
    .map(({ verb, path }) => `${verb} ${path.replace(/[?].*/, '').split('/').at(-1)}`)
    .filter(request => !/^(get|list) /.test(request))

t.test('KY-343 the first status of a Manifest is complete before its objects are created', async t => {
  await newRuntime('first')
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'first', namespace: runtime.namespace },
    spec: {
      selector: { matchLabels: { app: 'first' } },
      template: {
        metadata: { labels: { app: 'first' } },
        spec: { containers: [{ name: 'first', image: 'registry.example.org/first:1' }] },
      },
    },
  }
  await ground.create('first', ground.layer(stringify(deployment)), { kyma: 'first' })
  ground.requests.length = 0
  matches(t, await ground.call('first'), { outcome: 'waiting' })
  t.strictSame(written(), ['patch first', 'replace status status', 'create deployments'])
  matches(t, await stateOf('first'), { state: 'Processing' })
  const { status } = (await ground.read('first')) ?? {}
  t.strictSame(
    status?.conditions?.map(({ type, status }) => `${type} ${status}`),
    ['Resources True', 'Installation False'],
  )
})

t.test('KY-344 after the annotation of its layer nothing of a complete Manifest is read again', async t => {
  await newRuntime('complete')
  await ground.create('complete', ground.layer(stringify(configMap('complete'))), { kyma: 'complete' })
  ground.requests.length = 0
  matches(t, await ground.call('complete'), { outcome: 'settled', requeueAfterSeconds: 300 })
  t.equal(ground.requests.at(-1)?.verb, 'patch', 'the annotation, and the status before it')
  matches(t, await stateOf('complete'), { state: 'Ready' })
  ground.requests.length = 0
  matches(t, await ground.call('complete', { isQuiet: true }), { outcome: 'settled' })
  t.strictSame(
    ground.requests.map(({ verb }) => verb),
    ['get', 'get', 'list'],
  )
})

t.test('KY-351 calls for several Manifests of a runtime read less than as many calls one after the other', async t => {
  await newRuntime('many')
  const names = ['many-1', 'many-2', 'many-3', 'many-4']
  for (const name of names) await ground.create(name, ground.layer(stringify(configMap(name))), { kyma: 'many' })
  await Promise.all(names.map(name => ground.settle(name)))
  const requestsOf = async (called: readonly string[]) => {
    ground.requests.length = 0
    const outcomes = await Promise.all(called.map(name => ground.call(name)))
    t.ok(outcomes.every(({ outcome }) => outcome === 'settled'))
    return ground.requests.length
  }
  const alone = await requestsOf(['many-1'])
  const together = await requestsOf(names)
  t.ok(together < names.length * alone, `${together} requests instead of ${names.length} times ${alone}`)
})

t.test('KY-182 a quiet call for a Ready Manifest is three reads and no write, and any doubt is more', async t => {
  const access = await newRuntime('quiet')
  const all = ['quiet-one', 'quiet-two'].map(name => configMap(name))
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'quiet' },
    rules: [],
  }
  await ground.create('quiet', ground.layer([...all, role].map(object => stringify(object)).join('---\n')), {
    kyma: 'quiet',
  })
  await ground.settle('quiet')
  const requestsOf = async (isQuiet: boolean) => {
    ground.requests.length = 0
    matches(t, await ground.settle('quiet', { isQuiet }), { outcome: 'settled', requeueAfterSeconds: 300 })
    return ground.requests.map(({ verb }) => verb)
  }
  t.strictSame(await requestsOf(true), ['get', 'get', 'list'])
  const full = await requestsOf(false)
  t.ok(full.length > 3, `everything is read for an event: ${full}`)
  t.strictSame(await requestsOf(true), ['get', 'get', 'list'])
  const one = all[0] as KubeObject
  await far.delete(refOf(one), {})
  await requestsOf(true)
  t.equal(await there(one), undefined, 'nobody has told')
  await requestsOf(false)
  t.ok(await there(one), 'an event')
  await requestsOf(true)
  await far.delete(refOf(one), {})
  await ground.change('quiet', { metadata: { annotations: { 'example.com/touched': 'true' } } })
  await requestsOf(true)
  t.ok(await there(one), 'the Manifest is another')
  await far.delete(refOf(one), {})
  const renewed = accessSecret('quiet', `# renewed\n${kubeconfig()}`)
  await client.patch(refOf(access), { type: 'merge', body: { data: renewed.data } }, somebody)
  await requestsOf(true)
  t.ok(await there(one), 'the runtime is reached in another way')
  const nobody = accessSecret('quiet', kubeconfig({ cluster: { server: 'https://127.0.0.1:1' } }))
  await client.patch(refOf(access), { type: 'merge', body: { data: nobody.data } }, somebody)
  matches(t, await ground.settle('quiet', { isQuiet: true }), { outcome: 'failed' })
  await client.delete(refOf(access), {})
  await ground.remove('quiet')
  await ground.settle('quiet')
})

t.test('KY-122 a change right after our own write is repaired within ten seconds', async t => {
  await newRuntime('hasty')
  const one = configMap('hasty-one', { a: '1' })
  await ground.create('hasty', ground.layer(stringify(one)), { kyma: 'hasty' })
  await ground.settle('hasty')
  const writtenAt = Date.parse(String((await there(one))?.metadata.creationTimestamp))
  const after = (seconds: number) => ({ now: () => new Date(writtenAt + seconds * 1_000) })
  await far.patch(refOf(one), { type: 'merge', body: { data: { a: '2' } } }, somebody)
  const outcome = await ground.settle('hasty', after(1))
  t.equal(outcome.outcome, 'waiting')
  const { requeueAfterSeconds: seconds = Number.POSITIVE_INFINITY } = outcome
  t.ok(seconds > 0 && seconds <= 10, `${seconds} s`)
  matches(t, await stateOf('hasty'), { state: 'Ready' })
  await ground.settle('hasty', { isQuiet: true, ...after(1 + seconds) })
  matches(t, await there(one), { data: { a: '1' } })
})

t.test(
  'KY-134 KY-133 a Manifest whose access Secret is gone loses our finalizers when it is deleted, and waits for others',
  async t => {
    const access = await newRuntime('lost')
    const one = configMap('lost-one')
    await ground.create('lost', ground.layer(stringify(one)), { kyma: 'lost' })
    await ground.settle('lost')
    const made = await ground.read('lost')
    await ground.change('lost', {
      metadata: { finalizers: [...(made?.metadata.finalizers ?? []), 'example.com/other'] },
    })
    await client.delete(refOf(access), {})
    matches(t, await ground.settle('lost'), { outcome: 'stalled', reason: /^access secret not found/ })
    matches(t, await stateOf('lost'), { state: 'Error', operation: /^access secret not found/ })
    await ground.remove('lost')
    await ground.settle('lost')
    t.strictSame((await ground.read('lost'))?.metadata.finalizers, ['example.com/other'])
    matches(t, await stateOf('lost'), {
      state: 'Deleting',
      operation: 'waiting as other finalizers are present: [example.com/other]',
    })
    await ground.change('lost', { metadata: { finalizers: null } })
    t.equal(await ground.read('lost'), undefined)
    t.ok(await there(one), 'what cannot be reached stays')
  },
)

t.test('KY-135 a Manifest whose runtime does not answer stays, and says so', async t => {
  const access = await newRuntime('away')
  const one = configMap('away-one')
  await ground.create('away', ground.layer(stringify(one)), { kyma: 'away' })
  await ground.settle('away')
  const made = await ground.read('away')
  const nobody = accessSecret('away', kubeconfig({ cluster: { server: 'https://127.0.0.1:1' } }))
  await client.patch(refOf(access), { type: 'merge', body: { data: nobody.data } }, somebody)
  await ground.remove('away')
  matches(t, await ground.settle('away'), { outcome: 'failed', requeueAfterSeconds: 5 })
  const after = await ground.read('away')
  t.strictSame(after?.metadata.finalizers, made?.metadata.finalizers)
  t.strictSame(after?.status?.synced, made?.status?.synced)
  matches(t, await stateOf('away'), { state: 'Error', operation: /kubeconfig of the cluster/ })
  await client.patch(refOf(access), { type: 'merge', body: { data: access.data } }, somebody)
  await ground.settle('away')
  t.strictSame([await ground.read('away'), await there(one)], [undefined, undefined], 'and goes when it answers')
})

t.test('KY-128 an access Secret calls all Manifests of its Kyma, and the Kyma those that wait for it', async t => {
  const access = await newRuntime('calling')
  const context = await gatherContext(processContext({ clusters: ground.everywhere }), { name: 'manifest' }, {})
  const called = async (object: KubeObject | undefined) =>
    object && (await manifestsConcerned(object, context)).map(({ name }) => name).toSorted()
  const theKyma = () => client.get({ ...kymaKind, namespace, name: 'calling' })
  for (const name of ['ready', 'stray', 'skipped'])
    await ground.create(name, ground.layer(stringify(configMap(name))), { kyma: 'calling', isNamed: name !== 'stray' })
  await ground.settle('ready')
  await ground.settle('stray', { now: () => new Date(Date.now() + 301_000) })
  await ground.change('skipped', { metadata: { labels: { [labels.skipReconciliation]: 'true' } } })
  t.strictSame(await called(access), ['ready', 'skipped', 'stray'])
  t.strictSame(await called(await theKyma()), ['skipped', 'stray'])
  t.strictSame(await called({ ...access, metadata: { name: 'x', namespace } }), [], 'a Secret of no Kyma')
})

/** serverless.yml with this function alone, and our namespace in the place of kcp-system. */
const landscape = (): Landscape => {
  const { functions, ...rest } = readLandscape('serverless.yml')
  const own = { ...rest, functions: { manifest: functions.manifest } }
  return JSON.parse(JSON.stringify(own).replaceAll(kymaNames.namespaces.controlPlane, namespace))
}

t.test('KY-122 what somebody changes or deletes in the runtime is repaired through the relay', async t => {
  const host = await recordingHost()
  let aheadSeconds = 0
  const now = () => new Date(Date.now() + aheadSeconds * 1000)
  host.answer = ({ key }) => ground.settle(key.split('/')[1] ?? '', { now })
  const context = await gatherContext(processContext({ clusters: ground.everywhere }), { name: 'manifest' }, {})
  host.keys = ({ object }) => manifestsConcerned(object, context)
  const relay = await startRelay({
    landscape: landscape(),
    clusters: ground.everywhere,
    log: silentLog,
    clock: standingRelayClock(),
    host: { urlOf: () => host.url, token: async () => relayToken },
    listen: { host: '127.0.0.1', port: 0 },
    refuses: async () => undefined,
  })
  t.teardown(async () => {
    await relay.stop(1)
    await host.close()
  })
  await relay.ready
  const [one, two] = [configMap('watched-one', { a: '1' }), configMap('watched-two')]
  await ground.createKyma('watched', { spec: { channel: 'regular' } })
  await ground.create('watched', ground.layer([one, two].map(object => stringify(object)).join('---\n')), {
    kyma: 'watched',
  })
  const isSaid = async (state: string) => (await stateOf('watched')).state === state
  await eventually('it has no access yet', () => isSaid('Error'))
  await client.create(accessSecret('watched', kubeconfig()), somebody)
  await eventually('the access Secret calls it', () => isSaid('Ready'))
  const untouched = await there(two)
  await host.until(() => host.calls.every(({ isOver }) => isOver))
  host.forget()
  // What is changed right after our own write is left alone for ten seconds.
  aheadSeconds = 60
  await far.patch(refOf(one), { type: 'merge', body: { data: { a: '2' } } }, somebody)
  const dataOf = async () => (await there(one))?.data as { a?: string } | undefined
  await eventually('a change is undone', async () => (await dataOf())?.a === '1', quickly)
  aheadSeconds = 120
  await far.delete(refOf(one), {})
  await eventually('what was deleted is back', async () => (await dataOf())?.a === '1', quickly)
  t.strictSame(await there(two), untouched, 'other objects are not written')
  t.strictSame(
    [...new Set(host.called())],
    [`${namespace}/watched`],
    `of all ${manifestKind.kind}s in ${namespace} this one alone is called`,
  )
  t.ok((await there(one))?.metadata.annotations?.[annotations.ownedBy])
})
