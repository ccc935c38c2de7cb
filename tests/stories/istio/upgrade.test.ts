// An upgrade that breaks off: the host dies after any of its writes, or somebody else is always faster. The charts are of few objects, so
// that it may break off at each of them; what an upgrade does with all of Istio is told in installation.test.ts.
import t, { type Test } from 'tap'
import { istioNames } from '../../../shared/api/istio/names.ts'
import { istioKind } from '../../../shared/api/istio.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { type KubeObject, type ObjectRef, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { define } from '../../harness/clusters/test-definitions.ts'
import { later } from '../../harness/component/orchards.ts'
import { istioGround, withSidecar } from '../../harness/istio/istio-ground.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { dyingAfter } from '../../harness/processes/mortal-process.ts'
import { type Answer, standInRegistry } from '../../harness/registries/registry.ts'
import {
  type Artifact,
  artifactOf,
  documentOf,
  type Entry,
  filesArtifact,
  mediaTypes,
  tgz,
} from '../../make/artifact.ts'
import { chartFolder, smallChartTexts } from '../../make/istio/istio-chart-sets.ts'
import { istioDefinition } from '../../make/istio/istio-definitions.ts'

const registry = await standInRegistry(t)
const ground = await istioGround(t, { isUnmanned: true, environment: { ESPALIER_PLAIN_REGISTRIES: registry.host } })
const { client } = ground
const own = clientTo(t, ground.cluster, note => ground.requests.push(note))
const { annotations, namespaces } = istioNames

const image = (name: string, tag: string) => `registry.example.com/istio/${name}:${tag}`

/** What a host of a release is told. */
const hostOf = (tag: string) => ({
  settings: {
    charts: chartFolder(t, smallChartTexts(tag)),
    images: { pilot: image('pilot', tag), cni: image('install-cni', tag), proxy: image('proxyv2', tag) },
  },
})

type Host = ReturnType<typeof hostOf>

const istioRef: ObjectRef = { ...istioKind, namespace: namespaces.control, name: 'default' }
const pod: ObjectRef = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'store-0' }
const ofCharts = { apiVersion: 'v1', kind: 'ConfigMap', namespace: namespaces.mesh, labelSelector: 'istio.io/rev' }

const ofRival = 'example.com/rival'

/** Without what each write changes, and what others put there. */
const standing = async (tag: string) => {
  const objects = await client.list(ofCharts)
  return objects.map(({ metadata: { uid, name, labels }, data }) =>
    JSON.stringify({ uid, name, labels: { ...labels, [ofRival]: undefined }, data }).replaceAll(tag, 'TAG'),
  )
}

/** Since the Pod with the sidecar was made, which is younger than what was installed at first. */
let seconds = -60
/** Calls of one process, a second apart, until nothing is left to do but to wait; undefined when it dies. */
const live = async (host: Host, through: (client: Client) => Client): Promise<Outcome | undefined> => {
  const life = { ...host, clusters: clusters({ local: through(own) }), memory: processMemory() }
  for (let calls = 0; calls < 10; calls++) {
    seconds += 1
    const outcome = await ground.call({ ...life, ...later(seconds) }).catch(() => undefined)
    if (outcome === undefined || (outcome.requeueAfterSeconds ?? 60) >= 60) return outcome
  }
  throw new Error('the upgrade does not come to an end')
}

for (const kind of ['PeerAuthentication', 'EnvoyFilter']) await define(client, istioDefinition(kind))
let release = 0
await ground.create()
await live(hostOf('1.29.0'), same => same)
/** As the profile of small clusters wants it. */
const resources = { requests: { cpu: '10m', memory: '32Mi' }, limits: { cpu: '250m', memory: '254Mi' } }
const store = await withSidecar(client, { image: image('proxyv2', '1.29.0'), resources })
seconds = 0
const installed = await standing('1.29.0')

const generation = async () => ((await client.get(store)) as KubeObject).metadata.generation ?? 0

const controller = { fieldManager: 'kube-controller-manager' }
/** That it is behind must not be what holds back a second restart. */
const status = { observedGeneration: 1000 }
await client.patch(store, { type: 'merge', body: { status } }, { ...controller, subresource: 'status' })

/** The StatefulSet makes its Pod anew. */
const rollOut = (tag: string) => {
  const body = [{ op: 'replace', path: '/spec/containers/1/image', value: image('proxyv2', tag) }]
  return client.patch(pod, { type: 'json', body }, controller)
}

/** The next release comes, as `begin` says, and then a host to which nothing happens. */
const upgraded = async (t: Test, when: string, begin: (host: Host) => Promise<unknown>): Promise<void> => {
  const [tag, before, since] = [`1.29.${++release}`, await generation(), ground.requests.length]
  const host = hostOf(tag)
  await begin(host)
  matches(t, await live(host, same => same), { outcome: 'waiting', requeueAfterSeconds: 60 }, when)
  t.strictSame(await standing(tag), installed, `${when}: nothing was skipped or made anew`)
  const { status, metadata } = await ground.read()
  matches(t, status, { state: 'Processing', installation: { version: tag, state: 'Ready' } }, when)
  matches(t, metadata.annotations?.[annotations.lastApplied], (text: string) => text.includes(`"IstioTag":"${tag}"`))
  t.equal(await generation(), before + 1, `${when}: the sidecar was restarted once`)
  t.notOk(
    ground.requests.slice(since).some(({ method }) => method === 'DELETE'),
    `${when}: nothing was deleted`,
  )
  await rollOut(tag)
  matches(t, await live(host, same => same), { outcome: 'settled' }, `${when}: and Ready`)
}

t.test('IS-41 killed after each write, an upgrade goes on where it stopped, and restarts a sidecar once', async t => {
  await upgraded(t, 'killed after every write', async host => {
    for (let lives = 1; lives <= 15; lives++) await live(host, dyingAfter(1))
  })
  let deaths = 0
  for (let isDead = true; isDead; deaths += isDead ? 1 : 0)
    await upgraded(t, `killed after write ${deaths + 1} alone`, async host => {
      isDead = (await live(host, dyingAfter(deaths + 1))) === undefined
    })
  t.ok(deaths > 10, `it was killed after each of ${deaths} writes`)
})

t.test('IS-41 beside a rival who is faster once at every object an upgrade ends the same', async t => {
  const labels = { [ofRival]: 'here' }
  const met = new Map<string, ObjectRef>()
  const beaten = async (ref: ObjectRef): Promise<void> => {
    if (met.has(refText(ref)) || ref.kind === 'Event') return
    met.set(refText(ref), ref)
    await client.patch(ref, { type: 'merge', body: { metadata: { labels } } }, { fieldManager: 'rival' })
  }
  const refOf = ({ apiVersion, kind, metadata: { name, namespace = '' } }: KubeObject) => ({
    apiVersion,
    kind,
    name,
    namespace,
  })
  const rivalled = (through: Client): Client =>
    altered(through, real => ({
      apply: (object, options) => beaten(refOf(object)).then(() => real.apply(object, options)),
      replace: (object, options) => beaten(refOf(object)).then(() => real.replace(object, options)),
      patch: (ref, patch, options) => beaten(ref).then(() => real.patch(ref, patch, options)),
    }))
  await upgraded(t, 'beside a rival', host => live(host, rivalled))
  t.equal(met.size, 7, [...met.keys()].join())
  for (const [name, ref] of met) matches(t, (await client.get(ref))?.metadata, { labels }, name)
})

const edit = (config: object) =>
  client.patch(istioRef, { type: 'merge', body: { spec: { config } } }, { fieldManager: 'person' })

t.test('IS-125 an upgrade amid which a field goes forth and back ends the same', async t => {
  for (const writes of [1, 2, 4])
    await upgraded(t, `changed after ${writes} writes`, async host => {
      await live(host, dyingAfter(writes))
      await edit({ enableDNSProxying: true })
      await live(host, dyingAfter(writes))
      await edit({ enableDNSProxying: null })
    })
})

t.test(
  'IS-125 an upgrade that is taken back before it is through leaves the former version, and restarts nothing',
  async t => {
    for (const writes of [1, 3, 5]) {
      const [former, since, before] = [hostOf(`1.29.${release}`), ground.requests.length, await generation()]
      await live(hostOf(`1.29.${release + 1}`), dyingAfter(writes))
      matches(t, await live(former, same => same), { outcome: 'settled' }, `after ${writes} writes`)
      t.strictSame(await standing(`1.29.${release}`), installed)
      t.equal(await generation(), before)
      t.notOk(ground.requests.slice(since).some(({ method }) => method === 'DELETE'))
      const { status } = await ground.read()
      matches(t, status, { state: 'Ready', installation: { version: `1.29.${release}`, state: 'Ready' } })
    }
  },
)

t.test(
  'IS-126 a registry that lies or is in trouble amid an upgrade is told with the artifact, and the upgrade waits',
  async t => {
    const tag = `1.29.${++release}`
    const repository = 'istio/charts'
    const source = `oci://${registry.host}/${repository}:${tag}`
    const digest = await registry.push(repository, tag, await filesArtifact(smallChartTexts(tag)))
    const { settings } = hostOf(tag)
    const host = { settings: { ...settings, charts: source } }
    await live(host, dyingAfter(3))
    const half = await client.list(ofCharts)
    const files = (...entries: Entry[]) =>
      tgz(entries).then(layer => artifactOf(layer, { layer: mediaTypes.files, config: mediaTypes.filesConfig }))
    const pushed = async (name: string, artifact: Promise<Artifact>) => {
      await registry.push(repository, name, await artifact)
      return `oci://${registry.host}/${repository}:${name}`
    }
    const layers = Array.from({ length: 20_000 }, () => ({ mediaType: mediaTypes.files, digest, size: 1 }))
    registry.put(repository, 'endless', documentOf(mediaTypes.manifest, { layers }))
    const changed = (name: string) => filesArtifact({ ...smallChartTexts(tag), [name]: 'not pulled before' })
    const answers = (answer: Answer, part: string) => (path: string) => (path.includes(part) ? answer : undefined)
    const body = Buffer.from('canary')
    const is = (name: string) => source.replace(tag, name)
    type Row = readonly [charts: string, says: string, answer?: (path: string) => Answer | undefined]
    const rows: readonly Row[] = [
      [source, 'the registry is in trouble (500)', answers({ code: 500, body }, '')],
      [source, 'the registry got too many requests (429)', answers({ code: 429, headers: { 'retry-after': '7' } }, '')],
      [await pushed('half', changed('half')), 'the registry is in trouble (503)', answers({ code: 503 }, '/blobs/')],
      [await pushed('swap', changed('swap')), 'has another digest', answers({ code: 200, body }, '/blobs/')],
      [source, 'has another digest', answers({ code: 200, body: Buffer.from('{"layers":[]}') }, `manifests/sha256:0`)],
      [
        is('endless'),
        '20000 of its layers (application/vnd.cncf.flux.content.v1.tar+gzip) have the expected media type, expected exactly one',
      ],
      [await pushed('outside', files({ name: '../../etc/x', content: 'canary' })), 'contains "../../etc/x"'],
      [await pushed('absolute', files({ name: '/etc/x', content: 'canary' })), 'contains "/etc/x"'],
      [
        await pushed('link', files({ name: 'base', type: 'symlink', linkname: '/etc' })),
        'contains "base", which is a link',
      ],
      [await pushed('bomb', files({ name: 'a', content: Buffer.alloc(34e6) })), 'unpacks to more than 33554432 bytes'],
    ]
    const headDigest = `sha256:${'0'.repeat(64)}`
    const told = { code: 200, headers: { 'docker-content-digest': headDigest } }
    for (const [charts, says, answer] of rows) {
      const since = ground.requests.length
      const isMoved = answers(told, `manifests/${tag}`)
      registry.intercept(path => answer?.(path) ?? (says === 'has another digest' ? isMoved(path) : undefined))
      matches(t, await live({ settings: { ...settings, charts } }, same => same), { outcome: 'failed' }, says)
      registry.intercept(() => undefined)
      const { status } = await ground.read()
      const { description = '' } = status ?? {}
      matches(t, status?.state, 'Error')
      for (const part of ['Could not install Istio: ', charts.replace('oci://', ''), says])
        contains(t, description, part)
      lacks(t, description, 'canary')
      t.strictSame(await client.list(ofCharts), half, `${says}: nothing is touched`)
      const written = ground.requests.slice(since).filter(({ method }) => method !== 'GET')
      t.ok(written.length <= 1, 'nothing but the status is written')
    }
    const other = await registry.push(repository, 'other', await filesArtifact(smallChartTexts('1.28.0')))
    registry.intercept(answers({ code: 200, headers: { 'docker-content-digest': other } }, `manifests/${tag}`))
    matches(t, await live(host, same => same), {
      outcome: 'failed',
      reason: /the charts are of Istio 1\.28\.0, but the images are of Istio /,
    })
    registry.intercept(() => undefined)
    matches(t, await live(host, same => same), { outcome: 'waiting', requeueAfterSeconds: 60 })
    t.strictSame(await standing(tag), installed)
    await rollOut(tag)
    matches(t, await live(host, same => same), { outcome: 'settled' })
  },
)

t.test('IS-125 an Istio that is deleted amid an upgrade goes, and all that either version installed', async t => {
  const host = hostOf(`1.29.${release + 1}`)
  await live(host, dyingAfter(4))
  await client.delete(istioRef, {})
  let deaths = 0
  // The last write lets it go; the process that died then had no more to say.
  const isThere = async () => (await client.get(istioRef)) !== undefined
  for (; (await live(host, dyingAfter(1))) === undefined && (await isThere()); deaths++)
    t.ok((await ground.read()).metadata.finalizers?.length, 'it stays until all is gone')
  t.ok(deaths > 3, `it was killed after each of ${deaths} writes`)
  t.equal(await client.get(istioRef), undefined)
  t.strictSame(await client.list(ofCharts), [])
  t.equal(await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: namespaces.mesh }), undefined)
})
