// The relay and a component's function together: drift, changed references and other clusters lead to a call by themselves.
import t from 'tap'
import type { FunctionEvent, Landscape } from '../../shared/api/serverless.ts'
import { type KubeObject, refOf } from '../../shared/core/object.ts'
import type { RequestNote } from '../../shared/kube/client-types.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { startRelay } from '../../shared/relay/relay.ts'
import { altered } from '../harness/altered.ts'
import { anyCluster } from '../harness/any-cluster.ts'
import { oneCluster } from '../harness/one-cluster.ts'
import { clientTo, crd, crdEndSeconds, established, orchards } from '../harness/orchards.ts'
import { eventually } from '../harness/until.ts'
import { recordingHost, relayToken } from '../shared/relay/recording-host.ts'
import { silentLog } from '../shared/relay/silent-log.ts'

const ground = await orchards(t)
const { client, own, configMap, namespace, name: P } = ground
const remote = await anyCluster(t, { remote: true })
const far = clientTo(t, remote)
const writer = { fieldManager: 'somebody' }
const hosts = ['127.0.0.1', 'localhost']

const definition = ground.define({
  options: {
    kubeConfigHosts: hosts,
    references: [{ path: 'spec.seed', kind: 'Secret', fallbackKeys: ['kind'] }],
    hasPureGenerator: true,
  },
})

const events: FunctionEvent[] = [
  { watch: { apiVersion: `${P}/v1`, kind: 'Orchard', on: ['generation', 'annotations', 'deletion'], map: 'self' } },
  {
    inventory: {
      path: 'status.inventory',
      ownerLabel: `${P}/owner-id`,
      ownerAnnotation: `${P}/owner-id`,
      kubeConfigPath: 'spec.kubeConfig.secretRef',
      kubeConfigHosts: hosts,
    },
  },
  { inventory: { path: 'spec.seed', kind: 'Secret' } },
]

const landscape: Landscape = {
  service: 'espalier',
  provider: { name: 'espalier', namespace, sweepSeconds: 3600 },
  functions: {
    orchards: {
      ...{ handler: 'functions/orchards/index.orchards', description: 'Keeps orchards', timeout: 30, concurrency: 5 },
      ...{ memorySize: 128, failureBaseSeconds: 1, failureMaxSeconds: 300, access: [], events },
    },
  },
}

const host = await recordingHost()
t.teardown(() => host.close())
const nameIn = (key: string): string => key.split('/')[1] ?? ''
host.answer = ({ key }) => ground.settle(definition, nameIn(key))
/** Kinds that the relay has listed here and follows now. */
const followed = new Set<string>()
const noting = altered(client, real => ({
  watch: query => {
    followed.add(query.kind)
    return real.watch(query)
  },
}))
/** What was asked of clusters behind kubeconfigs. */
const farRequests: RequestNote[] = []
const relay = await startRelay({
  landscape,
  clusters: clusters({ local: noting, client: { onRequest: note => farRequests.push(note) } }),
  host: { urlOf: () => host.url, token: async () => relayToken },
  listen: { host: '127.0.0.1', port: 0 },
  refuses: async () => undefined,
  log: silentLog,
  tuning: { idleSeconds: 4 },
})
t.teardown(() => relay.stop(1))
await relay.ready

/** Looks again and again; an API server, the relay and several calls take their time. */
const until = (isSo: () => Promise<boolean>, seconds = 60): Promise<void> => eventually(String(isSo), isSo, seconds)

const isReady = async (name: string) => (await ground.status(name)).state === 'Ready'
const revisionOf = async (name: string) => (await ground.status(name)).revision

const secret = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

/** Drift within ten seconds of our own write is left alone for so long. */
const repairPause = () => new Promise(resolve => setTimeout(resolve, 10_500))

/** What is made before its kind is listed for the first time calls its owner once more. */
const whenFollowed = altered(own, real => ({
  create: async (object, options) => {
    if (object.kind === 'ConfigMap') await until(async () => followed.has(object.kind))
    return real.create(object, options)
  },
}))

t.test(
  'FN-30 CO-16 a new component is called once, though watches of what it names and makes begin with it',
  async t => {
    const usual = host.answer
    t.teardown(() => {
      host.answer = usual
    })
    host.answer = ({ key }) => ground.settle(definition, nameIn(key), { clusters: oneCluster(whenFollowed) })
    await client.create(secret('first-seed', { kind: 'pear' }), writer)
    await ground.plant('first', { objects: [configMap('first-a')], seed: { name: 'first-seed' } })
    await until(() => isReady('first'))
    const { data } = secret('', { kind: 'apple' })
    await client.patch(refOf(secret('first-seed', {})), { type: 'merge', body: { data } }, writer)
    await until(async () => (await revisionOf('first')) === 2)
    await host.until(() => host.calls.every(({ isOver }) => isOver))
    t.equal(host.called().filter(key => key.endsWith('/first')).length, 2, 'once as it came, once as its seed changed')
  },
)

t.test('CO-16 CO-13 generation, annotations and referenced Secrets lead to a call, nothing else', async t => {
  await client.create(secret('pear-seed', { kind: 'pear' }), writer)
  await client.create(secret('other-seed', { kind: 'plum' }), writer)
  await ground.plant('calling', { objects: [configMap('calling-a')], seed: { name: 'pear-seed' } })
  await until(() => isReady('calling'))
  const { data } = secret('', { kind: 'apple' })
  await client.patch(refOf(secret('pear-seed', {})), { type: 'merge', body: { data } }, writer)
  await until(async () => (await revisionOf('calling')) === 2)
  await ground.change('calling', { metadata: { annotations: { a: 'b' } } })
  await until(async () => (await revisionOf('calling')) === 3)
  await ground.change('calling', { spec: { more: 1 } })
  await until(async () => (await revisionOf('calling')) === 4)
  await host.until(() => host.calls.every(({ isOver }) => isOver))
  // What is told of its last status comes before what is told of one that is made now.
  await ground.plant('mark', { objects: [] })
  await host.until(() => host.called().some(key => key.endsWith('/mark')))
  await host.until(() => host.calls.every(({ isOver }) => isOver))
  host.forget()
  await ground.change('calling', { metadata: { labels: { a: 'b' } } })
  await client.patch(refOf(secret('other-seed', {})), { type: 'merge', body: { data } }, writer)
  await ground.plant('marker', { objects: [] })
  await host.until(() => host.called().some(key => key.endsWith('/marker')))
  t.notOk(
    host.called().some(key => key.endsWith('/calling')),
    'neither its labels nor another Secret',
  )
})

t.test('FN-30 CO-51 what a call creates leads to no other call, what somebody else changes of it does', async t => {
  const objects = Array.from({ length: 12 }, (_, n) => configMap(`new-${n}`, { a: '1' }))
  const [first = configMap('')] = objects
  const callsOf = (name: string) => host.called().filter(key => key.endsWith(`/${name}`)).length
  await ground.plant('watched', { objects: [configMap('watched-a')] })
  await until(() => isReady('watched'))
  host.forget()
  await client.patch(refOf(configMap('watched-a')), { type: 'merge', body: { data: { b: '2' } } }, writer)
  await host.until(() => callsOf('watched') > 0)
  await ground.plant('new', { objects })
  await until(() => isReady('new'))
  await repairPause()
  t.equal(callsOf('new'), 1)
  await client.patch(refOf(first), { type: 'merge', body: { data: { a: 'drifted' } } }, writer)
  await until(async () => ((await client.get(refOf(first)))?.data as { a?: string })?.a === '1')
  await host.until(() => host.calls.every(({ isOver }) => isOver))
  t.equal(callsOf('new'), 2)
})

t.test('CO-51 drift, a deleted dependent and another cluster’s drift are repaired by themselves', async t => {
  await client.create(secret('far-access', { value: remote.kubeconfig }), writer)
  const near = configMap('near', { a: '1' })
  const there = { ...configMap('there', { a: '1' }), metadata: { name: 'there', namespace: remote.namespace } }
  await ground.plant('home', { objects: [near] })
  await ground.plant('away', { objects: [there], kubeConfig: { secretRef: { name: 'far-access' } } })
  await until(() => isReady('home'))
  await until(() => isReady('away'))
  await repairPause()
  const drift = { type: 'merge' as const, body: { data: { a: 'drifted' } } }
  await Promise.all([client.patch(refOf(near), drift, writer), far.patch(refOf(there), drift, writer)])
  const valueAt = async (one: typeof client, object: KubeObject) =>
    ((await one.get(refOf(object)))?.data as { a?: string })?.a
  await until(async () => (await valueAt(client, near)) === '1')
  await until(async () => (await valueAt(far, there)) === '1')
  await repairPause()
  await Promise.all([client.delete(refOf(near), {}), far.delete(refOf(there), {})])
  await until(async () => (await valueAt(client, near)) === '1')
  await until(async () => (await valueAt(far, there)) === '1')
  t.pass('repaired')
})

t.test('FN-12 watches in the cluster behind a kubeconfig are counted', async t => {
  farRequests.splice(0)
  await client.create(secret('counted-access', { value: remote.kubeconfig }), writer)
  const there = { ...configMap('counted'), metadata: { name: 'counted', namespace: remote.namespace } }
  await ground.plant('counted', { objects: [there], kubeConfig: { secretRef: { name: 'counted-access' } } })
  await until(async () => farRequests.some(({ verb, code }) => verb === 'list' && code === '200'))
  t.pass('counted')
})

t.test('CO-68 deletion goes on by itself when the last instance of others is gone', async t => {
  const group = `berry-${P}`
  const berries = crd(group, 'Berry', 'berries')
  const berry = { apiVersion: `${group}/v1`, kind: 'Berry', metadata: { name: 'wild', namespace } }
  await established(client, berries)
  await client.create(berry, writer)
  await ground.plant('brambles', { objects: [berries, configMap('brambles-a')] })
  await until(() => isReady('brambles'))
  await ground.remove('brambles')
  await until(async () => (await ground.status('brambles')).ready.reason === 'DeletionBlocked')
  t.strictSame(await ground.lives([berries, configMap('brambles-a')]), ['there', 'there'])
  await client.delete(refOf(berry), {})
  await until(async () => (await ground.lives([berries, configMap('brambles-a')])).every(life => life !== 'there'))
  await until(async () => !(await ground.read('brambles')), crdEndSeconds)
  t.strictSame(await ground.lives([berries, configMap('brambles-a')]), ['gone', 'gone'])
})
