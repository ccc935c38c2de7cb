import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { Server as TlsServer } from 'node:https'
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import t, { type Test } from 'tap'
import { webhookCertificate } from '../../functions/webhook-certificate/index.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { type ListenerSource, runtimeTrust } from '../../shared/http/runtime-caller.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { type HostSettings, hostSettings } from '../../shared/http/settings/host-settings.ts'
import { type RunningHost, startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { certificateFiles, certificateSecret } from '../../shared/http/tls.ts'
import { ConnectionError } from '../../shared/kube/errors.ts'
import { usualLimits } from '../../shared/listener/server.ts'
import { issueCertificates } from '../../shared/outside/certificates.ts'
import { processContext } from '../../shared/runtime/context.ts'
import type { FunctionDefinition } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { newAuthority } from '../harness/clients/certificates.ts'
import { letsOthersIn } from '../harness/cpu-work.ts'
import { lacks, matches, rejects } from '../harness/matches.ts'
import { testFolder } from '../harness/test-folder.ts'
import { eventually } from '../harness/until.ts'
import { attackers } from './attackers.ts'
import { authorization, type LogLine, landscape, type TestHost, testHost, widget, widgetReview } from './host-parts.ts'
import { MemoryCluster, refusal } from './memory-cluster.ts'

const system = 'espalier-system'
const serverName = 'widget-admission-webhooks.espalier-system.svc'

const settings = (environment: Record<string, string>): HostSettings => {
  const given = {
    ESPALIER_LISTEN: '127.0.0.1:0',
    ESPALIER_WEBHOOKS_LISTEN: '127.0.0.1:0',
    ESPALIER_PROBES_LISTEN: '',
    ESPALIER_CALLER_PROOF: 'secret',
    ESPALIER_CALLER_SECRET: '0123456789abcdef0123456789abcdef',
    ESPALIER_TLS_RELOAD_SECONDS: '3600',
    ESPALIER_DRAIN_SECONDS: '0',
    ...environment,
  }
  const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment: given })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

type Started = { host: RunningHost; cluster: MemoryCluster; lines: LogLine[]; port: number }
type Starting = {
  environment?: Record<string, string>
  cluster?: MemoryCluster
  functions?: FunctionDefinition[]
  metrics?: ReturnType<typeof hostMetrics>
}

const started = async (
  t: Test,
  { environment = {}, cluster = clusterOf(), functions, metrics = hostMetrics() }: Starting = {},
): Promise<Started> => {
  const lines: LogLine[] = []
  const host = await startHost({
    settings: settings(environment),
    landscape: landscape(),
    functions: functions ?? [widgetReview(), webhookCertificate],
    local: cluster.client,
    clusters: cluster.clusters,
    metrics,
    log: hostLog('debug', { write: line => void lines.push(JSON.parse(line)) }),
    version: '0.0.0',
  })
  t.teardown(() => host.stop())
  return { host, cluster, lines, port: host.addresses.webhooks?.port ?? 0 }
}

const configuration = (kind: string): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: {
    name: 'espalier',
    labels: { 'app.kubernetes.io/part-of': 'espalier', 'app.kubernetes.io/managed-by': 'Helm' },
  },
  webhooks: [{ name: 'w', clientConfig: { service: { namespace: system, name: 'widget-admission-webhooks' } } }],
})

const clusterOf = (...more: KubeObject[]): MemoryCluster =>
  new MemoryCluster([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: system } },
    configuration('Validating'),
    configuration('Mutating'),
    ...more,
  ])

/** What the API server trusts at this moment. */
const caBundle = (cluster: MemoryCluster): string => {
  const [webhook] = (cluster.find({ ...configuration('Validating'), namespace: '', name: 'espalier' })?.webhooks ??
    []) as {
    clientConfig: { caBundle?: string }
  }[]
  return Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
}

const body = JSON.stringify({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: 'u',
    operation: 'CREATE',
    kind: { group: 'example.com', version: 'v1', kind: 'Widget' },
    object: widget('a', { size: 1 }),
  },
})

/** One review as the API server sends it; rejects when the certificate does not verify. */
const review = (port: number, options: RequestOptions): Promise<{ status: number; serial: string }> => {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; serial: string }>()
  const sent = httpsRequest({
    host: '127.0.0.1',
    port,
    path: '/webhooks/widget',
    method: 'POST',
    servername: serverName,
    headers: { 'content-type': 'application/json', ...(options.headers as object) },
    agent: false,
    ...options,
  })
  sent.on('error', reject)
  sent.on('response', answer => {
    const { serialNumber: serial } = (answer.socket as TLSSocket).getPeerCertificate()
    answer.resume().on('end', () => resolve({ status: answer.statusCode ?? 0, serial }))
  })
  sent.end(body)
  return promise
}

t.test(
  'FN-24 the first start makes what it needs: a listener whose certificate verifies against both configurations',
  async t => {
    const { cluster, port, lines } = await started(t)
    matches(t, await review(port, { ca: caBundle(cluster) }), { status: 200 })
    t.ok(cluster.find({ apiVersion: 'v1', kind: 'Secret', namespace: system, name: 'espalier-webhook-certificate' }))
    lacks(t, JSON.stringify(lines), 'PRIVATE KEY')
  },
)

t.test('FN-24 two hosts that start at once serve what the one Secret holds', async t => {
  const cluster = clusterOf()
  const [one, other] = await Promise.all([started(t, { cluster }), started(t, { cluster })])
  await Promise.all([one.host.certificate?.look(), other.host.certificate?.look()])
  const ca = caBundle(cluster)
  const [first, second] = [await review(one.port, { ca }), await review(other.port, { ca })]
  t.equal(first.serial, second.serial)
})

t.test('FN-24 with TLS for functions switched on, they are served with the same certificate', async t => {
  const { cluster, host } = await started(t, { environment: { ESPALIER_FUNCTIONS_TLS: 'on' } })
  const answer = await review(host.addresses.functions?.port ?? 0, { ca: caBundle(cluster), path: '/functions/x' })
  t.equal(answer.status, 401)
})

/** A Secret of so many days ago: the authority lives 730 days, the serving certificate 90. */
const secretOf = async (authorityAge: number, servingAge: number): Promise<KubeObject> => {
  const request = {
    commonName: 'x',
    names: [`*.${system}.svc`, `*.${system}.svc.cluster.local`],
    authorityDays: 730,
    servingDays: 90,
  }
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
  const made = (renew: ('authority' | 'serving')[], data: object | undefined, at: Date) =>
    issueCertificates({ ...request, renew }, data && ({ data } as unknown as KubeObject), at)
  const authority = await made(['authority'], undefined, ago(authorityAge))
  const data = await made(['serving'], authority, ago(servingAge))
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: system, name: 'espalier-webhook-certificate' },
    data,
  }
}

const keep = (cluster: MemoryCluster, now: Date) =>
  reconcile(
    webhookCertificate,
    { namespace: '', name: system },
    {
      ...processContext({ clusters: cluster.clusters }),
      signal: new AbortController().signal,
      lastPassAt: performance.now() + 60_000,
      lastRequestAt: performance.now() + 60_000,
      now: () => now,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  )

t.test('sixteen callers over HTTPS are all answered', async t => {
  const { port, cluster } = await started(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.teardown(() => agent.destroy())
  const ca = caBundle(cluster)
  const caller = async (): Promise<number[]> => {
    const codes: number[] = []
    for (let asked = 0; asked < 100; asked++) codes.push((await review(port, { ca, agent })).status)
    return codes
  }
  const codes = (await Promise.all(Array.from({ length: 16 }, caller))).flat()
  t.strictSame(new Set(codes), new Set([200]))
  t.equal(codes.length, 1_600)
})

t.test('RE-17 authority and serving certificate rotate under load: no failed admission, no restart', async t => {
  const cluster = clusterOf(await secretOf(600, 80))
  const { port, host } = await started(t, { cluster })
  const before = await review(port, { ca: caBundle(cluster) })
  const serials: string[] = []
  let isOver = false
  const load = async (): Promise<void> => {
    while (!isOver) {
      const { status, serial } = await review(port, { ca: caBundle(cluster) })
      if (status !== 200) throw new Error(`status ${status}`)
      serials.push(serial)
    }
  }
  const loads = Promise.all([load(), load(), load()])
  const someMore = async (count: number): Promise<void> => {
    const goal = serials.length + count
    while (serials.length < goal) await Promise.race([new Promise(setImmediate), loads])
  }
  await someMore(10)
  matches(t, await keep(cluster, new Date()), { outcome: 'waiting' }, 'the new authority is announced, nothing more')
  t.equal(await host.certificate?.look(), false)
  await someMore(10)
  t.equal(serials.at(-1), before.serial)
  matches(t, await keep(cluster, new Date(Date.now() + 180_000)), { outcome: 'settled' })
  await someMore(10)
  t.equal(await host.certificate?.look(), true)
  await someMore(20)
  isOver = true
  await loads
  const after = await review(port, { ca: caBundle(cluster) })
  t.not(after.serial, before.serial, 'the new serving certificate is shown')
  t.equal(caBundle(cluster).split('BEGIN CERTIFICATE').length - 1, 2, 'both authorities are trusted')
})

t.test('FN-123 the Secret is deleted while a host runs: each review is answered, before, during and after', async t => {
  const cluster = clusterOf()
  const { port, host } = await started(t, { cluster })
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: system, name: 'espalier-webhook-certificate' }
  const { serial } = await review(port, { ca: caBundle(cluster) })
  await cluster.client.delete(secret, {})
  matches(t, await keep(cluster, new Date()), { outcome: 'waiting' })
  matches(t, await review(port, { ca: caBundle(cluster) }), { status: 200, serial })
  await rejects(
    t,
    () => host.certificate?.look(),
    { message: /has no serving certificate$/ },
    'the old one stays in use',
  )
  matches(t, await keep(cluster, new Date(Date.now() + 6_000)), { outcome: 'settled' })
  matches(t, await review(port, { ca: caBundle(cluster) }), { status: 200, serial })
  t.equal(await host.certificate?.look(), true)
  const after = await review(port, { ca: caBundle(cluster) })
  t.equal(after.status, 200)
  t.not(after.serial, serial)
})

t.test(
  'RE-17 a request under way when the certificate changes ends as it began, and so does its connection',
  async t => {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const slow = widgetReview({
      review: async () => {
        arrived.resolve()
        await gate.promise
        return { allowed: true }
      },
    })
    const cluster = clusterOf()
    const { port, host } = await started(t, { cluster, functions: [slow, webhookCertificate] })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    const ca = caBundle(cluster)
    const underWay = review(port, { ca, agent })
    await arrived.promise
    cluster.put(await secretOf(0, 0))
    t.equal(await host.certificate?.look(), true)
    gate.resolve()
    const first = await underWay
    t.equal(first.status, 200)
    t.equal((await review(port, { ca, agent })).status, 200, 'on the open connection')
    await rejects(t, review(port, { ca }), /unable to verify/, 'a new connection shows the new certificate')
  },
)

t.test('RE-17 a new certificate that does not fit its key is refused, and the old one stays in use', async t => {
  const dir = testFolder(t)
  const [one, other] = await Promise.all([newAuthority('one'), newAuthority('other')])
  const [good, bad] = await Promise.all([one.serving({ dns: [serverName] }), other.serving({ dns: [serverName] })])
  writeFileSync(join(dir, 'tls.crt'), good.certificate)
  writeFileSync(join(dir, 'tls.key'), good.key)
  const { port, host } = await started(t, { environment: { ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: dir } })
  t.equal((await review(port, { ca: one.certificate })).status, 200)
  writeFileSync(join(dir, 'tls.crt'), bad.certificate)
  await rejects(t, () => host.certificate?.look(), { code: 'ERR_OSSL_X509_KEY_VALUES_MISMATCH' })
  t.equal((await review(port, { ca: one.certificate })).status, 200, 'the old one goes on')
  writeFileSync(join(dir, 'tls.key'), bad.key)
  t.equal(await host.certificate?.look(), true)
  t.equal((await review(port, { ca: other.certificate })).status, 200)
})

t.test('FN-24 a Secret without the certificate or its key: reading the serving certificate fails', async t => {
  const secretWith = (...keys: string[]) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tls' },
    data: Object.fromEntries(keys.map(key => [key, btoa('x')])),
  })
  const read = (secret?: KubeObject) =>
    certificateSecret({ get: async () => secret }, { namespace: system, name: 'tls' })()
  for (const secret of [undefined, secretWith('tls.crt'), secretWith('tls.key')])
    await rejects(t, read(secret), { message: `Secret ${system}/tls has no serving certificate` })
  t.strictSame(await read(secretWith('tls.crt', 'tls.key')), { certificate: 'x', key: 'x' })
  const folder = testFolder(t)
  for (const file of ['tls.crt', 'tls.key']) writeFileSync(join(folder, file), '')
  await rejects(t, certificateFiles(folder)(), { message: `${folder} has no serving certificate` })
})

t.test('FN-24 certificate files are read again and again, without a request', async t => {
  const dir = testFolder(t)
  const write = async (): Promise<string> => {
    const authority = await newAuthority('x')
    const { certificate, key } = await authority.serving({ dns: [serverName] })
    writeFileSync(join(dir, 'tls.crt'), certificate)
    writeFileSync(join(dir, 'tls.key'), key)
    return authority.certificate
  }
  await write()
  const environment = { ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: dir, ESPALIER_TLS_RELOAD_SECONDS: '0.05' }
  const { port, lines } = await started(t, { environment })
  const ca = await write()
  const isInUse = () => lines.some(({ msg }) => msg === 'the serving certificate was replaced')
  while (!isInUse()) await new Promise(setImmediate)
  t.equal((await review(port, { ca })).status, 200)
})

t.test(
  'FN-165 a host whose certificate files are not there yet waits for them, and then ends with a sentence',
  async t => {
    const [dir, empty] = [testFolder(t), testFolder(t)]
    const { certificate, key } = await (await newAuthority('x')).serving({ dns: [serverName] })
    const inFolder = (folder: string) => ({ environment: { ESPALIER_TLS: 'files', ESPALIER_TLS_DIRECTORY: folder } })
    const host = started(t, inFolder(dir))
    writeFileSync(join(dir, 'tls.key'), key)
    writeFileSync(join(dir, 'tls.crt'), '')
    setTimeout(() => writeFileSync(join(dir, 'tls.crt'), certificate), 300)
    const { lines } = await host
    const waits = lines.filter(({ msg }) => String(msg).startsWith('the host waits for its serving certificate: '))
    matches(t, waits, [
      {
        level: 'warn',
        msg: /has no tls.crt: in a cluster the function webhook-certificate writes it to Secret espalier-webhook-certificate$/,
      },
    ])

    let now = performance.now()
    t.intercept(performance, 'now', { value: () => (now += 7_000) })
    await rejects(t, started(t, inFolder(empty)), { message: new RegExp(`^${empty} has no tls.crt: in a cluster`) })
  },
)

t.test(
  'FN-110 a starting host tries again after a failed connection, and serves when the API server is back',
  async t => {
    const cluster = clusterOf()
    cluster.trouble = new ConnectionError(
      'unsent',
      'ECONNREFUSED',
      'no connection to the API server could be established',
    )
    setTimeout(() => {
      cluster.trouble = undefined
    }, 600)
    const { port, lines } = await started(t, { cluster })
    matches(t, await review(port, { ca: caBundle(cluster) }), { status: 200 })
    const waits = lines.filter(({ level }) => level === 'warn')
    const msg = 'the host waits for its serving certificate: no connection to the API server could be established'
    matches(t, waits, [{ msg }], 'one line for several attempts')
  },
)

t.test('FN-110 a host that does not make the Secret waits until another host has made it', async t => {
  const cluster = clusterOf()
  const other = started(t, { cluster, functions: [widgetReview()] })
  await new Promise(setImmediate)
  const [{ port }] = await Promise.all([other, started(t, { cluster })])
  matches(t, await review(port, { ca: caBundle(cluster) }), { status: 200 })
})

t.test('FN-110 after 40 seconds a starting host ends with the last error', async t => {
  const cluster = clusterOf()
  cluster.trouble = refusal(403, 'Forbidden')
  let [now, attempts] = [performance.now(), 0]
  cluster.client.bound = () => {
    attempts++
    return cluster.client
  }
  t.intercept(performance, 'now', { value: () => (now += 3_000) })
  await rejects(t, started(t, { cluster }), { message: cluster.trouble.message })
  t.ok(attempts > 2, `${attempts} attempts`)
})

t.test('RE-19 of the client certificates of webhook callers only the API server’s is accepted', async t => {
  const dir = testFolder(t)
  const file = join(dir, 'client-ca.crt')
  const [ours, foreign, next] = await Promise.all([newAuthority('ours'), newAuthority('foreign'), newAuthority('next')])
  writeFileSync(file, ours.certificate)
  const environment = { ESPALIER_WEBHOOK_CLIENT_CA: file, ESPALIER_WEBHOOK_CLIENT_NAMES: 'kube-apiserver' }
  const { port, host, cluster } = await started(t, { environment })
  const ca = caBundle(cluster)
  const cases: [string, RequestOptions, number][] = [
    ['the API server', as(await ours.client({ user: 'kube-apiserver' })), 200],
    ['no certificate', {}, 401],
    ['another authority', as(await foreign.client({ user: 'kube-apiserver' })), 401],
    ['expired', as(await ours.client({ user: 'kube-apiserver', days: -1 / 48 })), 401],
    ['another name', as(await ours.client({ user: 'tenant' })), 403],
    [
      'a forged header',
      { headers: { 'x-forwarded-client-cert': 'Subject="CN=kube-apiserver"', 'x-remote-user': 'kube-apiserver' } },
      401,
    ],
  ]
  for (const [sentence, options, status] of cases) {
    t.equal((await review(port, { ca, ...options })).status, status, sentence)
  }
  const renewed = as(await next.client({ user: 'kube-apiserver' }))
  t.equal((await review(port, { ca, ...renewed })).status, 401, 'an authority that is not trusted yet')
  writeFileSync(file, `${ours.certificate}\n${next.certificate}`)
  t.equal(await host.certificate?.look(), true)
  t.equal((await review(port, { ca, ...renewed })).status, 200, 'RE-17 the authority rotates: the new one')
  t.equal(
    (await review(port, { ca, ...as(await ours.client({ user: 'kube-apiserver' })) })).status,
    200,
    'and the old one',
  )
})

const as = ({ certificate, key }: { certificate: string; key: string }) => ({ cert: certificate, key })

t.test('RE-19 a resumed session is refused when the authority of its certificate is no longer trusted', async t => {
  const dir = testFolder(t)
  const file = join(dir, 'client-ca.crt')
  const [ours, next] = await Promise.all([newAuthority('ours'), newAuthority('next')])
  writeFileSync(file, ours.certificate)
  const { port, host, cluster } = await started(t, { environment: { ESPALIER_WEBHOOK_CLIENT_CA: file } })
  const identity = as(await ours.client({ user: 'kube-apiserver' }))
  const options = { host: '127.0.0.1', port, servername: serverName, ca: caBundle(cluster), ...identity } as const
  const socket = tlsConnect(options)
  const ticket = once(socket, 'session')
  socket.write(
    `POST /webhooks/widget HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  const [answer] = await once(socket, 'data')
  matches(t, String(answer), /^HTTP\/1\.1 200/)
  const [session] = await ticket
  socket.destroy()
  writeFileSync(file, next.certificate)
  await host.certificate?.look()
  t.equal((await review(port, { ...options, session } as RequestOptions)).status, 401)
})

t.test('RE-20 a slow sender is answered 408, and what is no request is refused', async t => {
  /** What a host answers to these bytes. */
  const answered = async ({ functions }: TestHost, bytes: string): Promise<string> => {
    const { port } = functions.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.write(bytes)
    const [data] = await once(socket, 'data')
    socket.destroy()
    return String(data)
  }
  const listening = async (change?: Parameters<typeof testHost>[0]): Promise<TestHost> => {
    const host = testHost(change)
    await host.functions.listen({ host: '127.0.0.1', port: 0 })
    t.teardown(() => host.functions.close())
    return host
  }
  const impatient = await listening({ limits: { ...usualLimits, arrivalSeconds: 0.2 } })
  const head = `POST /functions/widget HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n`
  const cases = [head, `${head}content-type: application/json\r\ncontent-length: 99\r\n\r\n{"namespace"`]
  for (const beginning of cases) {
    const refused = async () =>
      matches(t, await answered(impatient, beginning), /^HTTP\/1\.1 408 [^{]*\{"code":"slowSender"/)
    await letsOthersIn(t, refused, 'a slow sender')
  }
  // Others may take their time: to one that was stopped meanwhile every sender is slow.
  const patient = await listening()
  const broken: [string, RegExp][] = [
    [
      `GET /livez HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 [^{]*\{"code":"headersTooLarge"/,
    ],
    ['NO HTTP\r\n\r\n', /^HTTP\/1\.1 400 [^{]*\{"code":"badRequest"/],
  ]
  for (const [bytes, expected] of broken)
    await letsOthersIn(t, async () => matches(t, await answered(patient, bytes), expected), 'what is no request')
})

t.test('RE-27 a host listens with the limits of its settings, and counts what reaches them', async t => {
  const metrics = hostMetrics()
  const { port } = await started(t, { environment: { ESPALIER_CONNECTIONS: '16', ESPALIER_TLS: 'off' }, metrics })
  const all = await attackers(t, 17, { port })
  await eventually('one is over', async () => all.some(({ socket }) => socket.destroyed), 60)
  matches(t, await metrics.text(), /espalier_listener_limit_reached_total\{limit="connections"\} 1\n/)
})

t.test('RE-74 a listener for runtimes without a certificate looks for one soon, and less and less often', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const { certificate, key } = await (await newAuthority('test')).serving({ dns: ['listener'] })
  let elapsed = 0
  let files: Awaited<ReturnType<ListenerSource>>
  const looks: number[] = []
  const used: number[] = []
  const source: ListenerSource = async () => {
    looks.push(elapsed)
    if (elapsed < 20) throw new Error('the API server is away')
    return files
  }
  const trust = runtimeTrust(source, { proxies: [], log: { debug() {}, info() {}, warn() {}, error() {} } })
  const server = { setSecureContext: () => used.push(elapsed) } as unknown as TlsServer
  const stop = trust.keepLooking(server, 15)
  const pass = async (seconds: number) => {
    for (; elapsed < seconds; await turn()) {
      elapsed++
      mock.timers.tick(1_000)
    }
  }
  await pass(40)
  t.strictSame(looks, [1, 3, 7, 15, 30], 'also while there is none')
  files = { certificate, key, authorities: '', proxyAuthorities: '' }
  await pass(76)
  t.strictSame([looks.slice(5), used], [[45, 60, 75], [45]])
  stop()
  await pass(100)
  t.equal(looks.length, 8)
})
