// Artifacts from registries: what is pulled, what is refused and in which words, and what never leaves or enters this host.
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MockAgent } from 'undici'
import { byteBudget } from '../../../shared/core/bounds/bytes.ts'
import { settingsFrom } from '../../../shared/http/settings/config.ts'
import { artifactSettings, artifactsOf } from '../../../shared/http/settings/host-settings.ts'
import { ArtifactError, type ArtifactReason } from '../../../shared/outside/artifact-error.ts'
import type { Artifacts } from '../../../shared/outside/artifacts.ts'
import { registryRules } from '../../../shared/outside/oci/hosts.ts'
import type { Pull } from '../../../shared/outside/oci/pull.ts'
import { credentialsIn, repositoryOf } from '../../../shared/outside/oci/reference.ts'
import { registrySession } from '../../../shared/outside/oci/session.ts'
import { isQuick } from '../../harness/cpu-work.ts'
import { contains, lacks, matches } from '../../harness/matches.ts'
import { type StandInRegistry, standInRegistry, type Users } from '../../harness/registries/registry.ts'
import { testFolder } from '../../harness/test-folder.ts'
import {
  artifactOf,
  chartArtifact,
  digestOf,
  documentOf,
  filesArtifact,
  indexOf,
  mediaTypes,
  packed,
} from '../../make/artifact.ts'

const chartFiles = { 'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n', 'templates/a.yaml': 'kind: A\n' }
const alice = { username: 'alice', password: 'canary-of-alice' }

const placesWith = (environment: Record<string, string>): Artifacts => {
  const reading = settingsFrom(artifactSettings, { program: 'test', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return artifactsOf(reading.settings)
}

const speakingPlainlyTo = (...registries: { host: string }[]): Artifacts =>
  placesWith({ ESPALIER_PLAIN_REGISTRIES: registries.map(({ host }) => host).join() })

const dockerConfig = (host: string, entry: object): string => JSON.stringify({ auths: { [host]: entry } })

const stage = async (t: Test, users?: Users) => {
  const registry = await standInRegistry(t, users)
  const artifact = await chartArtifact(chartFiles)
  const digest = await registry.push('charts/shop', '1.2.3', artifact)
  const reference = { repository: `${registry.host}/charts/shop`, tag: '1.2.3' }
  return { registry, artifact, digest, reference, places: speakingPlainlyTo(registry) }
}

const refusedFor = async (t: Test, pulling: Promise<unknown>, reason: ArtifactReason, says: RegExp) => {
  const error = await pulling.then(
    () => undefined,
    error => error,
  )
  if (!(error instanceof ArtifactError)) throw new Error(`not refused: ${error}`)
  t.equal(error.reason, reason, error.message)
  matches(t, error.message, says)
  lacks(t, error.message, /canary/, 'no secret is told')
  return error
}

t.test('a chart is pulled by tag, by digest, through an index, with the digest of what was named', async t => {
  const { registry, artifact, digest, reference, places } = await stage(t)
  const [, layer] = artifact.blobs
  const byTag = await places.pull({ reference, kind: 'chart' })
  t.strictSame(
    { ...byTag, content: digestOf(byTag.content) },
    { digest, version: '1.2.3', content: digestOf(layer ?? Buffer.of()) },
  )
  const { repository } = reference
  t.equal(
    (await places.pull({ reference: { repository: `oci://${repository}`, digest }, kind: 'chart' })).digest,
    digest,
  )

  const attestation = {
    digest: digestOf(Buffer.from('x')),
    size: 1,
    platform: { os: 'unknown', architecture: 'unknown' },
  }
  const index = registry.put(
    'charts/shop',
    'many',
    indexOf(attestation, { digest, size: artifact.manifest.body.length }),
  )
  t.equal((await places.pull({ reference: { repository, tag: 'many' }, kind: 'chart' })).digest, index)
})

t.test('RE-31 a version that is no short printable text does not reach a status: the tag does', async t => {
  const { registry, reference, places } = await stage(t)
  const pulled = async (tag: string, version: string): Promise<string> => {
    await registry.push('charts/shop', tag, await chartArtifact(chartFiles, version))
    return (await places.pull({ reference: { ...reference, tag }, kind: 'chart' })).version
  }
  t.equal(await pulled('a', 'v1.2.3-rc.1+build_7'), 'v1.2.3-rc.1+build_7')
  t.equal(await pulled('b', '9'.repeat(128)), '9'.repeat(128))
  t.equal(await pulled('c', '9'.repeat(129)), 'c')
  t.equal(await pulled('d', '9'.repeat(3 * 2 ** 20)), 'd')
  t.equal(await pulled('e', '1.2.3\n\u001b[31mReady'), 'e')
})

t.test('RE-31 media types are cut where they reach a status, and a Retry-After counts up to an hour', async t => {
  const { registry, reference, places } = await stage(t)
  const layer = `\u001b[31m${'x'.repeat(2 ** 20)}`
  await registry.push('charts/shop', 'odd', artifactOf(Buffer.from('x'), { layer, config: mediaTypes.chartConfig }))
  const odd = places.pull({ reference: { ...reference, tag: 'odd' }, kind: 'chart' })
  const { message } = await refusedFor(t, odd, 'mediaType', /it is not a Helm chart: 0 of its layers \(\?\[31mx+\)/)
  t.ok(message.length < 400, `${message.length} characters`)
  registry.intercept(() => ({ code: 429, headers: { 'retry-after': '1e300' }, body: '' }))
  const error = await refusedFor(t, places.pull({ reference, kind: 'chart' }), 'unavailable', /too many requests/)
  t.equal(error.retryAfterSeconds, 3_600)
})

t.test('a folder has its tag as version; a chart may have Helm’s old media type', async t => {
  const { registry, reference, places } = await stage(t)
  await registry.push('apps/shop', 'v7', await filesArtifact({ 'a.yaml': 'kind: A\n' }))
  const folder = { repository: `${registry.host}/apps/shop`, tag: 'v7' }
  t.equal((await places.pull({ reference: folder, kind: 'files' })).version, 'v7')
  const old = artifactOf(await packed(chartFiles, 'shop/'), {
    layer: 'application/tar+gzip',
    config: mediaTypes.chartConfig,
  })
  await registry.push('charts/shop', 'old', old)
  t.ok(await places.pull({ reference: { ...reference, tag: 'old' }, kind: 'chart' }))
})

t.test('a registry that does not tell digests is asked for the manifest', async t => {
  const { registry, artifact, digest, reference, places } = await stage(t)
  registry.intercept((path, { method }) =>
    path.endsWith('/manifests/1.2.3')
      ? { code: 200, body: method === 'HEAD' ? '' : artifact.manifest.body }
      : undefined,
  )
  t.equal((await places.pull({ reference, kind: 'chart' })).digest, digest)
})

t.test('credentials are shown after a 401, in the way that it asks for', async t => {
  const auth = Buffer.from(`${alice.username}:${alice.password}`).toString('base64')
  for (const by of ['basic', 'bearer'] as const) {
    const { registry, reference, places } = await stage(t, { ...alice, by })
    const pull = (entry: object): Pull => ({
      reference,
      kind: 'chart',
      dockerConfig: dockerConfig(registry.host, entry),
    })
    t.ok(await places.pull(pull(alice)), `${by}, username and password`)
    t.ok(await places.pull(pull({ auth })), `${by}, auth`)
    t.equal(registry.requests[0]?.authorization, undefined, 'nothing is shown before it is asked for')
    await refusedFor(
      t,
      places.pull(pull({ ...alice, password: 'canary' })),
      'unauthorized',
      /charts\/shop:1\.2\.3 cannot be pulled: the registry denies access \(401\)$/,
    )
    await refusedFor(t, places.pull({ reference, kind: 'chart' }), 'unauthorized', /\(401\), which got no credentials$/)
    await refusedFor(
      t,
      places.pull({ reference, kind: 'chart', dockerConfig: 'canary' }),
      'refused',
      /no JSON object with auths/,
    )
    await refusedFor(t, places.pull(pull({ auth: 'canary' })), 'refused', /neither username and password nor auth/)
  }
  const { registry, reference, places } = await stage(t, { ...alice, by: 'bearer' })
  const token = { registrytoken: 'a-token-of-the-stand-in' }
  t.ok(await places.pull({ reference, kind: 'chart', dockerConfig: dockerConfig(registry.host, token) }))
})

t.test('a registry is the same however its host and port are written', async t => {
  for (const host of ['registry.example.com', 'registry.example.com:443', 'Registry.Example.com'])
    matches(t, repositoryOf(`${host}/shop`, []), { origin: 'https://registry.example.com', registry: host })
})

t.test('CO-89 each of the names of Docker Hub leads to the server that answers', async t => {
  const origin = 'https://registry-1.docker.io'
  for (const host of ['docker.io', 'index.docker.io', 'registry-1.docker.io', 'Docker.io', 'docker.io:443'])
    matches(t, repositoryOf(`oci://${host}/bitnamicharts/mysql`, []), {
      origin,
      registry: host,
      name: 'bitnamicharts/mysql',
    })
  for (const host of ['www.docker.io', 'docker.io.example.com', 'docker.io:5000', 'mydocker.io'])
    matches(t, repositoryOf(`${host}/shop`, []), { origin: `https://${host}` })
  const hub = repositoryOf('docker.io/bitnamicharts/mysql', [])
  if (!hub) throw new Error('no repository')
  for (const filed of ['docker.io', 'https://index.docker.io/v1/', 'registry-1.docker.io/bitnamicharts'])
    t.strictSame(credentialsIn(dockerConfig(filed, alice), hub), { credentials: alice }, filed)
  const pulling = placesWith({ ESPALIER_REGISTRIES: 'ghcr.io' }).pull({
    reference: { repository: 'docker.io/bitnamicharts/mysql', tag: '1' },
    kind: 'chart',
  })
  await refusedFor(t, pulling, 'refused', /^docker\.io\/bitnamicharts\/mysql:1 .*"registry-1\.docker\.io"/)
})

t.test('the most specific of several entries counts', async t => {
  const repository = repositoryOf('registry.example.com:5000/team/shop/web', [])
  if (!repository) throw new Error('no repository')
  const entry = (username: string) => ({ username, password: 'x' })
  const auths = {
    'registry.example.com': entry('another port'),
    'https://registry.example.com:5000/v2/': entry('the host'),
    'registry.example.com:5000/team/shop': entry('the folder'),
    'registry.example.com:5000/team/sho': entry('no folder of it'),
    constructor: entry('nobody'),
  }
  const userOf = (auths: object) => credentialsIn(JSON.stringify({ auths }), repository)
  matches(t, userOf(auths), { credentials: { username: 'the folder' } })
  const { 'registry.example.com:5000/team/shop': _, ...others } = auths
  matches(t, userOf(others), { credentials: { username: 'the host' } })
  t.strictSame(userOf({}), { credentials: undefined })
  const hub = { origin: 'https://registry-1.docker.io', registry: 'registry-1.docker.io', name: 'team/web' }
  const filed = { 'https://index.docker.io/v1/': { username: 'the hub', password: 'p' }, 'old.docker.io': {} }
  matches(t, credentialsIn(JSON.stringify({ auths: filed }), hub), { credentials: { username: 'the hub' } })
  matches(t, userOf({ 'registry.example.com:5000': 7 }), { fault: String })
})

t.test('RE-23 an entry with endless slashes is compared at once', async t => {
  const repository = repositoryOf('registry.example.com/shop', [])
  if (!repository) throw new Error('no repository')
  const bob = { username: 'bob', password: 'canary-of-bob' }
  const slashes = '/'.repeat(500_000)
  const auths = { [`${slashes}a`]: alice, [`registry.example.com${slashes}`]: bob }
  await isQuick(
    t,
    () => t.strictSame(credentialsIn(JSON.stringify({ auths }), repository), { credentials: bob }),
    'slashes',
  )
})

t.test('only bytes are remembered: the registry is asked every time', async t => {
  const { registry, artifact, digest, reference, places } = await stage(t)
  const pulled = () => places.pull({ reference, kind: 'chart' })
  await pulled()
  const asked = registry.requests.length
  t.equal((await pulled()).digest, digest)
  t.strictSame(
    registry.requests.slice(asked).map(({ method }) => method),
    ['HEAD'],
  )

  const moved = await registry.push(
    'charts/shop',
    '1.2.3',
    await chartArtifact({ ...chartFiles, 'values.yaml': 'a: 1\n' }),
  )
  t.equal((await pulled()).digest, moved, 'a moved tag counts at once')
  registry.intercept(path => (path.includes('/manifests/') ? { code: 403 } : undefined))
  await refusedFor(t, pulled(), 'unauthorized', /denies access \(403\)/)
  registry.intercept(() => undefined)
  const forgetful = speakingPlainlyTo(registry)
  t.strictSame(await forgetful.pull({ reference, kind: 'chart' }), await pulled(), 'without memory: the same')
  t.not(digest, moved)
  t.ok(artifact)
})

t.test('a registry that claims the digest of another registry’s chart does not lead to that chart', async t => {
  const { registry, digest, reference } = await stage(t)
  const liar = await standInRegistry(t)
  liar.intercept(() => ({ code: 200, headers: { 'docker-content-digest': digest }, body: 'nothing' }))
  const places = speakingPlainlyTo(registry, liar)
  await places.pull({ reference, kind: 'chart' })
  const lie = { repository: `${liar.host}/charts/shop`, tag: '1.2.3' }
  await refusedFor(t, places.pull({ reference: lie, kind: 'chart' }), 'digest', /has another digest$/)
})

t.test('RE-24 content that does not have its digest is never handed out', async t => {
  const { registry, artifact, digest, reference, places } = await stage(t)
  const forged = Buffer.from('canary')
  const { repository } = reference
  registry.intercept(path => (path.includes('/blobs/') ? { code: 200, body: forged } : undefined))
  await refusedFor(
    t,
    places.pull({ reference, kind: 'chart' }),
    'digest',
    /charts\/shop:1\.2\.3 .* has another digest$/,
  )
  registry.intercept(path =>
    path.endsWith(digest) ? { code: 200, body: documentOf('', { layers: [] }).body } : undefined,
  )
  await refusedFor(
    t,
    places.pull({ reference: { repository, digest }, kind: 'chart' }),
    'digest',
    /@sha256:.* has another digest$/,
  )

  const [, layer = Buffer.of()] = artifact.blobs
  registry.intercept(path =>
    path.includes('/blobs/') ? { code: 200, body: Buffer.concat([layer, layer]) } : undefined,
  )
  await refusedFor(t, places.pull({ reference, kind: 'chart' }), 'tooLarge', /more than \d+ bytes$/)
})

t.test('RE-24 an artifact that is too large is refused', async t => {
  const { registry, reference, places } = await stage(t)
  const layer = { mediaType: mediaTypes.chart, digest: digestOf(Buffer.of()), size: 17 * 2 ** 20 }
  registry.put('charts/shop', 'large', documentOf(mediaTypes.manifest, { layers: [layer] }))
  await refusedFor(
    t,
    places.pull({ reference: { ...reference, tag: 'large' }, kind: 'chart' }),
    'tooLarge',
    /layer is larger/,
  )
  t.notOk(
    registry.requests.some(({ path }) => path.includes('/blobs/')),
    'its layer was not asked for',
  )
  registry.put('charts/shop', 'long', documentOf(mediaTypes.manifest, { layers: [], text: 'x'.repeat(5 * 2 ** 20) }))
  await refusedFor(t, places.pull({ reference: { ...reference, tag: 'long' }, kind: 'chart' }), 'tooLarge', /more than/)
})

/** Two layers of this size are all that there is room for. */
const layerBytes = 16 * 2 ** 20

/** A registry whose layers come but for their last byte. */
const lingering = async (t: Test): Promise<string> => {
  const { body, mediaType } = documentOf(mediaTypes.manifest, {
    layers: [{ mediaType: mediaTypes.chart, digest: digestOf(Buffer.of()), size: layerBytes }],
  })
  const server = createServer((request, response) => {
    const isLayer = request.url?.includes('/blobs/')
    response.writeHead(200, {
      'content-type': mediaType,
      'content-length': isLayer ? layerBytes : body.length,
      ...(!isLayer && { 'docker-content-digest': digestOf(body) }),
    })
    if (isLayer) response.write(Buffer.alloc(layerBytes - 1))
    else response.end(request.method === 'HEAD' ? undefined : body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

t.test('RE-24 registries that send much at once lose their places, others are served', async t => {
  const { registry, reference } = await stage(t)
  const host = await lingering(t)
  const places = speakingPlainlyTo(registry, { host })
  const abortAll = new AbortController()
  const pulls = ['a', 'b', 'c'].map(name =>
    places.pull({ reference: { repository: `${host}/${name}`, tag: '1' }, kind: 'chart', signal: abortAll.signal }),
  )
  await refusedFor(t, Promise.race(pulls), 'unavailable', /exceed the memory limit/)
  t.equal((await places.pull({ reference, kind: 'chart' })).version, '1.2.3')
  abortAll.abort()
  await Promise.allSettled(pulls)
})

t.test('CO-92 RE-24 each trouble has its reason, and the message names repository and cause', async t => {
  const { registry, reference, places } = await stage(t)
  const layerOf = (mediaType: unknown, digest: unknown, size: unknown) => ({ layers: [{ mediaType, digest, size }] })
  const digest = digestOf(Buffer.of())
  const rows: [what: string, body: unknown, reason: ArtifactReason, says: RegExp][] = [
    ['no JSON', '<html>canary</html>', 'unreadable', /not a JSON object/],
    ['a list', [], 'unreadable', /not a JSON object/],
    ['RE-24 a million layers', `{"layers":[${'[],'.repeat(1e6)}{}]}`, 'unreadable', /too many parts/],
    ['RE-24 a layer in layers', `{"layers":${'['.repeat(100)}${']'.repeat(100)}}`, 'unreadable', /too many parts/],
    ['an image config', { config: {} }, 'mediaType', /neither layers nor manifests/],
    ['an image', layerOf('application/vnd.oci.image.layer.v1.tar+gzip', digest, 1), 'mediaType', /not a Helm chart/],
    ['no layer', { layers: [] }, 'mediaType', /its layers \(none\)/],
    ['a layer without digest', layerOf(mediaTypes.chart, 'sha256:12', 1), 'unreadable', /sha256 digest/],
    ['a layer of no size', layerOf(mediaTypes.chart, digest, -1), 'unreadable', /size/],
    ['an empty index', { manifests: [] }, 'mediaType', /no manifest/],
  ]
  for (const [what, body, reason, says] of rows) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    registry.put('charts/shop', 'odd', { mediaType: mediaTypes.manifest, body: Buffer.from(text) })
    const pulling = places.pull({ reference: { ...reference, tag: 'odd' }, kind: 'chart' })
    const error = await refusedFor(t, pulling, reason, says)
    contains(t, error.message, `${registry.host}/charts/shop:odd cannot be pulled: `, what)
  }
  const inner = registry.put('charts/shop', 'inner', indexOf())
  registry.put('charts/shop', 'odd', indexOf({ digest: inner, size: 2 }))
  await refusedFor(
    t,
    places.pull({ reference: { ...reference, tag: 'odd' }, kind: 'chart' }),
    'mediaType',
    /another index/,
  )
})

t.test('CO-92 registries that are down, slow, in trouble, or have no such tag', async t => {
  const { registry, reference, places } = await stage(t)
  const pull = (signal?: AbortSignal) => places.pull({ reference, kind: 'chart', signal })
  const missing = places.pull({ reference: { ...reference, tag: 'none' }, kind: 'chart' })
  await refusedFor(t, missing, 'notFound', /no such repository, tag or digest \(404\)/)
  for (const [code, reason] of [
    [500, 'unavailable'],
    [429, 'unavailable'],
    [418, 'unreadable'],
  ] as const) {
    registry.intercept(() => ({ code, headers: { 'retry-after': '7' }, body: 'canary' }))
    t.equal((await refusedFor(t, pull(), reason, new RegExp(`\\(${code}\\)`))).retryAfterSeconds, 7)
  }
  t.ok(registry.host)
  const aborted = AbortSignal.timeout(1)
  await new Promise(resolve => aborted.addEventListener('abort', resolve))
  await refusedFor(t, pull(aborted), 'unreachable', /cannot be reached \(TimeoutError\)/)
  const nobody = { host: '127.0.0.1:9' }
  const down = speakingPlainlyTo(nobody).pull({
    reference: { ...reference, repository: `${nobody.host}/a/b` },
    kind: 'chart',
  })
  await refusedFor(t, down, 'unreachable', /127\.0\.0\.1:9\/a\/b:1\.2\.3 .*\(ECONNREFUSED\)/)
  const named = { ...reference, repository: 'oci://robot:canary@127.0.0.1:9/a/b' }
  await refusedFor(
    t,
    places.pull({ reference: named, kind: 'chart' }),
    'refused',
    /^\*\*\*@127\.0\.0\.1:9\/a\/b:1\.2\.3 cannot be pulled: /,
  )
})

/** A registry that asks for credentials and sends those who show them to another one, for every path with `part`. */
const sendingStage = async (t: Test) => {
  const staged = await stage(t, { ...alice, by: 'basic' })
  const elsewhere = await standInRegistry(t)
  await elsewhere.push('store', '1.2.3', staged.artifact)
  const { registry, reference } = staged
  const dockerAuth = dockerConfig(registry.host, alice)
  return {
    ...staged,
    elsewhere,
    pull: (named: object = reference, ...others: StandInRegistry[]) =>
      speakingPlainlyTo(registry, ...others).pull({
        reference: { ...reference, ...named },
        kind: 'chart',
        dockerConfig: dockerAuth,
      }),
    send: (part: string, to = elsewhere) =>
      registry.intercept((path, { headers }) =>
        path.includes(part) && headers.authorization
          ? { code: 307, headers: { location: `http://${to.host}${path.replace('charts/shop', 'store')}` } }
          : undefined,
      ),
  }
}

t.test('CO-89 a redirect to another host is followed without our credentials', async t => {
  const { digest, reference, elsewhere, pull, send } = await sendingStage(t)
  for (const part of ['/blobs/', '/manifests/', '/'])
    for (const named of [{ tag: '1.2.3' }, { tag: undefined, digest }]) {
      send(part)
      const asked = elsewhere.requests.length
      t.equal((await pull({ ...reference, ...named }, elsewhere)).digest, digest, `${part} ${Object.keys(named)}`)
      t.ok(elsewhere.requests.length > asked)
    }
  const shown = elsewhere.requests.map(({ authorization }) => authorization)
  t.strictSame(new Set(shown), new Set([undefined]))
})

t.test('RE-24 a manifest from the host of a redirect is checked against its digest', async t => {
  const { artifact, digest, reference, elsewhere, pull, send } = await sendingStage(t)
  send('/manifests/')
  const forged = { code: 200, body: documentOf(mediaTypes.manifest, { layers: [] }).body }
  elsewhere.intercept(() => forged)
  await refusedFor(t, pull({ tag: undefined, digest }, elsewhere), 'digest', /has another digest$/)
  elsewhere.intercept(() => ({ ...forged, headers: { 'docker-content-digest': digest } }))
  await refusedFor(t, pull(reference, elsewhere), 'digest', /has another digest$/)
  elsewhere.intercept((_, { method }) => ({ code: 200, body: method === 'HEAD' ? '' : artifact.manifest.body }))
  t.equal((await pull(reference, elsewhere)).digest, digest, 'of a tag that is told without digest: that of its bytes')
})

t.test('RE-24 redirects to forbidden hosts, and endless ones, are refused', async t => {
  const { registry, reference, elsewhere, pull, send } = await sendingStage(t)
  for (const part of ['/blobs/', '/manifests/']) {
    send(part)
    await refusedFor(t, pull(), 'refused', /must not be used without TLS$/)
    registry.intercept(path => (path.includes(part) ? { code: 302, headers: { location: path } } : undefined))
    const asked = registry.requests.length
    await refusedFor(t, pull(), 'refused', /a host that is not allowed$/)
    t.ok(registry.requests.slice(asked).filter(({ path }) => path.includes(part)).length <= 4, 'a bounded number')
  }
  t.equal(elsewhere.requests.length, 0)
  registry.intercept(() => ({ code: 307, headers: { location: 'https://169.254.169.254/v2/' } }))
  await refusedFor(t, pull(reference), 'refused', /loopback or link-local/)
})

t.test('RE-24 a registry that sends early hints and never an answer is given up', async t => {
  const server = createServer((_, response) => {
    const timer = setInterval(() => response.writeEarlyHints({ link: '</a>' }), 1)
    response.on('close', () => clearInterval(timer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const pulling = speakingPlainlyTo({ host }).pull({ reference: { repository: `${host}/a`, tag: '1' }, kind: 'chart' })
  await refusedFor(t, pulling, 'unavailable', /more than 10 interim answers come before the answer/)
})

t.test('RE-24 a redirect from TLS to plain HTTP is refused', async t => {
  const repository = repositoryOf('registry.example.com/charts/shop', [])
  if (!repository) throw new Error('no repository')
  const dispatcher = new MockAgent()
  dispatcher.disableNetConnect()
  const path = '/v2/charts/shop/manifests/1.2.3'
  const location = `http://127.0.0.1:5000${path}`
  dispatcher.get(repository.origin).intercept({ path }).reply(307, '', { headers: { location } })
  dispatcher.get(new URL(location).origin).intercept({ path }).reply(200, 'what anybody on the way may have put there')
  const room = byteBudget(2 ** 20, () => 0)
  const rules = { faultOf: () => undefined, dispatcher, room }
  const { ask } = registrySession({ repository, credentials: undefined, rules, signal: new AbortController().signal })
  const asking = ask({ method: 'GET', path: 'manifests/1.2.3', bytesMost: 100 })
  await refusedFor(t, asking, 'refused', /a host that is not allowed$/)
})

t.test('a host that an open registry redirects to cannot ask for our credentials', async t => {
  const { registry, reference } = await stage(t)
  const elsewhere = await standInRegistry(t)
  const challenges = [`Bearer realm="http://${elsewhere.host}/token"`, 'Basic realm="elsewhere"']
  for (const [part, challenge] of ['/blobs/', '/manifests/'].flatMap(part =>
    challenges.map(each => [part, each] as const),
  )) {
    registry.intercept(path =>
      path.includes(part) ? { code: 307, headers: { location: `http://${elsewhere.host}/x` } } : undefined,
    )
    elsewhere.intercept(() => ({ code: 401, headers: { 'www-authenticate': challenge } }))
    const pulling = speakingPlainlyTo(registry, elsewhere).pull({
      reference,
      kind: 'chart',
      dockerConfig: dockerConfig(registry.host, alice),
    })
    await refusedFor(t, pulling, 'unauthorized', /denies access \(401\), which got no credentials$/)
  }
  const shown = [...registry.requests, ...elsewhere.requests].map(({ authorization }) => authorization)
  t.strictSame(new Set(shown), new Set([undefined]))
})

t.test('a registry cannot send our credentials to an issuer without TLS', async t => {
  const { registry, reference, places } = await stage(t)
  const stranger = await standInRegistry(t)
  const challenge = `Bearer realm="http://${stranger.host}/token"`
  registry.intercept(() => ({ code: 401, headers: { 'www-authenticate': challenge } }))
  const pulling = places.pull({ reference, kind: 'chart', dockerConfig: dockerConfig(registry.host, alice) })
  await refusedFor(t, pulling, 'refused', /must not be used without TLS$/)
  t.equal(stranger.requests.length, 0)
  registry.intercept(() => ({
    code: 401,
    headers: { 'www-authenticate': `Bearer realm="http://${registry.host}/token"` },
  }))
  await refusedFor(t, places.pull({ reference, kind: 'chart' }), 'unauthorized', /401/)
})

t.test('a setting decides which hosts pulls may reach', async t => {
  const places = placesWith({ ESPALIER_REGISTRIES: '*.example.com, 127.0.0.1' })
  const pull = (repository: string) => places.pull({ reference: { repository, tag: '1' }, kind: 'chart' })
  await refusedFor(t, pull('ghcr.io/a/b'), 'refused', /"ghcr\.io", which is not an allowed host/)
  await refusedFor(t, pull('localhost:5000/a/b'), 'refused', /loopback or link-local/)
  await refusedFor(t, pull('169.254.169.254/a/b'), 'refused', /loopback or link-local/)
  await refusedFor(t, pull('127.0.0.1:9/a/b'), 'unreachable', /ECONNREFUSED/)
  for (const repository of [
    'shop',
    'example.com',
    'a@b/c',
    'example.com/Shop',
    'example.com/../x',
    'example.com//x',
    ' /x',
  ])
    await refusedFor(t, pull(repository), 'refused', /expected registry\/repository/)
})

t.test('KY-115 a registry without TLS is named with its port, also one of another machine', async t => {
  const read = (plain: string) =>
    settingsFrom(artifactSettings, { program: 'test', flags: ['--plain-registries', plain], environment: {} })
  for (const plain of ['127.0.0.1', 'http://registry.example.com:5000', 'registry.example.com:5000/path'])
    matches(t, read(plain), { is: 'faults', faults: [/hosts with a port such as 127\.0\.0\.1:5000/] })
  const plainRegistries = ['registry.localhost:5000', '10.0.0.1:5000']
  matches(t, read(plainRegistries.join()), { is: 'settings', settings: { plainRegistries } })
  const { faultOf } = registryRules({ hosts: { faultOf: () => 'no', lookupFor: () => undefined }, plain: ['a:80'] })
  t.equal(faultOf(new URL('http://a:80/v2')), undefined)
  t.equal(faultOf(new URL('http://b:80/v2')), 'b must not be used without TLS')
})

t.test('KY-115 only requests without TLS skip the rules for addresses', async t => {
  const resolved: string[] = []
  const lookupFor = (host: URL) => {
    resolved.push(host.protocol)
    return undefined
  }
  const { dispatcher } = registryRules({ hosts: { faultOf: () => undefined, lookupFor }, plain: ['127.0.0.1:1'] })
  t.teardown(() => dispatcher.close())
  for (const protocol of ['http:', 'https:'])
    await dispatcher.request({ origin: `${protocol}//127.0.0.1:1`, path: '/', method: 'GET' }).catch(() => undefined)
  t.strictSame(resolved, ['https:'])
})

t.test('a folder below the chart root is read, and no file beside it', async t => {
  const root = testFolder(t)
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  write('charts/shop/Chart.yaml', 'name: shop\n')
  write('charts/shop/templates/a.yaml', 'kind: A\n')
  write('charts/mounted/..data/Chart.yaml', 'name: mounted\n')
  symlinkSync('..data/Chart.yaml', join(root, 'charts/mounted/Chart.yaml'))
  write('secret', 'canary')
  write('charts/leaky/Chart.yaml', 'name: leaky\n')
  symlinkSync('../../secret', join(root, 'charts/leaky/values.yaml'))
  symlinkSync(root, join(root, 'charts/away'))
  write('charts/looped/Chart.yaml', 'name: looped\n')
  symlinkSync('.', join(root, 'charts/looped/again'))
  symlinkSync('/proc/self/environ', join(root, 'charts/environ'))
  const places = placesWith({ ESPALIER_CHART_ROOT: join(root, 'charts') })
  const shop = await places.folder('shop')
  t.strictSame([...shop.files.keys()].sort(), ['Chart.yaml', 'templates/a.yaml'])
  t.equal(Buffer.from(shop.files.get('Chart.yaml') ?? Buffer.of()).toString(), 'name: shop\n')
  t.strictSame([...(await places.folder('mounted')).files.keys()], ['Chart.yaml'], 'as ConfigMaps are mounted')
  t.equal((await places.folder('./shop/')).digest, shop.digest)
  write('charts/shop/templates/a.yaml', 'kind: B\n')
  t.not((await places.folder('shop')).digest, shop.digest)

  const refusals: [path: string, reason: ArtifactReason, says: RegExp][] = [
    ['leaky', 'refused', /^the folder leaky points outside the chart root$/],
    ['away', 'refused', /points outside/],
    ['..', 'refused', /points outside/],
    ['shop/../../secret', 'refused', /points outside/],
    ['environ', 'refused', /points outside/],
    ['looped', 'refused', /a symbolic link to a folder/],
    ['none', 'notFound', /^the folder none is not below the chart root$/],
    ['shop/Chart.yaml', 'notFound', /is not below/],
  ]
  for (const [path, reason, says] of refusals) await refusedFor(t, places.folder(path), reason, says)
  await refusedFor(t, placesWith({}).folder('shop'), 'refused', /no chart root/)
})
