// Plans performed: how many steps at once, what each leaves behind as a result, and when an apply is not even sent.
import t from 'tap'
import type { Step, StepResult } from '../../../shared/core/decisions/plan.ts'
import { isApplied } from '../../../shared/core/objects/applied.ts'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { recordEvent, type WrittenEvents, writtenEvents } from '../../../shared/kube/writes/events.ts'
import { type PerformOptions, performSteps } from '../../../shared/kube/writes/perform-steps.ts'
import { lacks, matches, rejects } from '../../harness/matches.ts'
import { configMap, json, type Script, scriptedServer, status } from './scripted-server.ts'

type Test = { teardown(cleanUp: () => unknown): unknown }

/** A server, and the options by which steps are performed on it. */
const world = async (t: Test, script: Script, change: Partial<PerformOptions> = {}) => {
  const server = await scriptedServer(t, script)
  const local = createClient(server.access, { callSeconds: 0.01 })
  t.teardown(local.close)
  const options: PerformOptions = {
    clusters: clusters({ local }),
    fieldManager: 'tests',
    mayContinue: () => true,
    issue: async () => ({ 'tls.crt': 'Y2VydA==' }),
    ...change,
  }
  return { server, local, options }
}

const patchOf = (name: string): Step => ({ do: 'patch', target: configMap(name), merge: { data: { a: 'b' } } })

const stored: Script = (asked, answer) =>
  json(answer, 200, configMap(asked.path.split('/').pop() ?? '', { data: { a: 'b' } }))

t.test('independent steps run at once, but never more than 16', async t => {
  let inFlight = 0
  let most = 0
  const { options, server } = await world(t, async (asked, answer, times) => {
    most = Math.max(most, ++inFlight)
    // The first sixteen are held until all of them are there: with fewer at once this test would not end.
    while (server.asked.length < 16) await new Promise(setImmediate)
    inFlight--
    stored(asked, answer, times)
  })
  const steps = Array.from({ length: 50 }, (_, i) => patchOf(`cm-${i}`))
  const results = await performSteps(steps, options)
  t.equal(most, 16)
  t.strictSame(
    results.map(({ step }) => step),
    steps,
    'results in the order of the steps',
  )
})

t.test('FN-100 what an apply refuses is sent as a POST, but not what nobody had time for', async t => {
  const object = { ...configMap('a', { data: { a: 'b' } }), metadata: { name: 'a', namespace: 'default' } }
  const step: Step = { do: 'create', object, isOfNewKind: true }
  for (const [code, methods] of [
    [200, ['PATCH']],
    [400, ['PATCH', 'POST']],
    [403, ['PATCH', 'POST']],
    [409, ['PATCH', 'POST']],
    [415, ['PATCH', 'POST']],
    [422, ['PATCH', 'POST']],
    [500, ['PATCH', 'POST']],
    [429, ['PATCH']],
    [503, ['PATCH']],
    [504, ['PATCH']],
  ] as const) {
    const { options, server } = await world(t, (asked, answer, times) => {
      if (asked.method !== 'PATCH' || code === 200) return stored(asked, answer, times)
      json(answer, code, status(code, 'Trouble', code === 429 ? { retryAfterSeconds: 70 } : undefined))
    })
    const local = createClient(server.access, { callSeconds: 20 })
    t.teardown(local.close)
    const [result] = await performSteps([step], { ...options, clusters: clusters({ local }) })
    t.strictSame(
      server.asked.map(({ method }) => method),
      methods,
      `${code}`,
    )
    t.equal(result?.changed, code === 200 || methods.length === 2)
    matches(t, server.asked[0]?.body, { metadata: { resourceVersion: '1' } })
  }
})

t.test(
  'steps of a lower order end before those of a higher one begin, even if they failed; a limit on requests is kept',
  async t => {
    const done: string[] = []
    let inFlight = 0
    let most = 0
    const { options, server } = await world(
      t,
      async (asked, answer, times) => {
        most = Math.max(most, ++inFlight)
        // The first two are held until both are there: one at a time would not end.
        do await new Promise(setImmediate)
        while (server.asked.length < 2)
        inFlight--
        const name = asked.path.split('/').pop() ?? ''
        done.push(name.split('-')[0] ?? '')
        if (name === 'b-2') json(answer, 422, status(422, 'Invalid'))
        else stored(asked, answer, times)
      },
      { requestsInFlight: 2 },
    )
    const orders = { c: 7, a: -1, b: undefined }
    const steps = Object.entries(orders).flatMap(([letter, order]) =>
      [1, 2, 3].map(n => ({ ...patchOf(`${letter}-${n}`), ...(order !== undefined && { order }) })),
    )
    const results = await performSteps(steps, options)
    t.strictSame(done, ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c', 'c'])
    t.equal(most, 2)
    t.strictSame(
      results.map(({ step }) => step),
      steps,
      'results in the order of the steps',
    )
    t.equal(results.filter(({ error }) => error).length, 1)
  },
)

t.test('a failed step does not stop the others', async t => {
  const { options } = await world(t, (asked, answer, times) =>
    asked.path.endsWith('/b') ? json(answer, 422, status(422, 'Invalid')) : stored(asked, answer, times),
  )
  const results = await performSteps(['a', 'b', 'c'].map(patchOf), options)
  matches(t, results, [
    { error: undefined, object: { metadata: { name: 'a' } } },
    {
      changed: false,
      error: { message: 'scripted Invalid', isConflict: false, isRetriable: false, ref: { name: 'b' } },
    },
    { error: undefined, object: { metadata: { name: 'c' } } },
  ])
})

t.test('FN-08 when the time is up no step is begun any more, and those not begun have no result', async t => {
  let left = 20
  const { options, server } = await world(t, stored, { mayContinue: () => left-- > 0 })
  const results = await performSteps(
    Array.from({ length: 50 }, (_, i) => patchOf(`cm-${i}`)),
    options,
  )
  t.equal(results.length, 20)
  t.equal(server.asked.length, 20)
  t.ok(results.every(({ error }) => !error))
})

/** As an API server tells of a webhook's refusal, which may have any code and details. */
const denied =
  (code: number, reason: string, details?: object): Script =>
  (asked, answer) =>
    asked.method === 'GET'
      ? json(answer, 404, status(404, 'NotFound', { name: 'a' }))
      : json(answer, code, {
          ...status(code, reason, details),
          message: 'admission webhook "mine" denied the request: no',
        })

const secret = { ...configMap('a'), kind: 'Secret' }

type Refused = { what: string; script: Script; step?: Step; error: Partial<StepResult['error']> }

const ownership = { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "kubectl"', field: '.data.a' }] }

const refusals: Refused[] = [
  {
    what: 'a conflict is to be read again',
    script: (_, answer) => json(answer, 409, status(409, 'Conflict')),
    error: { isConflict: true, isRetriable: false },
  },
  {
    what: 'FN-52 a field of another manager is no conflict that reading again resolves',
    script: (_, answer) => json(answer, 409, status(409, 'Conflict', ownership)),
    error: { isConflict: false, isRetriable: false },
  },
  {
    what: 'KY-279 RE-47 a conflict that a webhook made up is a refusal as any other',
    script: (_, answer) =>
      json(answer, 409, { ...status(409, 'Conflict'), message: 'admission webhook "mine" denied the request: no' }),
    error: { message: 'admission webhook "mine" denied the request: no', isConflict: false, isRetriable: false },
  },
  {
    what: 'RE-64 a webhook that says that the target is not there is a refusal too',
    script: denied(404, 'NotFound', { name: 'a' }),
    error: { message: 'admission webhook "mine" denied the request: no', isConflict: false, isRetriable: false },
  },
  {
    what: 'RE-64 or that its kind is not served',
    script: denied(404, 'NotFound', {}),
    error: { isConflict: false, isRetriable: false },
  },
  {
    what: 'RE-64 what it keeps from being deleted is not gone',
    script: denied(404, 'NotFound', { name: 'a' }),
    step: { do: 'delete', target: configMap('a') },
    error: { isConflict: false, isRetriable: false },
  },
  {
    what: 'RE-64 nor is what it keeps from being let go',
    script: denied(404, 'NotFound', { name: 'a' }),
    step: {
      do: 'removeFinalizer',
      target: configMap('a', { metadata: { ...configMap('a').metadata, finalizers: ['x/y'] } }),
      finalizer: 'x/y',
    },
    error: { isConflict: false, isRetriable: false },
  },
  {
    what: 'RE-64 a conflict that it made up is none where the message about a Secret is left out',
    script: denied(409, 'Conflict'),
    step: { do: 'apply', object: secret, force: true },
    error: { message: /denied the request; its message may quote a Secret/ as never, isConflict: false },
  },
  {
    what: 'a target that is gone has changed since it was read',
    script: (_, answer) => json(answer, 404, status(404, 'NotFound', { name: 'a' })),
    error: { isConflict: true, isRetriable: false },
  },
  {
    what: 'RE-07 a busy API server is to be tried again, when it says',
    script: (_, answer) => json(answer, 429, status(429, 'TooManyRequests'), { 'retry-after': '9' }),
    error: { isRetriable: true, retryAfterSeconds: 9 },
  },
  {
    what: 'a lost connection is to be tried again',
    script: (_, answer) => answer.destroy(),
    error: { isRetriable: true },
  },
  {
    what: 'a kind that is not served is to be tried again: its CRD may come',
    script: (_, answer) => json(answer, 404, status(404, 'NotFound', {})),
    error: { isConflict: false, isRetriable: true },
  },
  {
    what: 'a cluster without access is an error of the step',
    script: stored,
    step: { ...patchOf('a'), on: 'runtimes/one' },
    error: { isConflict: false, isRetriable: false },
  },
]

for (const { what, script, step, error } of refusals)
  t.test(what, async t => {
    const { options } = await world(t, script)
    matches(t, await performSteps([step ?? patchOf('a')], options), [
      { changed: false, error: { ...error, ref: { name: 'a' } } },
    ])
  })

t.test('RE-03 every write to what was read carries its uid and resourceVersion', async t => {
  const target = configMap('a', {
    metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7', finalizers: ['x/y'] },
  })
  const steps: Step[] = [
    { do: 'delete', target, propagation: 'Foreground' },
    { do: 'patch', target, merge: { metadata: { labels: { a: 'b' }, uid: 'other' } } },
    { do: 'addFinalizer', target, finalizer: 'z/z' },
    { do: 'removeFinalizer', target, finalizer: 'x/y' },
  ]
  const { options, server } = await world(t, stored)
  for (const step of steps) await performSteps([step], options)
  matches(
    t,
    server.asked.map(({ body }) => body),
    [
      { preconditions: { uid: 'u', resourceVersion: '7' }, propagationPolicy: 'Foreground' },
      { metadata: { uid: 'u', resourceVersion: '7', labels: { a: 'b' } } },
      { metadata: { uid: 'u', resourceVersion: '7', finalizers: ['x/y', 'z/z'] } },
      { metadata: { uid: 'u', resourceVersion: '7', finalizers: [] } },
    ],
  )
})

t.test('what was not read from a cluster cannot be deleted or patched', async t => {
  const target = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } }
  const { options, server } = await world(t, stored)
  const results = await performSteps(
    [
      { do: 'delete', target },
      { do: 'patch', target, merge: { data: { a: 'b' } } },
      { do: 'addFinalizer', target, finalizer: 'x/y' },
    ],
    options,
  )
  for (const { error } of results) matches(t, error, { message: /was not read/, isRetriable: false })
  t.equal(server.asked.length, 0)
})

t.test('steps whose result is already there write nothing', async t => {
  const target = configMap('a', {
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: 'u',
      resourceVersion: '7',
      finalizers: ['x/y'],
      deletionTimestamp: '2024-01-01T00:00:00Z',
    },
    data: { a: 'b' },
  })
  const { options, server } = await world(t, stored)
  const results = await performSteps(
    [
      { do: 'delete', target },
      { do: 'patch', target, merge: { data: { a: 'b', gone: null } } },
      { do: 'addFinalizer', target, finalizer: 'x/y' },
      { do: 'removeFinalizer', target, finalizer: 'z/z' },
    ],
    options,
  )
  t.strictSame(
    results.map(({ changed, error }) => [changed, error]),
    Array(4).fill([false, undefined]),
  )
  t.equal(server.asked.length, 0)
})

const manager = 'tests'

/** A live object with what a manager owns of it, as FieldsV1. */
const live = (content: object, owned: object, change: object = {}, others: object[] = []): KubeObject =>
  configMap('a', {
    metadata: {
      ...configMap('a').metadata,
      labels: { ours: 'x', theirs: 'y' },
      managedFields: [
        { manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: owned, ...change },
        ...others,
      ],
    },
    ...content,
  })

const wanted = (content: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'default' },
  ...content,
})

const ports = [
  { name: 'http', port: 80, protocol: 'TCP' },
  { name: 'dns', port: 53, protocol: 'UDP' },
]
const portKeys = {
  'k:{"port":53,"protocol":"UDP"}': { '.': {}, 'f:name': {}, 'f:port': {}, 'f:protocol': {} },
  'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:name': {}, 'f:port': {} },
}
const wantedPorts = [
  { name: 'http', port: 80 },
  { name: 'dns', port: 53, protocol: 'UDP' },
]

const comparisons: { what: string; live: KubeObject; wanted: KubeObject; same: boolean }[] = [
  {
    what: 'the same',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({ data: { a: '1' } }),
    same: true,
  },
  {
    what: 'fields of others beside ours',
    live: live({ data: { a: '1', b: '2' } }, { 'f:data': { '.': {}, 'f:a': {} } }),
    wanted: wanted({ data: { a: '1' } }),
    same: true,
  },
  {
    what: 'a label of ours',
    live: live({}, { 'f:metadata': { 'f:labels': { 'f:ours': {} } } }),
    wanted: { ...wanted({}), metadata: { ...wanted({}).metadata, labels: { ours: 'x' } } },
    same: true,
  },
  {
    what: 'an undefined field is none',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({ data: { a: '1', b: undefined }, immutable: undefined }),
    same: true,
  },
  {
    what: 'another value',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({ data: { a: '2' } }),
    same: false,
  },
  {
    what: 'a field that we drop',
    live: live({ data: { a: '1', b: '2' } }, { 'f:data': { 'f:a': {}, 'f:b': {} } }),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'a map that we drop',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({}),
    same: false,
  },
  {
    what: 'a field that is new',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({ data: { a: '1', b: '2' } }),
    same: false,
  },
  {
    what: 'a field that another took over, with the value we want',
    live: live({ data: { a: '1' } }, {}),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'a map that we applied empty and others filled with what we want now',
    live: live({ data: { a: '1' } }, { 'f:data': {} }, {}, [
      { manager: 'other', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'fields that another manager owns',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }, { manager: 'other' }),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'fields that we updated, not applied',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }, { operation: 'Update' }),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'fields that we applied to the status',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }, { subresource: 'status' }),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'fields that we applied in another version',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }, { apiVersion: 'v1beta1' }),
    wanted: wanted({ data: { a: '1' } }),
    same: false,
  },
  {
    what: 'list elements by their keys, one part defaulted',
    live: live({ ports }, { 'f:ports': portKeys }),
    wanted: wanted({ ports: wantedPorts }),
    same: true,
  },
  {
    what: 'an element of others between ours',
    live: live({ ports: [ports[0], { port: 1 }, ports[1]] }, { 'f:ports': portKeys }),
    wanted: wanted({ ports: wantedPorts }),
    same: true,
  },
  {
    what: 'list elements in another order',
    live: live({ ports }, { 'f:ports': portKeys }),
    wanted: wanted({ ports: wantedPorts.toReversed() }),
    same: false,
  },
  {
    what: 'a list element that we drop',
    live: live({ ports }, { 'f:ports': portKeys }),
    wanted: wanted({ ports: wantedPorts.slice(1) }),
    same: false,
  },
  {
    what: 'a list element that changed',
    live: live({ ports: [{ ...ports[0], name: 'web' }, ports[1]] }, { 'f:ports': portKeys }),
    wanted: wanted({ ports: wantedPorts }),
    same: false,
  },
  {
    what: 'elements of a set',
    live: live({ set: ['theirs', 'a', 'b'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }),
    wanted: wanted({ set: ['a', 'b'] }),
    same: true,
  },
  {
    what: 'a set without one of ours',
    live: live({ set: ['a'] }, { 'f:set': { 'v:"a"': {}, 'v:"b"': {} } }),
    wanted: wanted({ set: ['a', 'b'] }),
    same: false,
  },
  {
    what: 'an element with a name that nobody can read',
    live: live({ set: ['a'] }, { 'f:set': { 'k:{': {} } }),
    wanted: wanted({ set: ['a'] }),
    same: false,
  },
  {
    what: 'an atomic list',
    live: live({ args: ['a', 'b'] }, { 'f:args': {} }),
    wanted: wanted({ args: ['a', 'b'] }),
    same: true,
  },
  {
    what: 'an atomic list that differs',
    live: live({ args: ['a', 'b', 'c'] }, { 'f:args': {} }),
    wanted: wanted({ args: ['a', 'b'] }),
    same: false,
  },
  {
    what: 'an atomic map that holds more',
    live: live({ ref: { a: 1, b: 2 } }, { 'f:ref': {} }),
    wanted: wanted({ ref: { a: 1 } }),
    same: false,
  },
  {
    what: 'an empty map in which others write',
    live: live({ data: { a: '1' } }, { 'f:data': {} }),
    wanted: wanted({ data: {} }),
    same: true,
  },
  {
    what: 'a number for a text',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: wanted({ data: { a: 1 } }),
    same: false,
  },
  {
    what: 'the resourceVersion that is there as a condition',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: { ...wanted({ data: { a: '1' } }), metadata: { name: 'a', resourceVersion: '7' } },
    same: true,
  },
  {
    what: 'another resourceVersion as a condition',
    live: live({ data: { a: '1' } }, { 'f:data': { 'f:a': {} } }),
    wanted: { ...wanted({ data: { a: '1' } }), metadata: { name: 'a', resourceVersion: '6' } },
    same: false,
  },
]

t.test('FN-51 an apply writes nothing when all its fields are there and ours, and no other field is ours', async t => {
  for (const { what, live, wanted, same } of comparisons) t.equal(isApplied(wanted, live, manager), same, what)
})

t.test('KY-191 an event with an occasion is recorded once for it, and not counted', async t => {
  const stored = new Set<string>()
  const { local, server } = await world(t, (asked, answer) => {
    const { name } = (asked.body as { metadata: { name: string } }).metadata
    if (stored.has(name)) return json(answer, 409, status(409, 'AlreadyExists'))
    stored.add(name)
    json(answer, 201, asked.body)
  })
  const note = {
    type: 'Warning',
    reason: 'KymaError',
    message: 'the layer is away',
    regarding: configMap('a'),
  } as const
  for (const occasion of ['10:00 0', '10:00 0', '10:00 1'])
    await recordEvent(local, { ...note, occasion }, { component: 'c', now: new Date(0), written: writtenEvents() })
  t.equal(stored.size, 2)
  t.strictSame(
    server.asked.map(({ method }) => method),
    ['POST', 'POST', 'POST'],
  )
})

t.test('FN-208 a repeated Event is one request, unless it expired or another process counted it', async t => {
  const stored = new Map<string, { resourceVersion: string; count: number }>()
  let forbids = ''
  const { local, server } = await world(t, ({ method, body, path }, answer) => {
    if (method === forbids) return json(answer, 403, status(403, 'Forbidden'))
    const name = method === 'POST' ? (body as KubeObject).metadata.name : (path.split(/[/?]/).at(6) ?? '')
    const before = stored.get(name)
    if (method === 'POST' && before) return json(answer, 409, status(409, 'AlreadyExists'))
    if (method !== 'POST' && !before) return json(answer, 404, status(404, 'NotFound', { name, kind: 'events' }))
    const { count = 0, metadata } = (body ?? {}) as { count?: number; metadata?: { resourceVersion?: string } }
    if (method === 'PATCH' && metadata?.resourceVersion !== before?.resourceVersion)
      return json(answer, 409, status(409, 'Conflict'))
    const after = method === 'GET' && before ? before : { resourceVersion: `${server.asked.length}`, count }
    stored.set(name, after)
    const { resourceVersion } = after
    json(answer, 200, { apiVersion: 'v1', kind: 'Event', metadata: { name, resourceVersion }, count: after.count })
  })
  const [first, second] = [writtenEvents(), writtenEvents()]
  const note = { type: 'Normal', reason: 'Wet', message: 'rain', regarding: configMap('a') } as const
  const by = { component: 'c', now: new Date(0) }
  const methodsOf = async (recording: Promise<void>) => {
    const before = server.asked.length
    await recording
    return server.asked.slice(before).map(({ method }) => method)
  }
  const requestsOf = (written: WrittenEvents, occasion?: string) =>
    methodsOf(recordEvent(local, { ...note, ...(occasion && { occasion }) }, { ...by, written }))
  const counts = () => [...stored.values()].map(({ count }) => count)
  t.strictSame(await requestsOf(first), ['POST'])
  t.strictSame(await requestsOf(first), ['PATCH'])
  t.strictSame(await requestsOf(first), ['PATCH'])
  t.strictSame(await requestsOf(second), ['POST', 'GET', 'PATCH'], 'another process wrote it')
  t.strictSame(await requestsOf(first), ['PATCH', 'GET', 'PATCH'], 'another process counted it')
  t.strictSame(await requestsOf(first), ['PATCH'])
  t.strictSame(counts(), [6])
  stored.clear()
  t.strictSame(await requestsOf(first), ['PATCH', 'POST'], 'it expired')
  t.strictSame(counts(), [1])
  forbids = 'PATCH'
  await rejects(t, requestsOf(first), { code: 403 })
  forbids = ''
  t.strictSame(await requestsOf(first), ['POST', 'GET', 'PATCH'], 'after a failure the process knows nothing')
  const elsewhere = recordEvent({ ...local, reachedBy: 'another kubeconfig' }, note, { ...by, written: first })
  t.strictSame(await methodsOf(elsewhere), ['POST', 'GET', 'PATCH'], 'the process wrote no Event in another cluster')
  t.strictSame(await requestsOf(first, '10:00'), ['POST'])
  t.strictSame(await requestsOf(first, '10:00'), ['POST'], 'once for its occasion, and again after it expired')
  t.strictSame(counts(), [3, 1])
})

t.test('events: long messages are cut between characters, long names within their limit', async t => {
  const { local, server } = await world(t, (asked, answer) => json(answer, 201, asked.body))
  const regarding = { ...configMap('n'.repeat(253)), metadata: { name: 'n'.repeat(253), uid: 'u' } }
  for (const start of ['a', 'ab']) {
    const note = { type: 'Warning', reason: 'Long', message: start + '🐎'.repeat(300), regarding } as const
    await recordEvent(local, note, { component: 'c', now: new Date(0), written: writtenEvents() })
  }
  for (const { body, path } of server.asked) {
    const { message, metadata, involvedObject } = body as {
      message: string
      metadata: { name: string }
      involvedObject: object
    }
    t.ok(Buffer.byteLength(message) <= 1024 && Buffer.byteLength(message) > 1020)
    lacks(t, message, /\ufffd/)
    t.ok(metadata.name.length <= 253)
    t.equal(path, '/api/v1/namespaces/default/events', 'events of cluster-scoped objects live in default')
    matches(t, involvedObject, { kind: 'ConfigMap', uid: 'u' })
  }
  t.not(...(server.asked.map(({ body }) => (body as KubeObject).metadata.name) as [string, string]))
})

t.test('GA-92 a Secret that is there already is used, and no second key is made of it', async t => {
  const metadata = { name: 'ca-1', namespace: 'garden' }
  const object: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata }
  const step: Step = { do: 'createSecret', object, recipe: { make: 'given', texts: {} } }
  let made = 0
  const makeData = async () => {
    made++
    return {}
  }
  const present = await world(t, (_, answer) => json(answer, 200, object), { makeData })
  t.strictSame([(await performSteps([step], present.options))[0]?.error, made], [undefined, 0])
  const missing = status(404, 'NotFound', { name: 'ca-1', kind: 'secrets' })
  const parallel: Script = ({ method }, answer) =>
    method === 'GET' ? json(answer, 404, missing) : json(answer, 409, status(409, 'AlreadyExists'))
  const late = await world(t, parallel, { makeData })
  const [result] = await performSteps([step], late.options)
  t.strictSame([result?.error, result?.changed, made], [undefined, true, 1])
  t.equal(late.server.asked.filter(({ method }) => method !== 'GET').length, 1)
})
