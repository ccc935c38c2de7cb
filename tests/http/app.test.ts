import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { type Report, settled } from '../../shared/core/decisions/plan.ts'
import { type KubeObject, keyText, versionText } from '../../shared/core/objects/object.ts'
import { address } from '../../shared/core/settings/shapes.ts'
import { hostMetrics } from '../../shared/http/telemetry/metrics.ts'
import { issueCertificates } from '../../shared/outside/certificates.ts'
import { relayClient } from '../../shared/outside/relay-client.ts'
import { listen, type RelayServerParts } from '../../shared/relay/server.ts'
import type { BegunCall } from '../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../shared/runtime/definition.ts'
import { type Marking, markingFor } from '../../shared/runtime/marks.ts'
import { contains, lacks, matches } from '../harness/matches.ts'
import { until } from '../harness/until.ts'
import { authorization, landscape, type TestHost, testHost, widget, widgetFunction } from './host-parts.ts'
import { MemoryCluster, refusal } from './memory-cluster.ts'

const call = (host: TestHost, body: unknown = { namespace: 'n', name: 'a' }, headers: Record<string, string> = {}) =>
  host.functions.inject({
    method: 'POST',
    url: '/functions/widget',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })

t.test('a call reconciles its object and answers the outcome', async t => {
  const host = testHost()
  const answer = await call(host)
  t.equal(answer.statusCode, 200)
  const stored = host.cluster.find({ ...widget(), namespace: 'n', name: 'a' })
  const made = host.cluster.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' })
  matches(t, stored?.status, { seen: true })
  t.strictSame(answer.json(), {
    outcome: 'settled',
    wrote: [made, stored].map(object => object && versionText(object)),
  })
  t.notOk(
    host.lines.some(line => 'wrote' in line),
    'lists of versions are nothing for a log',
  )
})

/** Resolves when so many calls have reached their function or wait for their turn. */
const arrived = (host: TestHost, count: number): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  host.functions.addHook('preHandler', async () => {
    if (--count === 0) setImmediate(resolve)
  })
  return promise
}

t.test('FN-04 a name that is no function: 404 with the list of names', async t => {
  for (const path of [
    '/functions/gadget',
    '/functions/constructor',
    '/functions/__proto__',
    '/functions/gadget/keys',
  ]) {
    const answer = await testHost().functions.inject({ method: 'POST', url: path, headers: { authorization } })
    t.equal(answer.statusCode, 404, path)
    matches(t, answer.json(), { code: 'unknownFunction', functions: ['widget'], requestId: String })
  }
})

t.test('FN-05 a body that does not fit: 400 naming the field, nothing read, nothing written', async t => {
  const cases: [unknown, string][] = [
    [{ name: 'a' }, 'body.namespace: found nothing, allowed: a namespace, or ""'],
    [{ namespace: 'n' }, 'body.name: found nothing, allowed: the name of an object'],
    [{ namespace: 'n', name: 7 }, 'body.name: found 7, allowed: the name of an object'],
    [{ namespace: 'n', name: '' }, 'body.name: found "", allowed: the name'],
    [{ namespace: 'n', name: '../secrets' }, 'body.name: found "../secrets"'],
    [{ namespace: 'n', name: 'a%2fb' }, 'body.name: found "a%2fb"'],
    [{ namespace: null, name: 'a' }, 'body.namespace: found null'],
    [{ namespace: 'n', name: 'a', object: {} }, 'body.object: found an unknown field, allowed: namespace, name'],
    ['{"namespace":"n","name":"a","__proto__":{}}', 'body.__proto__: found an unknown field'],
    [['n', 'a'], 'body: found ["n","a"], allowed: the key of an object'],
    ['null', 'body: found null'],
    ['{"namespace":', 'the body is not JSON'],
    ['', 'the body is empty'],
    [Buffer.from([0x22, 0xff, 0x22]), 'the body is not JSON in UTF-8'],
    [`${'['.repeat(201)}${']'.repeat(201)}`, 'nested too deeply'],
  ]
  for (const [body, sentence] of cases) {
    const cluster = new MemoryCluster([widget()])
    cluster.trouble = new Error('nobody asks the cluster')
    const answer = await call(testHost({}, cluster), body)
    t.equal(answer.statusCode, 400, sentence)
    t.ok(answer.json().message.includes(sentence), `${answer.json().message} | ${sentence}`)
  }
})

t.test('FN-05 a list in place of a name is refused, and is not converted to a text', async t => {
  const answer = await call(testHost(), { namespace: 'n', name: ['a'] })
  t.equal(answer.statusCode, 400)
})

t.test('FN-06 two calls for one key at once: both answer, the writes are those of one', async t => {
  const alone = testHost()
  await call(alone)
  const host = testHost()
  const gate = Promise.withResolvers<void>()
  host.cluster.gate = gate.promise
  const all = arrived(host, 3)
  const answers = Promise.all([call(host), call(host), call(host)])
  await all
  gate.resolve()
  t.strictSame(
    (await answers).map(answer => answer.json().outcome),
    ['settled', 'settled', 'settled'],
  )
  t.strictSame(host.cluster.writes, alone.cluster.writes)
})

t.test('FN-06 callers that ask while a call runs share the result of one call that begins afterwards', async t => {
  const passes: { began: number; sizeSeen: unknown }[] = []
  const firstPass = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const host = testHost({
    functions: [
      widgetFunction({
        gather: async object => {
          passes.push({ began: passes.length, sizeSeen: object.spec })
          if (passes.length === 1) {
            firstPass.resolve()
            await mayEnd.promise
          }
          return object
        },
        decide: () => ({
          steps: [],
          status: {},
          events: [],
          next: { is: 'waiting', seconds: passes.length, for: 'x' },
        }),
      }),
    ],
  })
  const all = arrived(host, 3)
  const first = call(host)
  await firstPass.promise
  host.cluster.put(widget('a', { size: 2 }))
  const [second, third] = [call(host), call(host)]
  await all
  mayEnd.resolve()
  t.equal((await first).json().requeueAfterSeconds, 1)
  t.equal((await second).json().requeueAfterSeconds, 2)
  t.equal((await third).json().requeueAfterSeconds, 2)
  t.strictSame(passes[1]?.sizeSeen, { size: 2 })
})

t.test(
  "KY-182 a quiet call finds the mark of the call before; a call after a change forgets it, also when it shares a quiet call's run",
  async t => {
    const found: boolean[] = []
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const definition = {
      ...widgetFunction({ decide: () => ({ steps: [], status: {}, events: [], next: settled }) }),
      begin: (call: BegunCall) => markingFor('widget', call),
      passScope: (_world: unknown, { markInOrder }: Marking) => ({ markInOrder }),
      gather: async (object: KubeObject, _: unknown, marking: Marking) => {
        found.push(marking.isInOrder(object, ['same']))
        marking.begin(object).judgedBy(['same'])
        if (found.length === 2) begun.resolve()
        if (found.length === 2) await mayEnd.promise
        return object
      },
    } as ReconcileFunction
    const host = testHost({ functions: [definition] })
    const quietly = () => call(host, undefined, { 'espalier-quiet': 'true' })
    const all = arrived(host, 4)
    await call(host)
    const first = quietly()
    await begun.promise
    const others = [quietly(), call(host)]
    await all
    mayEnd.resolve()
    await Promise.all([first, ...others])
    await quietly()
    t.strictSame(found, [false, true, false, true])
  },
)

t.test('FN-06 a call that fails does not hold up the next one, and other keys do not wait', async t => {
  let calls = 0
  const host = testHost({
    functions: [
      widgetFunction({
        gather: async () => {
          if (++calls === 1) throw new Error('once')
        },
        decide: () => ({ steps: [], status: {}, events: [], next: settled }),
      }),
    ],
  })
  host.cluster.put(widget('b'))
  const [one, two, other] = await Promise.all([call(host), call(host), call(host, { namespace: 'n', name: 'b' })])
  t.strictSame(
    [one, two, other].map(({ statusCode }) => statusCode),
    [500, 200, 200],
  )
})

t.test(
  'FN-07 a function throws: 500 with a request id, never the stack; logged once with function, key, trace',
  async t => {
    const host = testHost({
      functions: [
        widgetFunction({
          gather: async () => {
            throw new Error('secret inner thought')
          },
        }),
      ],
    })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const answer = await call(host, undefined, { traceparent })
    t.equal(answer.statusCode, 500)
    matches(t, answer.json(), { code: 'internal', requestId: /^[0-9a-f-]{36}$/ })
    lacks(t, answer.body, 'thought')
    lacks(t, answer.body, 'at ')
    const errors = host.lines.filter(({ level }) => level === 'error')
    matches(t, errors, [
      {
        function: 'widget',
        object: 'n/a',
        trace: '0af7651916cd43dd8448eb211c80319c',
        requestId: answer.json().requestId,
        err: { message: 'secret inner thought', stack: /app\.test/ },
      },
    ])
    t.equal(errors.length, 1)
  },
)

t.test('FN-07 an error that answers several callers is logged as an error once', async t => {
  const gate = Promise.withResolvers<void>()
  const host = testHost({
    functions: [
      widgetFunction({
        gather: async () => {
          await gate.promise
          throw new Error('again')
        },
      }),
    ],
  })
  const all = arrived(host, 3)
  const calls = Promise.all([call(host), call(host), call(host)])
  await all
  gate.resolve()
  const answers = await calls
  t.strictSame(
    answers.map(({ statusCode }) => statusCode),
    [500, 500, 500],
  )
  const errors = host.lines.filter(({ level, err }) => level === 'error' && err)
  t.equal(errors.length, 2, 'the first run, and the one the other two share')
  for (const { json } of answers) t.ok(host.lines.some(({ requestId }) => requestId === json().requestId))
})

t.test('the API server fails: 503 with Retry-After, the API server’s own when it sends one', async t => {
  const cases: [Error, string][] = [
    [refusal(429, 'TooManyRequests', 7), '7'],
    [refusal(503, 'ServiceUnavailable'), '1'],
  ]
  for (const [trouble, seconds] of cases) {
    const host = testHost()
    host.cluster.trouble = trouble
    const answer = await call(host)
    t.equal(answer.statusCode, 503)
    t.equal(answer.headers['retry-after'], seconds)
    t.equal(answer.json().code, 'trouble')
    t.equal(host.lines.filter(({ level }) => level === 'error').length, 0, 'nobody’s fault')
  }
})

t.test('a call that does not end in time: 503, and its key is free again', async t => {
  let calls = 0
  const host = testHost({
    landscape: landscape(1),
    functions: [
      widgetFunction({
        gather: async () => (++calls === 1 ? new Promise(() => {}) : undefined),
        decide: () => ({ steps: [], status: {}, events: [], next: settled }),
      }),
    ],
  })
  const deaf = await call(host)
  t.equal(deaf.statusCode, 503)
  t.equal(deaf.json().code, 'outOfTime')
  const freed = await until(
    () => call(host),
    ({ statusCode }) => statusCode === 200,
  )
  t.equal(freed.statusCode, 200)
})

t.test('FN-08 the budget leaves time to write the status and to answer', async t => {
  const { budget } = await import('../../shared/http/calls.ts')
  for (const timeoutSeconds of [1, 5, 30, 900]) {
    const { lastPassAt, lastRequestAt } = budget(timeoutSeconds, 1_000)
    t.ok(
      1_000 < lastPassAt && lastPassAt < lastRequestAt && lastRequestAt < 1_000 + timeoutSeconds * 1_000,
      `${timeoutSeconds} s`,
    )
  }
})

t.test(
  'FN-08 keys and reviews, which write no status, may begin requests as late as the last one of a call',
  async t => {
    const host = testHost()
    const since = performance.now()
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } }
    const payload = { object, type: 'ADDED' }
    await call(host)
    await host.functions.inject({ method: 'POST', url: '/functions/widget/keys', headers: { authorization }, payload })
    await host.webhooks.inject({ method: 'POST', url: '/webhooks/widget', payload: {} })
    const seconds = host.cluster.lastRequestsAt.map(at => (at - since) / 1_000)
    t.strictSame(
      seconds.map(second => second > 28.9),
      [true, true, true],
      `of 30 s: ${seconds}`,
    )
  },
)

t.test('FN-11 traceparent: the same trace in logs and in calls to the cluster, with a span of our own', async t => {
  const host = testHost({ functions: [widgetFunction({ gather: async () => Promise.reject(new Error('x')) })] })
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  await call(host, undefined, { traceparent: `00-${trace}-00f067aa0ba902b7-01` })
  t.ok(host.cluster.traceparents.length > 0)
  for (const sent of host.cluster.traceparents) {
    matches(t, sent, new RegExp(`^00-${trace}-[0-9a-f]{16}-01$`))
    lacks(t, sent, '00f067aa0ba902b7')
  }
  t.ok(host.lines.some(line => line.trace === trace && line.function === 'widget'))
})

t.test('FN-11 a malformed traceparent begins a new trace', async t => {
  const bad = [
    'x',
    '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
    'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    `00-${'4BF92F3577B34DA6A3CE929D0E0E4736'}-00f067aa0ba902b7-01`,
  ]
  for (const traceparent of bad) {
    const host = testHost()
    await call(host, undefined, { traceparent })
    const [sent] = host.cluster.traceparents
    matches(t, sent, /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/, traceparent)
    lacks(t, sent, /4bf92f35|-0{32}/)
  }
  const later = testHost()
  await call(later, undefined, { traceparent: '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00-more' })
  matches(t, later.cluster.traceparents[0], /^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-00$/)
})

t.test('FN-12 metrics of calls, reviews and API requests under controller-runtime’s names', async t => {
  const host = testHost()
  await call(host)
  host.cluster.trouble = new Error('boom')
  await call(host)
  const note = { code: '200', method: 'GET', verb: 'list' }
  host.parts.metrics.requestEnds(note)
  await host.webhooks.inject({ method: 'POST', url: '/webhooks/widget', payload: {} })
  const { body, headers } = await host.functions.inject('/metrics')
  matches(t, headers['content-type'], /^text\/plain/)
  for (const line of [
    'controller_runtime_reconcile_total{controller="widget",result="success"} 1',
    'controller_runtime_reconcile_total{controller="widget",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="widget"} 1',
    'controller_runtime_reconcile_time_seconds_count{controller="widget"} 2',
    'controller_runtime_active_workers{controller="widget"} 0',
    'controller_runtime_webhook_requests_total{webhook="/webhooks/widget",code="400"} 1',
    'controller_runtime_webhook_latency_seconds_count{webhook="/webhooks/widget"} 1',
    'rest_client_requests_total{code="200",method="GET"} 1',
  ]) {
    t.ok(body.split('\n').includes(line), line)
  }
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) contains(t, body, name)
})

t.test('FN-12 each outcome is counted under the result of controller-runtime', async t => {
  const metrics = hostMetrics()
  metrics.callBegins('x')({ outcome: 'settled' })
  metrics.callBegins('x')({ outcome: 'settled', requeueAfterSeconds: 5 })
  metrics.callBegins('x')({ outcome: 'waiting', requeueAfterSeconds: 0 })
  metrics.callBegins('x')({ outcome: 'stalled' })
  metrics.callBegins('x')({ outcome: 'failed' })
  metrics.callBegins('x')('thrown')
  metrics.callBegins('x')
  const lines = (await metrics.text()).split('\n')
  for (const [result, count] of [
    ['success', 1],
    ['requeue_after', 1],
    ['requeue', 1],
    ['error', 3],
  ]) {
    t.ok(
      lines.includes(`controller_runtime_reconcile_total{controller="x",result="${result}"} ${count}`),
      String(result),
    )
  }
  t.ok(lines.includes('controller_runtime_active_workers{controller="x"} 1'))
})

const seen = (measured: Report['measured']): TestHost =>
  testHost({
    functions: [
      widgetFunction({
        metrics: [
          { name: 'widgets_seen_total', help: 'x', type: 'counter', labels: [] },
          { name: 'widget_size', help: 'x', type: 'gauge', labels: ['widget'] },
        ],
        report: () => ({ status: { seen: true }, measured }),
      }),
    ],
  })

t.test('RE-27 scrapers that ask while the metrics are being made all get the same text', async t => {
  const metrics = hostMetrics()
  let made = 0
  metrics.rendererMemory(async () => ++made)
  const [one, other] = await Promise.all([metrics.text(), metrics.text()])
  t.equal(one, other)
  t.equal(made, 1)
  matches(t, await metrics.text(), /espalier_renderer_resident_memory_bytes 2\n/)
})

t.test('a function has metrics of its own: they are counted in every pass, set and forgotten', async t => {
  const sizes = (...names: string[]) => names.map(widget => ({ metric: 'widget_size', labels: { widget }, set: 3 }))
  const forget = { metric: 'widget_size', labels: { widget: 'b' }, forget: true } as const
  const host = seen([{ metric: 'widgets_seen_total', add: 1 }, ...sizes('a', 'b'), forget])
  const shown = async () => (await host.parts.metrics.text()).split('\n').filter(line => /^widget/.test(line))
  t.strictSame(await shown(), ['widgets_seen_total 0'], 'before the first call')
  await call(host)
  t.strictSame(await shown(), ['widgets_seen_total 2', 'widget_size{widget="a"} 3'], 'after two passes')
  const undeclared = await call(seen([{ metric: 'elsewhere', add: 1 }]))
  t.equal(undeclared.statusCode, 500, 'what is not declared is a defect of the function')
  t.equal((await call(seen([{ metric: 'widgets_seen_total', set: 1 }]))).statusCode, 500, 'a counter that is set, too')
})

t.test('a function answers which keys an object concerns', async t => {
  const ask = (payload: unknown) =>
    testHost().functions.inject({
      method: 'POST',
      url: '/functions/widget/keys',
      headers: { authorization },
      payload: payload as object,
    })
  const answer = await ask({
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: {} },
    type: 'ADDED',
  })
  t.strictSame(answer.json(), { keys: [{ namespace: 'n', name: 'c' }] })
  const large = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x: 'y'.repeat(2 ** 20) } }
  t.equal((await ask({ object: large, type: 'DELETED' })).statusCode, 200, 'a large object')
  contains(
    t,
    (await ask({ object: { kind: 'x' }, type: 'ADDED' })).json().message,
    'body.object.apiVersion: found nothing',
  )
  contains(t, (await ask({ object: large, type: 'BOOKMARK' })).json().message, 'allowed: ADDED, MODIFIED, DELETED')
})

t.test('SEE-08 a plan by HTTP: of a key, of an object, and what does not fit', async t => {
  const host = testHost()
  const ask = (payload: object) =>
    host.functions.inject({ method: 'POST', url: '/functions/widget/plan', headers: { authorization }, payload })
  const stored = () => JSON.stringify(host.cluster.find({ ...widget(), namespace: 'n', name: 'a' }))
  const before = stored()
  const answer = await ask({ namespace: 'n', name: 'a' })
  t.equal(answer.statusCode, 200)
  matches(t, answer.json(), { function: 'widget', is: 'planned', object: 'Widget n/a', steps: Array })
  t.equal(stored(), before)
  t.equal(host.cluster.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'n', name: 'a' }), undefined)
  matches(t, (await ask({ namespace: 'n', name: 'nobody' })).json(), { is: 'gone' })
  for (const [body, message] of [
    [{}, 'found nothing'],
    [{ namespace: 'n', name: 'a', more: 1 }, 'body.more: found an unknown field, allowed: namespace, name, object'],
    [{ object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } } }, 'body.object: found v1 Pod, allowed: '],
  ] as const) {
    const refused = await ask(body)
    t.equal(refused.statusCode, 400)
    contains(t, refused.json().message, message)
  }
})

t.test('a function without keys answers 404 at its path /keys', async t => {
  const host = testHost({ functions: [widgetFunction({ keys: undefined })] })
  const answer = await host.functions.inject({
    method: 'POST',
    url: '/functions/widget/keys',
    headers: { authorization },
  })
  t.equal(answer.statusCode, 404)
})

t.test('unknown methods, media types, sizes and paths are refused', async t => {
  const host = testHost()
  const cases: [{ method: string; url: string; headers?: object; payload?: string }, number, string][] = [
    [{ method: 'GET', url: '/functions/widget' }, 405, 'methodNotAllowed'],
    [{ method: 'DELETE', url: '/livez' }, 405, 'methodNotAllowed'],
    [{ method: 'POST', url: '/metrics', payload: '{}' }, 405, 'methodNotAllowed'],
    [{ method: 'GET', url: '/' }, 404, 'unknownPath'],
    [{ method: 'POST', url: '/webhooks/widget', payload: '{}' }, 404, 'unknownPath'],
    [
      { method: 'POST', url: '/functions/widget', headers: { 'content-type': 'text/plain' }, payload: '{}' },
      415,
      'mediaType',
    ],
    [
      { method: 'POST', url: '/functions/widget', headers: { 'content-type': 'application/yaml' }, payload: '{}' },
      415,
      'mediaType',
    ],
    [{ method: 'POST', url: '/functions/widget', headers: { 'content-type': '' }, payload: '{}' }, 415, 'mediaType'],
    [
      { method: 'POST', url: '/functions/widget', headers: { 'content-encoding': 'gzip' }, payload: '{}' },
      415,
      'encoding',
    ],
    [{ method: 'POST', url: '/functions/widget', payload: ' '.repeat(65_537) }, 413, 'tooLarge'],
    [{ method: 'GET', url: '/%' }, 400, 'badRequest'],
  ]
  for (const [request, status, code] of cases) {
    const headers = { authorization, 'content-type': 'application/json', ...request.headers }
    const answer = await host.functions.inject({ ...request, headers } as InjectOptions)
    t.equal(answer.statusCode, status, `${request.method} ${request.url} ${JSON.stringify(request.headers ?? {})}`)
    t.equal(answer.json().code, code)
  }
  const refused = await host.functions.inject({ method: 'PUT', url: '/functions/widget', headers: { authorization } })
  t.equal(refused.headers.allow, 'POST')
})

t.test('probes: alive, ready only when the API server can be asked and the host does not end', async t => {
  const host = testHost()
  t.equal((await host.probes.inject('/livez')).statusCode, 200)
  t.strictSame((await host.probes.inject('/readyz')).json(), { ready: true, faults: {} })
  host.cluster.trouble = refusal(503, 'ServiceUnavailable')
  const troubled = await host.functions.inject('/readyz')
  t.equal(troubled.statusCode, 503)
  t.strictSame(troubled.json(), { ready: false, faults: { apiServer: 'ApiError' } })
  host.cluster.trouble = undefined
  t.equal((await host.probes.inject('/readyz')).statusCode, 200)
  host.parts.readiness.ends()
  t.equal((await host.probes.inject('/readyz')).statusCode, 503)
  t.equal((await host.probes.inject('/livez')).statusCode, 200)
})

t.test('the webhooks listener serves webhooks and nothing else', async t => {
  const { webhooks } = testHost()
  for (const url of ['/livez', '/readyz', '/metrics', '/openapi.json', '/functions/widget']) {
    t.equal((await webhooks.inject({ method: 'GET', url })).statusCode, 404, url)
  }
})

t.test('/openapi.json describes every route of both listeners', async t => {
  const host = testHost()
  await Promise.all([host.functions.ready(), host.webhooks.ready()])
  const document = (await host.functions.inject('/openapi.json')).json()
  t.equal(document.openapi, '3.1.0')
  t.strictSame(Object.keys(document.paths).sort(), [
    '/functions/widget',
    '/functions/widget/keys',
    '/functions/widget/plan',
    '/livez',
    '/metrics',
    '/openapi.json',
    '/readyz',
    '/version',
    '/webhooks/widget',
  ])
  const { post } = document.paths['/functions/widget']
  t.strictSame(post.requestBody.content['application/json'].schema.required, ['namespace', 'name'])
  t.strictSame(post.security, [{ token: [] }])
  const { properties } = post.responses['200'].content['application/json'].schema
  t.strictSame(properties.outcome.enum, ['settled', 'waiting', 'stalled', 'failed'])
  t.equal(properties.wrote.type, 'array')
  const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>)
  const ids = operations.flatMap(methods => Object.values(methods).map(({ operationId }) => operationId))
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique')
})

t.test('/version names the version and the functions', async t => {
  matches(t, (await testHost().functions.inject('/version')).json(), {
    version: '0.0.0',
    functions: ['widget', 'widget-admission'],
  })
})

/** Those of this machine that lead to itself, as URLs spell them. */
const loopbacks = Object.values(networkInterfaces())
  .flatMap(addresses => addresses ?? [])
  .filter(({ internal, address }) => internal && ['127.0.0.1', '::1'].includes(address))
  .map(({ address }) => (address === '::1' ? '[::1]' : address))

t.test('FN-10 a host without a listen address is reached at every address of the machine, IPv4 and IPv6', async t => {
  const everywhere = address.read(':0')?.value ?? { host: 'none', port: 0 }
  const host = testHost()
  await host.functions.listen({ ...everywhere })
  t.teardown(() => host.functions.close())
  const relay = await relayThat(t, {}, everywhere)
  const ports = [(host.functions.server.address() as AddressInfo).port, Number(new URL(relay.url).port)]
  t.ok(loopbacks.includes('127.0.0.1'))
  for (const name of loopbacks)
    for (const port of ports) t.equal((await fetch(`http://${name}:${port}/livez`)).status, 200, `${name} ${port}`)
})

/** A relay's own listener, which answers as told. */
const relayThat = async (t: Test, answers: Partial<RelayServerParts>, at = { host: '127.0.0.1', port: 0 }) => {
  const taken: unknown[] = []
  const parts: RelayServerParts = {
    refuses: async header => (header === 'Bearer ours' ? undefined : { status: 401, code: 'x', message: 'x' }),
    accept: async keys => void taken.push(keys),
    faults: () => ({}),
    metrics: { text: async () => '', contentType: 'text/plain', limitReached() {} },
    log: { debug() {}, info() {}, warn() {}, error() {} },
    ...answers,
  }
  const listening = await listen(parts, at)
  t.teardown(listening.close)
  return { url: `http://127.0.0.1:${listening.port}`, taken }
}

/** A host with a route whose caller is told 200 only once the relay has the keys. */
const handingOver = async (t: Test, url: string, token = 'ours') => {
  const relay = relayClient({ url, token: async () => token })
  t.teardown(relay.close)
  const host = testHost()
  host.functions.post('/events', async () => {
    const keys = { function: 'widget', keys: [{ namespace: 'n', name: 'a' }] }
    await relay.handOver(keys, { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' })
    return {}
  })
  return host.functions.inject({ method: 'POST', url: '/events' })
}

t.test('FN-44 keys are handed over: 200 only once the relay has queued them', async t => {
  const relay = await relayThat(t, {})
  t.equal((await handingOver(t, relay.url)).statusCode, 200)
  t.strictSame(relay.taken, [{ function: 'widget', keys: [{ namespace: 'n', name: 'a' }], isPassedOn: false }])
})

t.test('FN-44 a relay that is away, full, or refuses: the host answers its caller 503', async t => {
  const cases: [string, Partial<RelayServerParts>, string, string][] = [
    ['it has no room', { accept: async () => ({ status: 503, code: 'x', message: 'x' }) }, 'ours', 'relayAway'],
    ['too many', { accept: async () => ({ status: 429, code: 'x', message: 'x' }) }, 'ours', 'relayAway'],
    ['unknown function', { accept: async () => ({ status: 404, code: 'x', message: 'x' }) }, 'ours', 'relayRefusal'],
    ['not our token', {}, 'theirs', 'relayRefusal'],
  ]
  for (const [sentence, answers, token, code] of cases) {
    const relay = await relayThat(t, answers)
    const answer = await handingOver(t, relay.url, token)
    t.equal(answer.statusCode, 503, sentence)
    t.equal(answer.json().code, code, sentence)
    t.equal(answer.headers['retry-after'], '1', sentence)
    t.strictSame(relay.taken, [], sentence)
  }
  const answer = await handingOver(t, 'http://127.0.0.1:1')
  t.equal(answer.statusCode, 503)
  t.equal(answer.json().code, 'relayAway')
})

t.test('FN-44 a connection that breaks while the relay restarts: 503, nothing acknowledged', async t => {
  const server = createServer(socket => socket.on('data', () => socket.destroy())).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const answer = await handingOver(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.equal(answer.statusCode, 503)
  t.equal(answer.json().code, 'relayAway')
})

t.test('RE-22 keys that mean something to JavaScript do not reach Object.prototype', async t => {
  const host = testHost()
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    const body = `{"object":{"apiVersion":"v1","kind":"X","metadata":{"name":"x","labels":{"${name}":{"polluted":1}}},"${name}":{"polluted":1,"prototype":{"polluted":1}}},"type":"ADDED"}`
    const answer = await host.functions.inject({
      method: 'POST',
      url: '/functions/widget/keys',
      headers: { authorization, 'content-type': 'application/json' },
      payload: body,
    })
    t.equal(answer.statusCode, 200, name)
    t.strictSame(answer.json(), { keys: [{ namespace: 'n', name: 'x' }] })
  }
  t.equal(({} as { polluted?: number }).polluted, undefined)
  t.equal(Object.getOwnPropertyNames(Object.prototype).includes('polluted'), false)
})

t.test('the log holds no secret and no text of unbounded length', async t => {
  const host = testHost()
  const canary = 'canary-in-a-secret'
  host.parts.log.info(
    {
      headers: { authorization: `Bearer ${canary}`, Cookie: canary },
      object: { kind: 'Secret', metadata: { name: 's' }, data: { a: canary }, stringData: { a: canary } },
      token: canary,
      deep: { kubeconfig: canary, list: [{ kind: 'Secret', data: canary }] },
    },
    'look',
  )
  host.parts.log.error({ err: Object.assign(new Error('x'.repeat(5_000)), { request: { token: canary } }) }, 'long')
  host.parts.log.info({ line: 'one\n{"level":"error"}', wide: Array.from({ length: 500 }, () => 'x') }, 'breaks')
  const text = JSON.stringify(host.lines)
  lacks(t, text, canary)
  t.equal(host.lines.length, 3)
  t.ok(text.length < 20_000)
  matches(t, host.lines[0], { object: { metadata: { name: 's' } } })
})

t.test('certificates are issued with an authority, its key, and a serving certificate with its key', async t => {
  const data = await issueCertificates(
    { renew: ['authority', 'serving'], commonName: 'x', names: ['x.test'], authorityDays: 2, servingDays: 1 },
    undefined,
  )
  t.strictSame(Object.keys(data).sort(), ['ca.crt', 'ca.key', 'tls.crt', 'tls.key'])
  t.equal(keyText({ namespace: '', name: 'x' }), 'x')
})
