// Traces as a collector gets them: of a call that a relay makes to a host, which works in an embedded cluster.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import { hostContext } from '../../shared/http/host-context.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import { clusters } from '../../shared/kube/clusters/clusters.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { createHost } from '../../shared/relay/calls/function-host.ts'
import type { BegunCall } from '../../shared/runtime/context.ts'
import type { Renderer, RenderWork } from '../../shared/runtime/renderer/renderer.ts'
import { traceCollector } from '../../shared/trace/collector.ts'
import type { NoteSpan, Span } from '../../shared/trace/trace.ts'
import { anyCluster } from '../harness/clusters/any-cluster.ts'
import { matches } from '../harness/matches.ts'
import { eventually } from '../harness/until.ts'
import { authorization, landscape, secret, testHost, widgetFunction } from './host-parts.ts'

type Attribute = { key: string; value: { stringValue: string } }
type Received = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code?: number; message?: string }
}
type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { scope: { name: string }; spans: Received[] }[]
  }[]
}
type Asked = { path: string | undefined; type: string | undefined; body: Export }

/** A collector that keeps what it gets, and answers with this code. */
const collector = async (t: Test, answers: () => number | Promise<number> = () => 200) => {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    asked.push({ path: request.url, type: request.headers['content-type'], body })
    response.writeHead(await answers()).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

const spansIn = (asked: readonly Asked[]): Received[] =>
  asked.flatMap(({ body }) => body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)))
const valuesOf = (attributes: readonly Attribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))

const warnings: Record<string, unknown>[] = []
const log = { debug() {}, info() {}, warn: (fields: object) => void warnings.push({ ...fields }), error() {} }
const collecting = (endpoint: string, service = 'test') => traceCollector({ endpoint, service, version: '1.2.3', log })

const kind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }
const renders: Renderer = {
  render: async ({ parameters }) => {
    if (parameters.fails) throw new RangeError('the password is 123')
    return { objects: [], notes: [] } as unknown as Awaited<ReturnType<Renderer['render']>>
  },
}
const order = (parameters: object): RenderWork => ({ parameters }) as RenderWork
const turn = { tenant: 'n', id: 'n/a' }

t.test('FN-111 a collector gets the spans of a call: relay, host, requests and renderings', async t => {
  const { kubeconfig, namespace } = await anyCluster(t)
  const verdict = parseKubeconfig(kubeconfig, { allowedHosts: ['127.0.0.1'] })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const client = createClient(verdict.access)
  t.teardown(client.close)
  await client.create(
    { ...kind, metadata: { name: 'a', namespace }, spec: { maxUnavailable: 1 } },
    { fieldManager: 't' },
  )
  const { asked, endpoint } = await collector(t)
  const [ofRelay, ofHost] = [collecting(endpoint, 'espalier-relay'), collecting(endpoint, 'espalier-host')]
  const gather = async (object: KubeObject, { renderer }: BegunCall) => {
    await renderer?.render(order({}), turn)
    await renderer?.render(order({ fails: true }), turn).catch(() => undefined)
    return object
  }
  const context = hostContext(landscape(), { clusters: clusters({ local: client }), renderer: renders })
  const functions = [widgetFunction({ kind, gather })]
  const host = testHost({ context, functions, noteSpan: ofHost.note })
  await host.functions.listen({ host: '127.0.0.1', port: 0 })
  const { port } = host.functions.server.address() as AddressInfo
  const urlOf = () => `http://127.0.0.1:${port}`
  const relay = createHost({ urlOf, token: async () => secret, noteSpan: ofRelay.note })
  const began = Date.now()
  const reply = await relay.call(
    'widget',
    { namespace, name: 'a', isQuiet: false, waiting: 0 },
    { signal: AbortSignal.timeout(9_000) },
  )
  t.equal(reply.status, 200)
  await Promise.all([relay.close(), host.functions.close(), ofRelay.close(), ofHost.close()])

  t.strictSame(new Set(asked.map(({ path, type }) => `${path} ${type}`)), new Set(['/v1/traces application/json']))
  const services = asked.map(({ body }) => valuesOf(body.resourceSpans[0]?.resource.attributes ?? []))
  t.strictSame(services.map(one => [one['service.name'], one['service.version']]).sort(), [
    ['espalier-host', '1.2.3'],
    ['espalier-relay', '1.2.3'],
  ])
  const spans = spansIn(asked)
  const named = (name: string) => spans.filter(span => span.name === name)
  const [[called], [ran]] = [named('POST /functions/widget'), named('reconcile widget')]
  if (!called || !ran) throw new Error(`spans: ${spans.map(({ name }) => name)}`)
  t.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1)
  t.ok(
    host.lines.some(line => line.trace === called.traceId),
    'log lines carry its id',
  )
  t.equal(called.parentSpanId, undefined)
  t.equal(ran.parentSpanId, called.spanId)
  matches(t, valuesOf(called.attributes), { 'http.response.status_code': '200', 'espalier.object': `${namespace}/a` })
  matches(t, valuesOf(ran.attributes), { 'espalier.object': `${namespace}/a`, 'espalier.outcome': 'settled' })
  const inside = spans.filter(({ parentSpanId }) => parentSpanId === ran.spanId)
  t.equal(inside.length, spans.length - 2)
  const [reads, writes, renderings] = [named('get poddisruptionbudgets'), named('apply configmaps'), named('render')]
  t.strictSame(
    [reads.length, writes.length].map(count => count > 0),
    [true, true],
  )
  t.equal(valuesOf(writes[0]?.attributes ?? [])['url.path'], `/api/v1/namespaces/${namespace}/configmaps/a`)
  t.strictSame(
    renderings.slice(0, 2).map(({ status }) => status),
    [{}, { code: 2, message: 'RangeError' }],
    'no text of a fault',
  )
  t.strictSame([called.kind, ran.kind, writes[0]?.kind, renderings[0]?.kind], [3, 2, 3, 1])
  for (const { startTimeUnixNano, endTimeUnixNano } of spans) {
    t.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano))
    t.ok(Math.abs(Number(BigInt(startTimeUnixNano) / 1_000_000n) - began) < 60_000)
  }
})

t.test('FN-111 a caller that wants no trace kept gets none, and a call that throws is a fault', async t => {
  const spans: Span[] = []
  const noteSpan: NoteSpan = span => void spans.push(span)
  const host = testHost({ noteSpan, functions: [widgetFunction({ gather: () => Promise.reject(new Error('x')) })] })
  const traceparent = (flags: string) => ({
    traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-${flags}`,
  })
  const call = (flags: string) =>
    host.functions.inject({
      method: 'POST',
      url: '/functions/widget',
      headers: { authorization, 'content-type': 'application/json', ...traceparent(flags) },
      payload: JSON.stringify({ namespace: 'n', name: 'a' }),
    })
  await call('00')
  t.strictSame(spans, [])
  await call('03')
  t.strictSame(
    spans.map(({ name, fault }) => [name, fault]),
    [['reconcile widget', 'thrown']],
  )
})

const span = (name: string): Span => ({ name, kind: 'internal', began: 0, ended: 1, attributes: {} })
const ids = { traceId: '1'.repeat(32), spanId: '2'.repeat(16) }

t.test('FN-112 a collector that is slow, refuses or is away costs spans, and nothing waits for it', async t => {
  warnings.length = 0
  const { promise: released, resolve: release } = Promise.withResolvers<number>()
  const { asked, endpoint } = await collector(t, () => released)
  const slow = collecting(endpoint)
  for (let n = 0; n < 10_000; n++) slow.note(span(`n${n}`), ids)
  await eventually('the first batch is there', async () => asked.length > 0)
  t.equal(asked.length, 1, 'one batch at a time')
  t.equal(warnings.length, 1, 'told once a minute')
  release(200)
  await slow.close()
  t.ok(spansIn(asked).length <= 512 + 2_048, `${spansIn(asked).length} of 10,000 were kept`)
  t.equal(new Set(spansIn(asked).map(({ name }) => name)).size, spansIn(asked).length, 'each once')

  warnings.length = 0
  const refusing = await collector(t, () => 503)
  for (const url of [refusing.endpoint, 'http://127.0.0.1:1']) {
    const one = collecting(url)
    one.note(span('a'), ids)
    await one.close()
  }
  t.strictSame(
    warnings.map(({ dropped }) => dropped),
    [1, 1],
  )
  t.equal(refusing.asked.length, 1, 'a refused batch is not sent again')
})

t.test('FN-111 spans are sent every two seconds', async t => {
  const { asked, endpoint } = await collector(t)
  const one = collecting(endpoint)
  t.teardown(one.close)
  one.note(span('a'), ids)
  await pause(100)
  t.equal(asked.length, 0)
  await eventually('it is there', async () => asked.length === 1)
})
