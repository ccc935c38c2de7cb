/**
 * What runtimes report, over real TLS: who is believed, in which order a request is checked, and whom the relay is told to
 * call. The relay is the test's.
 */

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { connect as tlsConnect } from 'node:tls'
import t, { type Test } from 'tap'
import { runtimeEvents } from '../../functions/runtime-events/index.ts'
import { controlPlane } from '../../shared/agent/control-plane.ts'
import { fullSyncEvent } from '../../shared/api/kyma/runtime-event.ts'
import { rates } from '../../shared/core/bounds/rates.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { encodedText } from '../../shared/core/objects/secret-text.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { forwardedPem } from '../../shared/http/client-certificate.ts'
import type { HandOver } from '../../shared/http/routes/callbacks.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { hostSettings } from '../../shared/http/settings/host-settings.ts'
import { type RunningHost, startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { RelayAway } from '../../shared/outside/relay-errors.ts'
import { type Authority, type Certified, newAuthority } from '../harness/clients/certificates.ts'
import { letsOthersIn } from '../harness/cpu-work.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { freePorts } from '../harness/processes/ports.ts'
import { testFolder } from '../harness/test-folder.ts'
import { until } from '../harness/until.ts'
import { kyma, moduleManifest, watcher } from '../make/kyma/kyma.ts'
import { attackers, says } from './attackers.ts'
import type { LogLine } from './host-parts.ts'
import { MemoryCluster, refusal } from './memory-cluster.ts'

const [ours, theirs, mesh] = (await Promise.all(['ours', 'theirs', 'mesh'].map(name => newAuthority(name)))) as [
  Authority,
  Authority,
  Authority,
]
const serving = await ours.serving({ dns: ['localhost'] })
const gateway = 'spiffe://cluster.local/ns/istio-system/sa/gateway'

const ofRuntime = (id: string) => ({ 'kyma-project.io/runtime-id': id })
const kymaNamed = (name: string, runtimeId?: string) =>
  kyma({ metadata: { name, ...(runtimeId && { labels: ofRuntime(runtimeId) }) } })

const manifestOf = (owner: string, name: string, fields: object): KubeObject =>
  moduleManifest({ metadata: { name, labels: { 'operator.kyma-project.io/kyma-name': owner } }, ...fields })

const deployment = { group: 'apps', version: 'v1', kind: 'Deployment', name: 'web', namespace: 'shop' }
const sample = { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { name: 'default', namespace: 'shop' } }

const objects = (): KubeObject[] => [
  kymaNamed('kyma-a', 'runtime-a'),
  kymaNamed('kyma-b', 'runtime-b'),
  kymaNamed('plain'),
  kymaNamed('labelled', 'another'),
  kymaNamed('twin-1', 'twin'),
  kymaNamed('twin-2', 'twin'),
  kymaNamed('runtime-of-two', 'elsewhere'),
  kymaNamed('two', 'runtime-of-name'),
  watcher(),
  watcher({ metadata: { name: 'second' }, spec: { manager: 'second-manager' } }),
  manifestOf('kyma-a', 'a-synced', { status: { state: 'Ready', synced: [deployment] } }),
  manifestOf('kyma-a', 'a-resource', { spec: { resource: sample } }),
  manifestOf('kyma-b', 'b-synced', { status: { state: 'Ready', synced: [deployment] } }),
]

const secretWith = (authorities: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'istio-system', name: 'klm-istio-gateway' },
  data: {
    'tls.crt': encodedText(serving.certificate),
    'tls.key': encodedText(serving.key),
    'ca.crt': encodedText(authorities),
  },
})

type Handed = { function: string; keys: readonly { name: string }[] }

type Listener = {
  host: RunningHost
  port: number
  cluster: MemoryCluster
  lines: LogLine[]
  /** `function name` of every key that was handed over. */
  handed: string[]
  metrics(): Promise<string>
}

type Listening = {
  environment?: Record<string, string>
  handOver?: HandOver | 'that of the settings'
  cluster?: MemoryCluster
}

const listening = async (t: Test, { environment = {}, ...given }: Listening = {}): Promise<Listener> => {
  const cluster = given.cluster ?? new MemoryCluster([...objects(), secretWith(ours.certificate)])
  const lines: LogLine[] = []
  const handed: string[] = []
  const metrics = hostMetrics()
  const noting = async ({ function: name, keys }: Handed) => {
    handed.push(...keys.map(key => `${name} ${key.name}`))
  }
  const host = await startHost({
    settings: settings(environment),
    landscape: readLandscape(new URL('../../serverless.yml', import.meta.url)),
    functions: [runtimeEvents],
    local: cluster.client,
    clusters: cluster.clusters,
    metrics,
    version: '0.0.0',
    log: hostLog('debug', { write: line => void lines.push(JSON.parse(line)) }),
    ...(given.handOver !== 'that of the settings' && { handOver: given.handOver ?? noting }),
  })
  t.teardown(() => host.stop())
  return { host, port: host.addresses.callbacks?.port ?? 0, cluster, lines, handed, metrics: metrics.text }
}

const settings = (environment: Record<string, string>) => {
  const given = {
    ESPALIER_LISTEN: '127.0.0.1:0',
    ESPALIER_PROBES_LISTEN: '',
    ESPALIER_CALLBACKS_LISTEN: '127.0.0.1:0',
    ESPALIER_TLS: 'off',
    ESPALIER_CALLER_PROOF: 'secret',
    ESPALIER_DRAIN_SECONDS: '0',
    ESPALIER_CALLER_SECRET: '0123456789abcdef0123456789abcdef',
    ...environment,
  }
  const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment: given })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

type Event = { Namespace?: string; Name?: string; group?: string; kind?: string; more?: object }

const eventAbout = ({ Namespace = 'kyma-system', Name = 'default', more, ...type }: Event = {}): string =>
  JSON.stringify({
    watched: { Namespace, Name },
    watchedGvk: { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma', ...type },
    ...more,
  })

const path = '/v2/lifecycle-manager/event'

type Answer = { status: number; headers: Record<string, unknown>; body: string; port: number | undefined }
type Posting = RequestOptions & { body?: string | null }

/** `body: null`: it is announced and never sent, so that only what does not wait for it is answered. */
const posted = (port: number, { body = eventAbout(), headers, ...options }: Posting): Promise<Answer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const length = body === null ? 100 : Buffer.byteLength(body)
  const sent = httpsRequest({
    host: '127.0.0.1',
    port,
    path,
    method: 'POST',
    servername: 'localhost',
    ca: ours.certificate,
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': length, ...(headers as object) },
    ...options,
  })
  sent.on('error', reject)
  sent.on('response', answer => {
    const port = sent.socket?.localPort
    let text = ''
    answer.on('data', data => {
      text += data
    })
    answer.on('end', () => {
      if (body === null) sent.destroy()
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text, port })
    })
  })
  if (body === null) sent.flushHeaders()
  else Readable.from(pieces(body)).pipe(sent)
  return promise
}

/** So that to send a long body takes this process, which is the host's as well, many short turns. */
function* pieces(body: string, length = 65_536): Generator<string, undefined> {
  for (let at = 0; at < body.length; at += length) yield body.slice(at, at + length)
  return undefined
}

const as = ({ certificate, key }: Certified) => ({ cert: certificate, key })
const client = async (user: string, more: object = {}) => as(await ours.client({ user, ...more }))
const a = await client('runtime-a')

t.test('KY-160 an event about the Kyma is answered 200 once the relay took its key, on both paths', async t => {
  const { port, handed } = await listening(t)
  for (const path of ['/v1/lifecycle-manager/event', '/v2/lifecycle-manager/event', '/v2/second-manager/event'])
    matches(t, await posted(port, { path, ...a }), { status: 200 }, path)
  const owner = { owner: { Namespace: 'x', Name: 'kyma-b' } }
  matches(t, await posted(port, { ...a, body: eventAbout({ more: owner }) }), { status: 200 })
  t.strictSame(handed, Array(4).fill('kyma kyma-a'), 'whatever the body says of an owner')
  matches(t, await posted(port, await client('plain')), { status: 200 })
  t.equal(handed.at(-1), 'kyma plain', 'a Kyma without the label is found by its name')
})

t.test('KY-160 the answer waits for the relay', async t => {
  const { promise: taken, resolve } = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const handOver = () => {
    asked.resolve()
    return taken
  }
  const { port } = await listening(t, { handOver })
  let isAnswered = false
  const answer = posted(port, a).finally(() => {
    isAnswered = true
  })
  await asked.promise
  t.equal(isAnswered, false)
  resolve()
  matches(t, await answer, { status: 200 })
})

t.test(
  'KY-161 an event about another object: the Manifests of that runtime that hold it are called, else the Kyma',
  async t => {
    const { port, handed } = await listening(t)
    const told = async (event: Event) => {
      handed.length = 0
      matches(t, await posted(port, { ...a, body: eventAbout(event) }), { status: 200 })
      return [...handed]
    }
    const web = { group: 'apps', kind: 'Deployment', Namespace: 'shop', Name: 'web' }
    t.strictSame(await told(web), ['manifest a-synced'], 'in any version, and not that of the other runtime')
    const shop = { group: 'shop.example.com', kind: 'Shop', Namespace: 'shop', Name: 'default' }
    t.strictSame(await told(shop), ['manifest a-resource'])
    for (const other of [{ Name: 'api' }, { Namespace: 'default' }, { kind: 'StatefulSet' }, { group: '' }])
      t.strictSame(await told({ ...web, ...other }), ['kyma kyma-a'], JSON.stringify(other))
  },
)

t.test('KY-162 a full sync is about the Kyma and all its Manifests, and no other', async t => {
  const { port, handed } = await listening(t)
  matches(t, await posted(port, { ...a, body: eventAbout({ more: { fullSync: true } }) }), { status: 200 })
  t.strictSame(handed, ['kyma kyma-a', 'manifest a-synced', 'manifest a-resource'])
})

t.test('KY-160 KY-162 what the agent of a runtime posts is heard, and it is told what is refused', async t => {
  const { port, handed } = await listening(t)
  const { certificate, key } = await ours.client({ user: 'runtime-a' })
  const own = { authorities: ours.certificate, certificate, key }
  const access = { address: `localhost:${port}`, contract: 'v2', certificate: () => own, userAgent: 'agent' }
  const agent = controlPlane(access)
  t.teardown(agent.close)
  const about = {
    watched: { Namespace: 'shop', Name: 'web' },
    watchedGvk: { group: 'apps', version: 'v1', kind: 'Deployment' },
  }
  t.equal(await agent.post({ manager: 'lifecycle-manager', event: about }), undefined)
  t.strictSame(handed.splice(0), ['manifest a-synced'])
  t.equal(await agent.post({ manager: 'lifecycle-manager', event: fullSyncEvent }), undefined)
  t.strictSame(handed, ['kyma kyma-a', 'manifest a-synced', 'manifest a-resource'])
  matches(t, await agent.post({ manager: 'nobody', event: about }), { reason: 'refused', code: 404 })
})

t.test('KY-163 other methods 405, an unknown manager 404, too large 413, broken JSON 400', async t => {
  const { port, handed } = await listening(t)
  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    matches(t, await posted(port, { method, body: null }), { status: 405, headers: { allow: 'POST' } }, method)
  for (const manager of ['nobody', 'Lifecycle-manager', '..', '%2e', 'toString'])
    matches(t, await posted(port, { ...a, path: `/v2/${manager}/event`, body: null }), { status: 404 }, manager)
  for (const path of ['/', '/v3/lifecycle-manager/event', '/v2/lifecycle-manager', '/functions/kyma', '/metrics'])
    matches(t, await posted(port, { ...a, path, body: null }), { status: 404 }, path)
  const most = 16_384
  const padded = (length: number) => eventAbout({ more: { padding: 'x'.repeat(length) } })
  const pad = most - padded(0).length
  matches(t, await posted(port, { ...a, body: padded(pad) }), { status: 200 }, 'just not too large')
  matches(t, await posted(port, { ...a, body: padded(pad + 1) }), { status: 413 })
  const faulty = ['{', '[]', 'null', '"x"', '{}', '{"watched":{"Name":"x"},"watchedGvk":null}']
  for (const body of [...faulty, eventAbout({ Name: '' }), eventAbout({ kind: '' })])
    matches(t, await posted(port, { ...a, body }), { status: 400 }, body)
  t.equal(handed.length, 1, 'of all these one was handed over')
})

t.test('KY-164 KY-165 RE-19 a caller whose certificate is not accepted gets 401, and its body is not read', async t => {
  const { port, cluster, handed } = await listening(t)
  const reads = cluster.traceparents.length
  const header = (value: string) => ({ headers: { 'x-forwarded-client-cert': value } })
  const proof = encodeURIComponent((await ours.client({ user: 'runtime-a' })).certificate)
  const unproved: Record<string, RequestOptions> = {
    none: {},
    'of another authority': as(await theirs.client({ user: 'runtime-a' })),
    'its own authority': as(theirs),
    'the authority itself': as(ours),
    expired: await client('runtime-a', { days: -1 / 48 }),
    'not valid yet': await client('runtime-a', { fromDays: 1, days: 2 }),
    'that of the server': as(serving),
    'a header alone': header(`Cert="${proof}"`),
    'a header beside its own': { ...a, ...header(`Cert="${proof}"`) },
    'an empty header': { ...a, ...header('') },
    'a token': { headers: { authorization: 'Bearer 0123456789abcdef0123456789abcdef' } },
  }
  for (const [name, options] of Object.entries(unproved))
    matches(t, await posted(port, { body: null, ...options }), { status: 401 }, name)
  matches(t, await posted(port, { body: null, ...(await client('')) }), { status: 400 }, 'nameless')
  matches(t, await posted(port, { body: null, ...header('x'.repeat(41_000)) }), { status: 431 })
  t.equal(cluster.traceparents.length, reads, 'nobody was looked up')
  t.strictSame(handed, [])
})

const proxied = { ESPALIER_CALLBACK_PROXIES: `spiffe://elsewhere,${gateway}` }

t.test(
  'KY-166 KY-164 a trusted proxy may forward certificates, which must come from the authority of runtimes',
  async t => {
    const folder = testFolder(t)
    const file = join(folder, 'mesh.crt')
    writeFileSync(file, mesh.certificate)
    const environment = { ...proxied, ESPALIER_CALLBACK_PROXY_CA: file }
    const { port, handed, cluster, host } = await listening(t, { environment })
    const proxy = as(await mesh.client({ user: '', uris: [gateway] }))
    const pem = async (authority: Authority, user: string) =>
      encodeURIComponent((await authority.client({ user })).certificate)
    const good = await pem(ours, 'runtime-a')
    const by = (identity: object, value: string) =>
      posted(port, { ...identity, headers: { 'x-forwarded-client-cert': value }, body: eventAbout() })
    matches(t, await by(proxy, `By=${gateway};Hash=0;Cert="${good}";Subject="CN=x";URI=`), { status: 200 })
    const other = await pem(ours, 'runtime-b')
    matches(t, await by(proxy, `Cert="${other}",By=a;Subject="CN=\\"a,b;c\\"";Cert=${good}`), { status: 200 })
    t.strictSame(handed, ['kyma kyma-a', 'kyma kyma-a'], 'the last element is the proxy’s own')

    const refused: Record<string, [object, string]> = {
      'a certificate of another authority': [proxy, `Cert="${await pem(theirs, 'runtime-a')}"`],
      'a certificate of the mesh': [proxy, `Cert="${await pem(mesh, 'runtime-a')}"`],
      'no certificate': [proxy, `By=${gateway};Subject="CN=runtime-a"`],
      'one that is none': [proxy, 'Cert="-----BEGIN%20CERTIFICATE-----%0AAAAA%0A-----END%20CERTIFICATE-----"'],
      'one that cannot be decoded': [proxy, 'Cert="%E0%A4%A"'],
      'a header of more than 32 KiB': [proxy, `Cert="${good}";Subject="${'x'.repeat(32_768 - good.length)}"`],
      'another workload of the mesh': [as(await mesh.client({ user: '', uris: [`${gateway}-x`] })), `Cert="${good}"`],
      'its name from another authority': [as(await ours.client({ user: 'x', uris: [gateway] })), `Cert="${good}"`],
      'its name as text': [as(await mesh.client({ user: `URI:${gateway}` })), `Cert="${good}"`],
      'its name within another': [
        as(await mesh.client({ user: '', uris: [`spiffe://x, URI:${gateway}`] })),
        `Cert="${good}"`,
      ],
    }
    for (const [name, [identity, value]] of Object.entries(refused))
      matches(t, await by(identity, value), { status: 401 }, name)
    matches(t, await posted(port, { ...proxy, body: null }), { status: 401 }, 'a proxy is no runtime')
    t.equal(handed.length, 2)
    cluster.put(secretWith(theirs.certificate))
    await host.callbacks?.look()
    matches(
      t,
      await by(proxy, `Cert="${other}",By=a;Subject="CN=\\"a,b;c\\"";Cert=${good}`),
      { status: 401 },
      'as before, but whoever issued it is trusted no more',
    )
  },
)

t.test('RE-45 whatever a caller writes before it, the element of the proxy counts', t => {
  const own = 'By=spiffe://a;Hash=b;Cert="OWN%0A";Subject="CN=\\"x, y;z\\\\";URI='
  const forged = ['Cert=FORGED', 'Cert=FORGED;x="', 'Cert=FORGED;x=\\', 'x="\\', 'Cert=FORGED;x="a\\"', '"', ',', '']
  for (const before of forged) t.equal(forwardedPem(`${before},${own}`), 'OWN\n', before)
  t.equal(forwardedPem('Cert=FORGED;x="'), undefined, 'an element that does not end')
  t.equal(forwardedPem('Subject="CN=a;Cert=FORGED,b";Cert="OWN"'), 'OWN', 'what a certificate is called is no pair')
  t.end()
})

t.test(
  'KY-167 a certificate that belongs to no Kyma, or to two, gets 403: nothing is queued, and the log says so',
  async t => {
    const { port, handed, lines, metrics } = await listening(t)
    for (const user of ['nobody', 'twin', 'kyma-a', 'labelled', 'kyma-a,kyma-b', 'x'.repeat(64)]) {
      matches(t, await posted(port, { ...(await client(user)), body: null }), { status: 403 }, user)
      t.ok(
        lines.some(line => JSON.stringify(line).includes(user) && line.code === 'forbidden'),
        `${user} is in the log`,
      )
    }
    t.strictSame(handed, [])
    contains(t, await metrics(), 'watcher_listener_request_errors_total{server_name="listener"} 6')
    const unverified = 'watcher_listener_failed_verification_requests_total'
    const [from, at] = ['server_name="listener"', 'request_uri_label="/v2/:name/event"']
    contains(t, await metrics(), `${unverified}{${at},${from}} 6`, 'KY-328 with the labels in the order of Go')
  },
)

t.test('KY-168 a runtime above its rate gets 429 with Retry-After, other runtimes do not', async t => {
  const environment = { ESPALIER_CALLBACK_RATE: '1', ESPALIER_CALLBACK_BURST: '3' }
  const { port, handed } = await listening(t, { environment })
  const all = await Promise.all(Array.from({ length: 24 }, () => posted(port, a)))
  const refused = all.filter(({ status }) => status === 429)
  t.ok(refused.length > 0, 'of so many at once some are too many')
  for (const answer of refused) matches(t, answer, { headers: { 'retry-after': '1' } })
  t.equal(handed.length, all.length - refused.length)
  matches(t, await posted(port, await client('runtime-b')), { status: 200 })
})

/** The kind of each read from now on. */
const readsOf = ({ client: asked }: MemoryCluster): string[] => {
  const kinds: string[] = []
  const { get, list } = asked
  asked.get = (ref, options) => {
    kinds.push(ref.kind)
    return get(ref, options)
  }
  asked.list = query => {
    kinds.push(query.kind)
    return list(query)
  }
  return kinds
}

t.test(
  'a caller without an accepted certificate, or above its rate, causes no read but one of the authorities a second',
  async t => {
    const environment = { ESPALIER_CALLBACK_RATE: '1', ESPALIER_CALLBACK_BURST: '1' }
    const { port, cluster } = await listening(t, { environment })
    const stranger = as(await theirs.client({ user: 'runtime-a' }))
    const reads = readsOf(cluster)
    const began = performance.now()
    const refused = await Promise.all(
      Array.from({ length: 12 }, () => [
        posted(port, { body: null }),
        posted(port, { body: null, ...stranger }),
      ]).flat(),
    )
    const seconds = (performance.now() - began) / 1_000
    t.strictSame([...new Set(refused.map(({ status }) => status))], [401])
    t.strictSame([...new Set(reads)], ['Secret'])
    t.ok(reads.length <= 1 + 2 * seconds, `${reads.length} reads in ${seconds} s`)

    cluster.trouble = refusal(500, 'InternalError')
    const noisy = await Promise.all(Array.from({ length: 12 }, () => posted(port, { ...a, body: null })))
    const lookedUp = noisy.filter(({ status }) => status === 503)
    t.ok(noisy.every(({ status }) => status === 429 || status === 503))
    const lookUps = reads.filter(kind => kind === 'Kyma').length
    t.ok(lookUps > 0 && lookUps <= lookedUp.length, `one above its rate is not looked up: ${lookUps} reads`)
  },
)

t.test('KY-168 a caller has its burst at once, then its rate, whatever others do', async t => {
  let now = 0
  const secondsUntilNext = rates({ perSecond: 20, burst: 100 }, () => now)
  const times = (caller: string, count: number) => Array.from({ length: count }, () => secondsUntilNext(caller))
  t.strictSame(times('a', 100), Array(100).fill(undefined))
  t.strictSame(times('a', 2), [0.05, 0.05])
  t.strictSame(times('b', 1), [undefined])
  now += 50
  t.strictSame(times('a', 2), [undefined, 0.05])
  now += 60_000
  t.strictSame(times('a', 101).filter(Boolean), [0.05], 'no more than the burst is saved up')
})

t.test('KY-276 a runtime above its rate is refused however it writes the path', async t => {
  const environment = { ESPALIER_CALLBACK_RATE: '1', ESPALIER_CALLBACK_BURST: '1' }
  const { port, handed } = await listening(t, { environment })
  const spellings = [
    `https://localhost:${port}${path}`,
    '/%762/lifecycle-manager/event',
    '/v%32/lifecycle-manager/event',
    '/v3/x',
  ]
  for (const spelt of spellings) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => posted(port, { ...a, path: spelt })))
    t.ok(
      answers.some(({ status }) => status === 429),
      spelt,
    )
  }
  t.ok(handed.length < 10, `${handed.length} were handed over`)
})

const answersTo = async (count: number, post: () => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = []
  for (let n = 0; n < count; n += 20) answers.push(...(await Promise.all(Array.from({ length: 20 }, post))))
  return answers
}

t.test('RE-13 of many runtimes one is noisy: it alone gets 429 with Retry-After, until it waits', async t => {
  const others = Array.from({ length: 10 }, (_, n) => kymaNamed(`kyma-q${n}`, `quiet-${n}`))
  const cluster = new MemoryCluster([...objects(), ...others, secretWith(ours.certificate)])
  const environment = { ESPALIER_CALLBACK_RATE: '1', ESPALIER_CALLBACK_BURST: '40' }
  const { port, handed, metrics } = await listening(t, { environment, cluster })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())
  const noisy = () => posted(port, { ...a, agent })
  const quiet = await Promise.all(others.map((_, n) => client(`quiet-${n}`)))
  const began = performance.now()
  const storm = answersTo(400, noisy)
  for (const identity of [...quiet, ...quiet])
    matches(t, await posted(port, identity), { status: 200 }, 'whoever keeps within the rate is heard')
  const answers = await storm
  const most = 40 + (performance.now() - began) / 1_000
  const heard = answers.filter(({ status }) => status === 200).length
  const refused = answers.filter(({ status }) => status === 429)
  t.ok(heard >= 40 && heard <= most, `${heard} were heard of ${most} it may report in that time`)
  t.equal(heard + refused.length, 400)
  t.ok(refused.every(({ headers }) => headers['retry-after'] === '1'))
  t.equal(new Set(answers.map(({ port }) => port)).size, 4, 'who is refused needs no other connection')
  let refusals = refused.length
  const long = () => {
    refusals++
    return posted(port, { ...a, agent, body: null, headers: { 'content-length': 20_000 } })
  }
  const hasty = await until(long, ({ status }) => status === 429)
  matches(t, hasty, { status: 429, headers: { connection: 'close' } }, 'but a long body is not waited for')
  t.equal(handed.filter(key => key === 'kyma kyma-a').length, heard)
  t.equal(handed.length, heard + 20)
  contains(t, await metrics(), `watcher_listener_request_errors_total{server_name="listener"} ${refusals}`)
  matches(t, await until(noisy, ({ status }) => status === 200), { status: 200 }, 'who waits is heard again')
})

t.test('RE-13 while the host ends, a noisy runtime is told to leave its connection', async t => {
  const environment = { ESPALIER_CALLBACK_RATE: '1', ESPALIER_CALLBACK_BURST: '1', ESPALIER_DRAIN_SECONDS: '1' }
  const { port, host } = await listening(t, { environment })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const noisy = () => posted(port, { ...a, agent })
  await noisy()
  matches(t, await noisy(), { status: 429, headers: { connection: 'keep-alive' } })
  const stopped = host.stop()
  matches(t, await noisy(), { status: 429, headers: { connection: 'close' } })
  t.equal(await stopped, true)
})

t.test('KY-168 the relay is away: 503 with Retry-After, never 200', async t => {
  const troubles = [new RelayAway('gone'), new RelayAway('still')]
  const handOver = async ({ function: name }: Handed) => {
    const trouble = name === 'manifest' ? troubles.pop() : undefined
    if (trouble) throw trouble
  }
  const { port } = await listening(t, { handOver })
  const full = eventAbout({ more: { fullSync: true } })
  for (const _ of [1, 2])
    matches(t, await posted(port, { ...a, body: full }), { status: 503, headers: { 'retry-after': '1' } })
  matches(t, await posted(port, { ...a, body: full }), { status: 200 }, 'all of it is handed over')
})

t.test('KY-168 nobody at the address of the relay, or the API server in trouble: 503', async t => {
  const environment = { ESPALIER_RELAY: `http://127.0.0.1:${(await freePorts(1))[0]}` }
  const { port, cluster } = await listening(t, { environment, handOver: 'that of the settings' })
  matches(t, await posted(port, a), { status: 503, headers: { 'retry-after': '1' } })
  cluster.trouble = refusal(500, 'InternalError')
  // Whoever has a Kyma was found a moment ago, together with the first one.
  const stranger = await client('runtime-x')
  matches(t, await posted(port, { ...stranger, body: null }), { status: 503, headers: { 'retry-after': '1' } })
})

t.test('RE-20 RE-21 RE-22 hostile bodies are refused, and none of them is a 500 or changes a prototype', async t => {
  const { port, handed } = await listening(t, { environment: { ESPALIER_CALLBACK_BURST: '10000' } })
  const status = async (options: Posting) => (await posted(port, { ...a, ...options })).status
  const refused: [expected: number, Posting, what: string][] = [
    [413, { body: 'x'.repeat(10_000_000) }, 'ten megabytes'],
    [400, { body: '['.repeat(16_384) }, 'as many [ as a body may have'],
    [415, { headers: { 'content-encoding': 'gzip' }, body: 'x' }, 'gzip'],
    [415, { headers: { 'content-type': 'text/plain' } }, 'a text'],
  ]
  for (const [expected, posting, what] of refused)
    await letsOthersIn(t, async () => t.equal(await status(posting), expected, what), what)
  const odd = ['__proto__', 'constructor', 'toString', 'x'.repeat(2_000), '\u0000', '../..', '*', '=,!()']
  for (const word of odd) {
    const bodies = [
      eventAbout({ Name: word, Namespace: word, group: word, kind: word }),
      `{"${word}":{"polluted":1},"watched":{"${word}":1,"Name":"x"},"watchedGvk":{"kind":"y","version":"z"}}`,
    ]
    for (const body of bodies)
      t.ok([200, 400].includes(await status({ body: body.replaceAll('\u0000', '\\u0000') })), word)
  }
  t.equal(({} as { polluted?: number }).polluted, undefined)
  t.strictSame(
    handed.filter(key => !/kyma-a|a-synced|a-resource/.test(key)),
    [],
    'nothing of another runtime is named',
  )
})

t.test('RE-20 a runtime that does not go on sending its event is answered 408', async t => {
  const { port, handed } = await listening(t, { environment: { ESPALIER_ARRIVAL_SECONDS: '1' } })
  matches(t, await posted(port, { ...a, body: null }), { status: 408 })
  t.strictSame(handed, [])
})

t.test('RE-21 500 mutations of an event: 200 or a refusal, and only objects of its runtime', async t => {
  const { port, handed } = await listening(t, { environment: { ESPALIER_CALLBACK_BURST: '10000' } })
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())
  const text = eventAbout({ more: { fullSync: true } })
  const mutated = (seed: number): string => {
    const at = (seed * 7_919) % text.length
    const sign = String.fromCharCode(32 + ((seed * 31) % 95))
    return seed % 3 === 0
      ? text.slice(0, at) + text.slice(at + 1 + (seed % 9))
      : text.slice(0, at) + sign + text.slice(at + 1)
  }
  const counts = new Map<number, number>()
  const one = async (seed: number) => {
    const { status } = await posted(port, { ...a, agent, body: mutated(seed) })
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  for (let seed = 0; seed < 500; seed += 4) await Promise.all([0, 1, 2, 3].map(more => one(seed + more)))
  t.strictSame([...counts.keys()].sort(), [200, 400])
  t.strictSame(
    handed.filter(key => !/kyma-a|a-synced|a-resource/.test(key)),
    [],
  )
})

t.test('RE-27 anonymous callers: bodies are not read, connections are bounded, runtimes get through', async t => {
  const { port, host } = await listening(t, {
    environment: { ESPALIER_CONNECTIONS: '16', ESPALIER_ARRIVAL_SECONDS: '1' },
  })
  t.ok(host.callbacks)
  const silent = await attackers(t, 40, { port, isTls: true })
  const [first] = await attackers(t, 1, { port, isTls: true })
  if (!first) throw new Error('nobody')
  await says(
    first,
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 16000\r\n\r\n`,
  )
  await first.over
  contains(t, first.heard(), 'HTTP/1.1 401')
  matches(t, await posted(port, a), { status: 200 })
  await Promise.all(silent.map(({ over }) => over))
  t.pass('those who said nothing were cut off')
})

t.test(
  'KY-150 a runtime with a certificate of a new authority is heard at once, though the authorities were read before',
  async t => {
    const { cluster, port } = await listening(t, { environment: { ESPALIER_TLS_RELOAD_SECONDS: '3600' } })
    cluster.put(secretWith(`${theirs.certificate}\n${ours.certificate}`))
    const renewed = as(await theirs.client({ user: 'runtime-a' }))
    const both = await Promise.all([posted(port, renewed), posted(port, renewed)])
    t.strictSame(
      both.map(({ status }) => status),
      [200, 200],
      'both while it is looked again',
    )
  },
)

t.test('KY-165 a resumed session is refused when the authority of its certificate is no longer trusted', async t => {
  const { port, host, cluster } = await listening(t)
  const options = { host: '127.0.0.1', port, servername: 'localhost', ca: ours.certificate, ...a }
  const socket = tlsConnect(options)
  const ticket = once(socket, 'session')
  const body = eventAbout()
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const [answer] = await once(socket, 'data')
  matches(t, String(answer), /^HTTP\/1\.1 200/)
  const [session] = await ticket
  cluster.put(secretWith(theirs.certificate))
  await host.callbacks?.look()
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`)
  const [later] = await once(socket, 'data')
  matches(t, String(later), /^HTTP\/1\.1 401/, 'nor does an open connection')
  socket.destroy()
  t.equal((await posted(port, { ...options, session, body: null } as Posting)).status, 401)
  matches(t, await posted(port, as(await theirs.client({ user: 'runtime-a' }))), { status: 200 }, 'the new one counts')
})

t.test('a listener whose certificate comes later serves from then on', async t => {
  const cluster = new MemoryCluster(objects())
  const { port, host, lines } = await listening(t, { cluster })
  t.equal(
    await posted(port, a).then(
      ({ status }) => status,
      () => 'no handshake',
    ),
    'no handshake',
  )
  cluster.put(secretWith(ours.certificate))
  await host.callbacks?.look()
  matches(t, await posted(port, a), { status: 200 })
  lacks(t, JSON.stringify(lines), 'PRIVATE KEY')
})

t.test('KY-167 RE-29 metrics have no names that callers choose', async t => {
  const { port, metrics } = await listening(t)
  await posted(port, { ...a, path: '/v2/invented/event', body: null })
  await posted(port, { ...a, body: 'x'.repeat(20_000) })
  const text = await metrics()
  lacks(t, text, 'invented')
  for (const line of [
    'watcher_listener_requests_total{server_name="listener"} 2',
    'watcher_listener_exceeding_size_limit_requests_total{server_name="listener"} 1',
    'watcher_listener_inflight_requests{server_name="listener"} 0',
    'watcher_listener_request_duration{server_name="listener"} ',
  ])
    contains(t, text, line)
})
