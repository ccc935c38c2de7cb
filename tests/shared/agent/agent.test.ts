// The agent between an API server that asks for reviews and a control plane that takes events.
import { getFips } from 'node:crypto'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { runtimeWatcher } from '../../../functions/runtime-watcher/index.ts'
import { startAgent } from '../../../shared/agent/agent.ts'
import { certificateIn, controlPlane } from '../../../shared/agent/control-plane.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { newAuthority } from '../../harness/clients/certificates.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { eventually } from '../../harness/until.ts'
import { attacker, says } from '../../http/attackers.ts'
import { fakeCluster } from '../relay/fake-cluster.ts'
import { agentNames, controlPlaneStub, type Runtime, runtimeWithAgent } from './runtime.ts'

const gvk = { group: 'operator.kyma-project.io', version: 'v1beta2', kind: 'Kyma' }
const about = (name: string) => ({ watched: { Namespace: 'kyma-system', Name: name }, watchedGvk: gvk })

const creation = (name: string, more: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: `u-${name}`,
    operation: 'CREATE',
    object: {
      apiVersion: 'operator.kyma-project.io/v1beta2',
      kind: 'Kyma',
      metadata: { namespace: 'kyma-system', name },
    },
    ...more,
  },
})

const names = ({ stub }: Runtime): string[] =>
  stub.heard.map(({ event }) => (event.fullSync ? 'everything' : event.watched.Name))

/** The control plane has heard so many events. */
const hears = (runtime: Runtime, count: number): Promise<void> =>
  eventually(`${count} events are heard`, async () => runtime.stub.heard.length >= count)

/** An agent that has sent its first full sync, and its review's second event. */
const started = async (t: Test): Promise<Runtime> => {
  const runtime = await runtimeWithAgent(t)
  await runtime.asks('/validate/kyma', creation('first'))
  await hears(runtime, 1)
  runtime.clock.pass(2)
  await hears(runtime, 2)
  await eventually('both are taken', async () => (await runtime.metric('watcher_queue_length')) === 0)
  t.strictSame(names(runtime), ['everything', 'everything'])
  runtime.stub.heard.length = 0
  return runtime
}

t.test(
  'KY-170 KY-176 a review over TLS 1.3 is told over mutual TLS, and again 2 s later when it is committed',
  async t => {
    const runtime = await started(t)
    const reply = await runtime.asks('/validate/kyma', creation('default'))
    matches(t, reply, { status: 200, body: { response: { uid: 'u-default', allowed: true } }, protocol: 'TLSv1.3' })
    await hears(runtime, 1)
    const heard = { path: '/v2/kyma/event', event: about('default'), caller: 'runtime-7' }
    t.strictSame(runtime.stub.heard, [heard])
    runtime.clock.pass(2)
    await hears(runtime, 2)
    t.strictSame(runtime.stub.heard, [heard, heard])
    await rejects(t, () => runtime.asks('/validate/kyma', creation('a'), 'TLSv1.2'), /protocol version/i)
    t.strictSame(
      {
        requests: await runtime.metric('watcher_admission_request_total'),
        errors: await runtime.metric('watcher_admission_request_error_total'),
        sent: await runtime.metric('watcher_kcp_requests_total'),
      },
      { requests: 2, errors: 0, sent: 4 },
    )
  },
)

t.test(
  'KY-172 RE-21 a dry run is told to nobody; a broken review and a path without manager are answered 400',
  async t => {
    const runtime = await started(t)
    t.equal((await runtime.asks('/validate/kyma', creation('a', { dryRun: true }))).status, 200)
    t.equal((await runtime.asks('/validate/kyma', creation('a', { uid: undefined }))).status, 400)
    for (const path of ['/validate/', '/validate']) {
      matches(t, await runtime.asks(path, creation('a')), {
        status: 400,
        body: { message: 'the path contains no manager' },
      })
    }
    t.equal(await runtime.metric('watcher_queue_length'), 0)
    t.strictSame(runtime.stub.heard, [])
    t.equal(await runtime.metric('watcher_admission_request_total'), 5)
    t.equal(await runtime.metric('watcher_admission_request_error_total'), 3)
  },
)

t.test('KY-317 the agent shows how long its last review took, and whether it runs in FIPS mode', async t => {
  const runtime = await started(t)
  await runtime.asks('/validate/kyma', creation('a'))
  const seconds = await runtime.metric('watcher_request_duration')
  t.ok(seconds > 0 && seconds < 30, `${seconds}`)
  t.equal(await runtime.metric('watcher_fips_mode'), getFips())
})

t.test(
  'KY-173 KY-174 reviews are answered while the control plane answers nothing; their events wait, one per object',
  async t => {
    const runtime = await started(t)
    runtime.stub.answer = undefined
    for (const name of ['a', 'b', 'a', 'c', 'b']) {
      matches(t, await runtime.asks('/validate/kyma', creation(name)), {
        status: 200,
        body: { response: { allowed: true } },
      })
    }
    t.strictSame(names(runtime), ['a'])
    t.equal(await runtime.metric('watcher_queue_length'), 4, 'a, which is under way, and again a, b, c')
  },
)

t.test('KY-174 what the control plane refuses is sent until it answers 200, not before its Retry-After', async t => {
  const runtime = await started(t)
  runtime.stub.answer = { status: 429, headers: { 'retry-after': '500' } }
  for (const name of ['a', 'b', 'c']) await runtime.asks('/validate/kyma', creation(name))
  await eventually('a is refused', async () => (await runtime.metric(refusals)) === 1)
  runtime.clock.pass(499)
  t.equal(await runtime.metric('watcher_kcp_requests_total'), 3, 'two at the start and a')
  runtime.stub.answer = { status: 200 }
  runtime.clock.pass(60)
  await eventually('all are taken', async () => (await runtime.metric('watcher_queue_length')) === 0)
  t.strictSame(names(runtime).slice(1).sort(), ['a', 'b', 'c'])
})

for (const status of [400, 413])
  t.test(`KY-174 an event that is answered ${status} becomes a full sync`, async t => {
    const runtime = await started(t)
    runtime.stub.answer = { status }
    await runtime.asks('/validate/kyma', creation('a'))
    await eventually('it is refused', async () => (await runtime.metric(refusals)) === 1)
    runtime.stub.answer = { status: 200 }
    runtime.clock.pass(1.2)
    await hears(runtime, 2)
    t.strictSame(names(runtime).slice(0, 2), ['a', 'everything'])
  })

const refusals = 'watcher_failed_kcp_total{error_reason="refused"}'

t.test(
  'RE-20 RE-27 what is no review is refused by its head: chunks, endless bodies, other methods, other paths',
  async t => {
    const { agent } = await runtimeWithAgent(t)
    const head = (line: string, ...fields: string[]): string => `${[line, 'host: x', ...fields].join('\r\n')}\r\n\r\n`
    const post = 'POST /validate/kyma HTTP/1.1'
    const json = 'content-type: application/json'
    const cases: [string, RegExp][] = [
      [head(post, json, 'transfer-encoding: chunked'), /^HTTP\/1\.1 411 /],
      [head(post, json, `content-length: ${7 * 2 ** 20 + 1}`), /^HTTP\/1\.1 413 /],
      [head(post, json, 'content-encoding: gzip', 'content-length: 9'), /^HTTP\/1\.1 415 /],
      [`${head(post, json, 'content-length: 1000')}${'['.repeat(1000)}`, /^HTTP\/1\.1 400 .*tooIntricate/s],
      [head('GET /validate/kyma HTTP/1.1'), /^HTTP\/1\.1 404 /],
      [head('GET /metrics HTTP/1.1'), /^HTTP\/1\.1 404 /],
      ['no http\r\n\r\n', /^HTTP\/1\.1 400 /],
    ]
    for (const [text, expected] of cases) {
      const one = await attacker(t, { port: agent.ports.webhook, isTls: true })
      void says(one, text)
      await eventually(`${expected} is heard`, async () => expected.test(one.heard()))
    }
  },
)

t.test('KY-177 RE-17 a new certificate in the files is shown on the next connection, to both sides', async t => {
  const runtime = await started(t)
  const renewed = await runtime.authority.serving({ ...agentNames, dns: ['runtime-8'] })
  runtime.mounts({ certificate: 'half written', key: renewed.key })
  const during = await runtime.asks('/validate/kyma', creation('a'))
  t.not(during.certificate, renewed.certificate, 'the one before stays until the files fit together')
  runtime.mounts(renewed)
  const after = await runtime.asks('/validate/kyma', creation('b'))
  t.equal(after.certificate.trim(), renewed.certificate.trim())
  await eventually('b is heard', async () => names(runtime).includes('b'))
  const callers = runtime.stub.heard.map(({ event, caller }) => [event.watched.Name, caller])
  t.strictSame(callers.slice(0, 2), [
    ['a', 'runtime-7'],
    ['b', 'runtime-8'],
  ])
})

t.test('KY-177 nothing is sent to a control plane with a certificate of another CA; it will be retried', async t => {
  const runtime = await started(t)
  const own = await runtime.authority.serving({ ip: ['127.0.0.1'] })
  runtime.stub.shows(await (await newAuthority('stranger')).serving({ ip: ['127.0.0.1'] }))
  await runtime.asks('/validate/kyma', creation('a'))
  await eventually(
    'the failure is counted',
    async () => (await runtime.metric('watcher_failed_kcp_total{error_reason="untrusted"}')) === 1,
  )
  t.strictSame(names(runtime), [])
  runtime.stub.shows(own)
  runtime.clock.pass(1.2)
  await hears(runtime, 1)
  t.strictSame(names(runtime), ['a'])
})

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'skr-webhook', generation: 1 },
  webhooks: [
    {
      clientConfig: { service: { path: '/validate/kyma' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    },
  ],
}

const resource = (resource: string) => ({ resource: { group: '', version: 'v1', resource } })

/** The control plane is told of the start; then these reviews are answered. What it hears of them. */
const heardOf = async (
  t: Test,
  sources: readonly ('watch' | 'admission')[],
  reviews: [string, object][],
): Promise<string[]> => {
  const cluster = fakeCluster()
  cluster.client.raw = async () => ({ resources: [{ name: 'configmaps', kind: 'ConfigMap' }] })
  cluster.put(configuration)
  const runtime = await runtimeWithAgent(t, { sources, cluster })
  await hears(runtime, 1)
  t.strictSame(names(runtime), ['everything'])
  for (const [path, review] of reviews) t.equal((await runtime.asks(path, review)).status, 200)
  await eventually('nothing is under way', async () => {
    runtime.clock.pass(2)
    return (await runtime.metric('watcher_queue_length')) === 0
  })
  return [...new Set(names(runtime).slice(1))]
}

t.test(
  'KY-175 KY-176 reviews of what is watched make no event, nor do those for managers that nobody configured',
  async t => {
    const heard = await heardOf(
      t,
      ['watch', 'admission'],
      [
        ['/validate/kyma', creation('watched', resource('configmaps'))],
        ['/validate/stranger', creation('for a stranger', resource('secrets'))],
        ['/validate/kyma', creation('not watched', resource('secrets'))],
      ],
    )
    t.strictSame(heard, ['not watched'])
  },
)

t.test('KY-176 each source can be left out', async t => {
  const reviews: [string, object][] = [
    ['/validate/kyma', creation('watched', resource('configmaps'))],
    ['/validate/kyma', creation('not watched', resource('secrets'))],
  ]
  t.strictSame(await heardOf(t, ['admission'], reviews), ['watched', 'not watched'])
  t.strictSame(await heardOf(t, ['watch'], reviews), [])
})

t.test(
  'KY-150 an authority that the control plane shows itself is trusted beside a newer one of the same name',
  async t => {
    const [older, newer] = [
      await newAuthority('klm-watcher', { ip: ['127.0.0.1'] }),
      await newAuthority('klm-watcher', { ip: ['127.0.0.1'] }),
    ]
    const stub = await controlPlaneStub(t, newer)
    const { certificate, key } = await newer.serving(agentNames)
    for (const shown of [older, newer]) {
      stub.shows(shown)
      const own = { authorities: `${newer.certificate}\n${older.certificate}`, certificate, key }
      const access = { address: `127.0.0.1:${stub.port}`, contract: 'v2', certificate: () => own, userAgent: 'agent' }
      const { post, close } = controlPlane(access)
      t.teardown(close)
      const event = {
        watched: { Namespace: 'a', Name: 'b' },
        watchedGvk: { group: '', version: 'v1', kind: 'ConfigMap' },
      }
      t.equal(await post({ manager: 'lifecycle-manager', event } as never), undefined)
    }
  },
)

t.test('KY-177 an agent without a certificate does not start', async t => {
  const log = hostLog('silent')
  const folder = t.testdir({ 'ca.crt': 'x' })
  const files = {
    authorities: join(folder, 'ca.crt'),
    certificate: join(folder, 'tls.crt'),
    key: join(folder, 'tls.key'),
  }
  const parts = {
    decides: runtimeWatcher,
    client: fakeCluster().client,
    sources: ['admission'] as const,
    certificate: certificateIn(files, log),
    ports: { webhook: 0, metrics: 0 },
    version: '0',
    log,
  }
  const controlPlane = { post: async () => undefined, close: async () => {} }
  await rejects(t, () => startAgent({ ...parts, controlPlane }), { message: 'there is no certificate' })
})
