// A host in front of an API server: the embedded one, or the real control plane with `npm run test:cluster`.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { webhookCertificate } from '../../functions/webhook-certificate/index.ts'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { settingsFrom } from '../../shared/http/settings/config.ts'
import { type HostSettings, hostSettings } from '../../shared/http/settings/host-settings.ts'
import { type RunningHost, startHost } from '../../shared/http/start-host.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { ApiError } from '../../shared/kube/errors.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { issueCertificates } from '../../shared/outside/certificates.ts'
import { processContext } from '../../shared/runtime/context.ts'
import type { AdmissionFunction } from '../../shared/runtime/definition.ts'
import { reconcile } from '../../shared/runtime/reconcile.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { deniedBy } from '../harness/clusters/test-definitions.ts'
import { lasting } from '../harness/component/orchards.ts'
import { lacks, matches } from '../harness/matches.ts'
import { compileCache } from '../harness/runner/compile-cache.ts'
import { type LogLine, landscape, widgetReview } from '../http/host-parts.ts'

const cluster = await anyCluster(t)
const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1', 'localhost'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)
const client = createClient(verdict.access)
const all = clusters({ local: client })
t.teardown(client.close)

const options = { fieldManager: 'tests' }
const group = `t${randomBytes(4).toString('hex')}.example.com`
const secretRef = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace,
  name: 'espalier-webhook-certificate',
})
const text = (secret: KubeObject | undefined, file: string): string =>
  Buffer.from((secret?.data as Record<string, string> | undefined)?.[file] ?? '', 'base64').toString()

const configuration = (kind: 'Validating' | 'Mutating', clientConfig: object): KubeObject => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: {
    name: group,
    labels: { 'app.kubernetes.io/part-of': 'espalier', 'app.kubernetes.io/managed-by': 'Helm' },
  },
  webhooks: [
    {
      name: `widget.${group}`,
      clientConfig,
      rules: [{ apiGroups: [group], apiVersions: ['v1'], resources: ['widgets'], operations: ['CREATE', 'UPDATE'] }],
      failurePolicy: 'Fail',
      sideEffects: 'None',
      timeoutSeconds: 30,
      admissionReviewVersions: ['v1'],
    },
  ],
})

const configured = (t: Test, ...objects: KubeObject[]): Promise<KubeObject[]> => {
  t.teardown(() =>
    Promise.all(
      objects.map(({ apiVersion, kind }) => client.delete({ apiVersion, kind, namespace: '', name: group }, {})),
    ),
  )
  return Promise.all(objects.map(object => client.create(object, options)))
}

const bundleOf = async (kind: 'Validating' | 'Mutating'): Promise<string> => {
  const stored = await client.get({ ...configuration(kind, {}), namespace: '', name: group })
  const [webhook] = (stored?.webhooks ?? []) as { clientConfig: { caBundle?: string } }[]
  return Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
}

const tokenOf = async (namespace: string, serviceAccount: string, audience: string): Promise<string> => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [audience] } }
  const { status } = (await client.raw({ method: 'POST', path, body })) as { status: { token: string } }
  return status.token
}

type Program = { port: number; lines: LogLine[]; ended: Promise<unknown>; end(): void }

/** The program itself, with the administrator's kubeconfig. */
const program = async (t: Test, environment: Record<string, string>): Promise<Program> => {
  const dir = mkdtempSync(join(tmpdir(), 'espalier-'))
  writeFileSync(join(dir, 'kubeconfig'), cluster.kubeconfig)
  const started = spawn(process.execPath, [join(import.meta.dirname, '../../shared/main/host.ts')], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...compileCache,
      KUBECONFIG: join(dir, 'kubeconfig'),
      ESPALIER_FUNCTIONS: 'webhook-certificate',
      ESPALIER_LISTEN: '127.0.0.1:0',
      ESPALIER_PROBES_LISTEN: '',
      ESPALIER_FUNCTIONS_TLS: 'on',
      ESPALIER_DRAIN_SECONDS: '0',
      ...environment,
    },
  })
  t.teardown(() => {
    started.kill('SIGKILL')
    rmSync(dir, { recursive: true })
  })
  const lines: LogLine[] = []
  const listening = Promise.withResolvers<number>()
  createInterface({ input: started.stdout }).on('line', line => {
    const entry = JSON.parse(line) as LogLine
    lines.push(entry)
    if (entry.msg === 'listening')
      listening.resolve((entry.addresses as { functions: { port: number } }).functions.port)
  })
  const ended = once(started, 'exit').then(([code]) => code)
  ended.then(code => listening.reject(new Error(`the host ended with ${code}`)))
  return { port: await listening.promise, lines, ended, end: () => started.kill('SIGTERM') }
}

const called = async (port: number, { ca, token }: { ca: string; token: string }) => {
  const sent = httpsRequest({
    host: '127.0.0.1',
    port,
    ca,
    servername: 'host.espalier-system.svc',
    method: 'POST',
    path: '/functions/webhook-certificate',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })
  sent.end('{"namespace":"","name":"espalier-system"}')
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode as number, body: (await json(answer)) as Record<string, unknown> }
}

t.test(
  'RE-19 FN-24 the program on a cluster: real tokens by both ways of checking them, its certificate kept',
  async t => {
    for (const name of ['espalier-system', cluster.namespace]) {
      const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
      if (!(await client.get({ ...namespace, namespace: '', name }))) await client.create(namespace, options)
      await client.apply(
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: name, name: 'relay' } },
        options,
      )
    }
    const service = { service: { namespace: 'espalier-system', name: 'widget-webhooks', path: '/webhooks/widget' } }
    await configured(t, configuration('Validating', service), configuration('Mutating', service))
    const [byKeys, byReview] = await Promise.all([program(t, {}), program(t, { ESPALIER_CALLER_PROOF: 'review' })])
    const ca = text(await client.get(secretRef('espalier-system')), 'ca.crt')
    const relay = await tokenOf('espalier-system', 'relay', 'espalier')
    const foreign = await tokenOf(cluster.namespace, 'relay', 'espalier')
    const forApiServer = await tokenOf('espalier-system', 'relay', 'https://kubernetes.default.svc.cluster.local')
    for (const { port } of [byKeys, byReview]) {
      matches(t, await called(port, { ca, token: relay }), { status: 200, body: { outcome: 'settled' } })
      matches(t, await called(port, { ca, token: foreign }), { status: 403, body: { code: 'forbidden' } })
      matches(t, await called(port, { ca, token: forApiServer }), { status: 401, body: { code: 'unauthenticated' } })
    }
    for (const kind of ['Validating', 'Mutating'] as const) {
      t.equal(await bundleOf(kind), ca, `${kind} trusts what is served`)
      await client.apply(configuration(kind, service), { ...options, force: true })
      const stored = await client.get({ ...configuration(kind, {}), namespace: '', name: group })
      const webhooks = (configuration(kind, service).webhooks as object[]).map(webhook => ({
        ...webhook,
        clientConfig: service,
      }))
      await client.patch(
        { ...configuration(kind, {}), namespace: '', name: group },
        { type: 'merge', body: { metadata: { resourceVersion: stored?.metadata.resourceVersion }, webhooks } },
        options,
      )
      t.equal(await bundleOf(kind), '', 'applied again without')
    }
    matches(t, await called(byKeys.port, { ca, token: relay }), { status: 200 })
    t.equal(await bundleOf('Validating'), ca)
    t.equal(await bundleOf('Mutating'), ca)
    for (const { end, ended, lines } of [byKeys, byReview]) {
      end()
      t.equal(await ended, 0)
      lacks(t, JSON.stringify(lines), /PRIVATE KEY|eyJ/, 'no key and no token in the log')
    }
  },
)

const settings = (): HostSettings => {
  const environment = {
    ESPALIER_LISTEN: '127.0.0.1:0',
    ESPALIER_WEBHOOKS_LISTEN: '127.0.0.1:0',
    ESPALIER_PROBES_LISTEN: '',
    ESPALIER_TLS_RELOAD_SECONDS: '3600',
    ESPALIER_DRAIN_SECONDS: '0',
  }
  const reading = settingsFrom(hostSettings, { program: 'host', flags: [], environment })
  if (reading.is !== 'settings') throw new Error(JSON.stringify(reading))
  return reading.settings
}

const keep = (now = new Date()) =>
  reconcile(
    webhookCertificate,
    { namespace: '', name: cluster.namespace },
    {
      ...processContext({ clusters: all }),
      ...lasting(120),
      now: () => now,
      log: { debug() {}, info() {}, warn() {}, error() {} },
    },
  )

/** A host in this process, whose namespace is the test's, and webhooks that lead to it by URL. */
const admitting = async (t: Test, definition: AdmissionFunction): Promise<RunningHost> => {
  const own = landscape()
  const host = await startHost({
    settings: settings(),
    landscape: { ...own, provider: { ...own.provider, namespace: cluster.namespace } },
    functions: [definition, webhookCertificate],
    local: client,
    clusters: all,
    metrics: hostMetrics(),
    log: hostLog('silent'),
    version: '0.0.0',
  })
  t.teardown(() => host.stop())
  const url = `https://127.0.0.1:${host.addresses.webhooks?.port}/webhooks/widget`
  await configured(t, configuration('Mutating', { url }))
  matches(t, await keep(), { outcome: 'waiting' }, 'a new authority is announced, and does not sign yet')
  t.equal(await host.certificate?.look(), false)
  await deniedBy(client, `widget.${group}`, widget('tried', { size: 0 }))
  return host
}

const widgets = async (t: Test): Promise<void> => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  }
  t.teardown(() => client.delete({ ...definition, namespace: '', name: `widgets.${group}` }, {}))
  await client.create(definition, options)
  await cluster.api.served(`/apis/${group}/v1/widgets`)
}

const widget = (name: string, spec: object): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { namespace: cluster.namespace, name },
  spec,
})

t.test('the API server asks our webhook', async t => {
  await widgets(t)
  await client.create(
    {
      ...secretRef(cluster.namespace),
      metadata: secretRef(cluster.namespace),
      type: 'kubernetes.io/tls',
      data: await agedFiles(),
    } as unknown as KubeObject,
    options,
  )
  const host = await admitting(t, widgetReview({ kind: { apiVersion: `${group}/v1`, kind: 'Widget' } }))

  await t.test('FN-20 what it denies is refused with code, reason, message and causes', async t => {
    const denied = await client.create(widget('zero', { size: 0 }), options).catch((error: unknown) => error)
    t.ok(denied instanceof ApiError)
    matches(t, denied, {
      code: 422,
      reason: 'Invalid',
      message: `admission webhook "widget.${group}" denied the request: Widget "a" is invalid`,
      details: { causes: [{ field: 'spec.size', message: 'must be positive' }] },
    })
  })

  await t.test('FN-21 what it changes is stored changed', async t => {
    matches(t, await client.create(widget('mutated', {}), options), { spec: { size: 1 } })
  })

  await t.test('FN-23 a dry run is changed too, and not stored', async t => {
    matches(t, await client.create(widget('dry', {}), { ...options, dryRun: true }), { spec: { size: 1 } })
    t.equal(await client.get({ ...widget('dry', {}), namespace: cluster.namespace, name: 'dry' }), undefined)
  })

  await t.test('RE-17 it is asked while its certificates rotate', t => rotated(t, host))
})

/** Two callers create all the time. */
const rotated = async (t: Test, host: RunningHost): Promise<void> => {
  let isOver = false
  let done = 0
  const load = async (): Promise<void> => {
    for (; !isOver; done++) await client.create(widget('load', {}), { ...options, dryRun: true })
  }
  const loads = Promise.all([load(), load()])
  const more = async (count: number): Promise<void> => {
    const goal = done + count
    while (done < goal) await Promise.race([new Promise(setImmediate), loads])
  }
  const before = text(await client.get(secretRef(cluster.namespace)), 'tls.crt')
  await more(300)
  matches(
    t,
    await keep(new Date(Date.now() + 180_000)),
    { outcome: 'settled' },
    'API servers had their minute: it signs',
  )
  t.equal(await host.certificate?.look(), true)
  await more(100)
  isOver = true
  await loads
  t.not(text(await client.get(secretRef(cluster.namespace)), 'tls.crt'), before)
}

/** An authority whose renewal is due. */
const agedFiles = async (): Promise<Record<string, string>> => {
  const request = { commonName: 'x', names: ['127.0.0.1'], authorityDays: 730, servingDays: 90 }
  const then = new Date(Date.now() - 600 * 86_400_000)
  const data = await issueCertificates({ ...request, renew: ['authority'] }, undefined, then)
  return issueCertificates({ ...request, renew: ['serving'] }, { data } as unknown as KubeObject)
}
