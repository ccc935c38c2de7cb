// The relay and a component's function together: drift, changed references and other clusters lead to a call by themselves.
import t from 'tap'
import type { FunctionEvent, Landscape } from '../../../shared/api/serverless.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { encodedTexts } from '../../../shared/core/objects/secret-text.ts'
import type { RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { startRelay } from '../../../shared/relay/relay.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { crd, established, orchards } from '../../harness/component/orchards.ts'
import { standingRelayClock } from '../../harness/standing-clock.ts'
import { eventually } from '../../harness/until.ts'
import { recordingHost, relayToken } from '../../shared/relay/recording-host.ts'
import { silentLog } from '../../shared/relay/silent-log.ts'

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
      handler: 'functions/orchards/index.orchards',
      description: 'Keeps orchards',
      timeout: 30,
      concurrency: 5,
      memorySize: 128,
      failureBaseSeconds: 1,
      failureMaxSeconds: 300,
      access: [],
      events,
    },
  },
}

const host = await recordingHost()
t.teardown(() => host.close())
const nameIn = (key: string): string => key.split('/')[1] ?? ''
/** How far the time of day, as calls see it, is ahead. */
let aheadSeconds = 0
const now = () => new Date(Date.now() + aheadSeconds * 1000)
host.answer = ({ key }) => ground.settle(definition, nameIn(key), { now })
/** Up to which version of all objects the relay was told of a kind. */
const toldUpTo = new Map<string, bigint>()
const told = (kind: string, version = '0'): void => {
  if (BigInt(version) > (toldUpTo.get(kind) ?? 0n)) toldUpTo.set(kind, BigInt(version))
}
const noting = altered(client, real => ({
  watch: async function* (query) {
    if (query.fieldSelector) return yield* real.watch(query)
    told(query.kind, query.resourceVersion)
    for await (const event of real.watch(query)) {
      yield event
      // It asks for the next one: so this one is dealt with.
      told(query.kind, event.object.metadata.resourceVersion)
    }
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
  clock: standingRelayClock(),
  tuning: { idleSeconds: 4 },
})
t.teardown(() => relay.stop(1))
await relay.ready

/** Looks again and again; an API server, the relay and several calls take their time. */
const until = (isSo: () => Promise<boolean>): Promise<void> => eventually(String(isSo), isSo)

const isReady = async (name: string) => (await ground.status(name)).state === 'Ready'
const revisionOf = async (name: string) => (await ground.status(name)).revision

const secret = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
  data: encodedTexts(data),
})

/** Drift within ten seconds of our own write is left alone for so long. */
const repairPauseEnds = () => {
  aheadSeconds += 11
}

const callsOf = (name: string) => host.called().filter(key => key.endsWith(`/${name}`)).length
const isNamed = (name: string) => callsOf(name) > 0

let marks = 0
const isTold = ({ kind, metadata: { resourceVersion = '' } }: KubeObject) =>
  until(async () => (toldUpTo.get(kind) ?? 0n) >= BigInt(resourceVersion))

/** Resolves when the relay knows these as they are now, and whatever it called for them has ended. */
const areTold = async (...objects: KubeObject[]) => {
  for (const object of objects) {
    const live = await client.get(refOf(object))
    if (live) await isTold(live)
  }
  // Called after all that was to be called before.
  const mark = `mark-${marks++}`
  await ground.plant(mark, { objects: [] })
  await host.until(() => isNamed(mark))
  await host.until(() => host.calls.every(({ isOver }) => isOver))
}

t.test('CO-16 CO-13 generation, annotations and referenced Secrets lead to a call, nothing else', async t => {
  const seed = await client.create(secret('pear-seed', { kind: 'pear' }), writer)
  const other = await client.create(secret('other-seed', { kind: 'plum' }), writer)
  const calling = await ground.plant('calling', { objects: [configMap('calling-a')], seed: { name: 'pear-seed' } })
  await until(() => isReady('calling'))
  const { data } = secret('', { kind: 'apple' })
  await client.patch(refOf(seed), { type: 'merge', body: { data } }, writer)
  await until(async () => (await revisionOf('calling')) === 2)
  await ground.change('calling', { metadata: { annotations: { a: 'b' } } })
  await until(async () => (await revisionOf('calling')) === 3)
  await ground.change('calling', { spec: { more: 1 } })
  await until(async () => (await revisionOf('calling')) === 4)
  await areTold(seed, calling)
  host.forget()
  await ground.change('calling', { metadata: { labels: { a: 'b' } } })
  await client.patch(refOf(other), { type: 'merge', body: { data } }, writer)
  await areTold(other, calling)
  t.equal(callsOf('calling'), 0, 'neither its labels nor another Secret')
})

/** Two streams tell in any order: dependents come when it is known whose they are. */
const knownDependents = altered(own, real => ({
  create: async (object, options) => {
    const orchards = await client.list({ apiVersion: `${P}/v1`, kind: 'Orchard', namespace })
    await Promise.all(orchards.map(isTold))
    return real.create(object, options)
  },
}))

t.test('FN-30 CO-51 what a call creates leads to no other call, what somebody else changes of it does', async t => {
  const objects = Array.from({ length: 12 }, (_, n) => configMap(`new-${n}`, { a: '1' }))
  const [first = configMap('')] = objects
  await ground.plant('watched', { objects: [configMap('watched-a')] })
  await until(() => isReady('watched'))
  await areTold(configMap('watched-a'))
  const usual = host.answer
  t.teardown(() => {
    host.answer = usual
  })
  host.answer = ({ key }) => ground.settle(definition, nameIn(key), { now, clusters: oneCluster(knownDependents) })
  const created = await ground.plant('new', { objects })
  await until(() => isReady('new'))
  await areTold(...objects, created)
  t.equal(callsOf('new'), 1)
  repairPauseEnds()
  await client.patch(refOf(first), { type: 'merge', body: { data: { a: 'drifted' } } }, writer)
  await until(async () => ((await client.get(refOf(first)))?.data as { a?: string })?.a === '1')
  await areTold(first, created)
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
  repairPauseEnds()
  const drift = { type: 'merge' as const, body: { data: { a: 'drifted' } } }
  await Promise.all([client.patch(refOf(near), drift, writer), far.patch(refOf(there), drift, writer)])
  const valueAt = async (one: typeof client, object: KubeObject) =>
    ((await one.get(refOf(object)))?.data as { a?: string })?.a
  await until(async () => (await valueAt(client, near)) === '1')
  await until(async () => (await valueAt(far, there)) === '1')
  repairPauseEnds()
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
  await until(async () => farRequests.some(({ verb, code }) => verb === 'watch' && code === '200'))
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
  await until(async () => !(await ground.read('brambles')))
  t.strictSame(await ground.lives([berries, configMap('brambles-a')]), ['gone', 'gone'])
})
