// The loop, with a function of its own kind, against an embedded API server.
import t from 'tap'
import type { Measurement } from '../../../shared/core/decisions/measurement.ts'
import type { Outcome } from '../../../shared/core/decisions/outcome.ts'
import { type Next, type Plan, type Report, type Step, settled } from '../../../shared/core/decisions/plan.ts'
import { isMap, type JsonMap } from '../../../shared/core/json/json.ts'
import { type Key, type KubeObject, refOf, versionText } from '../../../shared/core/objects/object.ts'
import { espalierAnnotations } from '../../../shared/core/objects/steering.ts'
import type { SettingValues } from '../../../shared/core/settings/setting.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client, ReadClusters, RequestNote } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { readOnlyClusters } from '../../../shared/kube/clusters/read-only.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import { type CallContext, processContext } from '../../../shared/runtime/context.ts'
import type { ReconcileFunction } from '../../../shared/runtime/definition.ts'
import { reconcile } from '../../../shared/runtime/reconcile.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { lasting } from '../../harness/component/orchards.ts'
import { contains, matches, rejects } from '../../harness/matches.ts'

const cluster = await anyCluster(t)
const verdict = parseKubeconfig(cluster.kubeconfig, { allowedHosts: ['127.0.0.1'] })
if ('refused' in verdict) throw new Error(verdict.refused.sentence)
const requests: RequestNote[] = []
const client = createClient(verdict.access, { onRequest: note => requests.push(note) })
t.teardown(client.close)

const { namespace } = cluster
/** A built-in kind with a status that no controller of the embedded cluster writes. */
const kind = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' }
const writer = { fieldManager: 'test' }
let count = 0

const existing = async (): Promise<Key> => {
  const name = `budget-${++count}`
  await client.create({ ...kind, metadata: { name, namespace }, spec: { maxUnavailable: 1 } }, writer)
  return { namespace, name }
}

const configMap = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data,
})

const call = (change: Partial<CallContext> = {}): CallContext => ({
  ...processContext({ clusters: clusters({ local: client }) }),
  ...lasting(120),
  now: () => new Date('2026-01-01T00:00:00Z'),
  log: { debug() {}, info() {}, warn() {}, error() {} },
  ...change,
})

const nothing: Plan = { steps: [], status: {}, events: [], next: settled }

const budgets = (decide: (world: KubeObject, now: Date) => Partial<Plan>, more: Partial<ReconcileFunction> = {}) => ({
  does: 'reconcile' as const,
  name: 'budgets',
  kind,
  gather: async (object: KubeObject) => object,
  decide: (world: unknown, now: Date): Plan => ({ ...nothing, ...decide(world as KubeObject, now) }),
  ...more,
})

const statusOf = async (key: Key) =>
  (await client.get({ ...kind, ...key }))?.status as Record<string, unknown> | undefined

/** Without the own writes. */
const withoutWrites = ({ wrote: _, ...outcome }: Outcome): Outcome => outcome

const writesDuring = async (act: () => Promise<Outcome>): Promise<[Outcome, string[]]> => {
  const before = requests.length
  const outcome = await act()
  return [outcome, requests.slice(before).flatMap(({ method, verb }) => (method === 'GET' ? [] : [verb]))]
}

t.test('an object that is gone needs nothing', async t => {
  const outcome = await reconcile(
    budgets(() => t.fail('nothing is to be decided') as never),
    { namespace, name: 'x' },
    call(),
  )
  t.strictSame(outcome, { outcome: 'settled' })
})

t.test('steps are performed, the status is written once, and a further pass finds nothing to do', async t => {
  const key = await existing()
  let passes = 0
  const definition = budgets(() => {
    passes++
    return { steps: [{ do: 'apply', object: configMap(key.name, { a: '1' }) }], status: { currentHealthy: 3 } }
  })
  const [outcome, writes] = await writesDuring(() => reconcile(definition, key, call()))
  t.strictSame(withoutWrites(outcome), { outcome: 'settled' })
  t.strictSame(writes, ['apply', 'replace status'])
  t.equal(passes, 2)
  t.equal((await statusOf(key))?.currentHealthy, 3)
  const [again, none] = await writesDuring(() => reconcile(definition, key, call()))
  t.strictSame([again, none], [{ outcome: 'settled' }, []])
})

t.test('steps that follow the status are performed after it was saved, and their results are reported', async t => {
  const key = await existing()
  const copy = await client.get({ ...kind, ...(await existing()) })
  const lost = configMap('lost', {})
  const begin = requests.length
  const definition = budgets(() => ({}), {
    report: () => ({
      status: { currentHealthy: 4 },
      afterwards: {
        steps: [
          { do: 'patch', target: copy as KubeObject, merge: { status: { currentHealthy: 4 } }, subresource: 'status' },
          { do: 'apply', object: { ...lost, metadata: { ...lost.metadata, namespace: 'nowhere' } } },
        ],
        report: results => {
          const message = results.map(({ error }) => (error ? 'no' : 'yes')).join()
          return {
            events: [{ type: 'Warning', reason: 'Copied', message }],
            measured: [{ metric: 'copies', set: results.length }],
          }
        },
      },
    }),
  })
  const measured: Measurement[] = []
  const outcome = await reconcile(definition, key, call({ measure: some => void measured.push(...some) }))
  matches(t, outcome, { outcome: 'failed', reason: /nowhere/ })
  t.strictSame(measured, [{ metric: 'copies', set: 2 }])
  const writes = requests.slice(begin).filter(({ method }) => method !== 'GET')
  t.equal(writes[0]?.verb, 'replace status', 'the own status comes first')
  t.equal((await statusOf({ namespace, name: copy?.metadata.name ?? '' }))?.currentHealthy, 4)
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace })
  t.strictSame(
    events.flatMap(({ reason, message }) => (reason === 'Copied' ? [message] : [])),
    ['yes,no'],
  )
})

t.test('what a report measures counts also where the status cannot be saved', async t => {
  const key = await existing()
  const measured: Measurement[] = []
  const definition = budgets(() => ({}), {
    report: () => ({ status: { currentHealthy: 'many' }, measured: [{ metric: 'tries', add: 1 }] }),
  })
  const failing = reconcile(definition, key, call({ measure: some => void measured.push(...some) }))
  await rejects(t, failing, { code: 400 })
  t.strictSame(measured, [{ metric: 'tries', add: 1 }])
})

t.test('a status is written also after our own step changed the object itself', async t => {
  const key = await existing()
  const finalizer = 'example.com/kept'
  const definition = budgets(target => ({
    steps: [{ do: 'addFinalizer', target, finalizer }],
    status: { currentHealthy: 1 },
  }))
  t.strictSame(withoutWrites(await reconcile(definition, key, call())), { outcome: 'settled' })
  t.equal((await statusOf(key))?.currentHealthy, 1)
  let releases = 0
  const release = budgets(target => {
    releases++
    return { steps: [{ do: 'removeFinalizer', target, finalizer }], status: { currentHealthy: 2 } }
  })
  await client.delete({ ...kind, ...key }, {})
  t.strictSame(await reconcile(release, key, call()), { outcome: 'settled' }, 'the object is gone before its status')
  t.equal(await client.get({ ...kind, ...key }), undefined)
  t.equal(releases, 1, 'what went with our write needs no further pass')
})

t.test('RE-09 what somebody else says in the status stays, also if our own step came in between', async t => {
  const key = await existing()
  const condition = (type: string) => ({
    type,
    status: 'True',
    reason: 'Said',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  })
  const gather = async (object: KubeObject) => {
    const body = { status: { conditions: [condition('Theirs')] } }
    await client.patch({ ...kind, ...key }, { type: 'merge', body }, { ...writer, subresource: 'status' })
    return object
  }
  const definition = budgets(
    target => ({
      steps: [{ do: 'addFinalizer', target, finalizer: 'example.com/kept' }],
      status: { conditions: [condition('Ours')] },
    }),
    { gather },
  )
  matches(t, await reconcile(definition, key, call()), { outcome: 'waiting', requeueAfterSeconds: 0 })
  t.strictSame((await statusOf(key))?.conditions, [condition('Theirs')])
})

t.test('a call ends when its Events are recorded', async t => {
  const key = await existing()
  const happened: string[] = []
  const gate = Promise.withResolvers<void>()
  const recording = Promise.withResolvers<void>()
  const of = async (): Promise<Client> => {
    recording.resolve()
    await gate.promise
    happened.push('recorded')
    return client
  }
  const passScope = () => ({ clusters: { of } })
  const definition = budgets(() => ({ events: [{ type: 'Normal', reason: 'Wet', message: 'rain' }] }), { passScope })
  const ended = reconcile(definition, key, call()).then(() => happened.push('ended'))
  await recording.promise
  // Whatever the call does besides has its turn before the Event is recorded.
  await client.get({ ...kind, ...key })
  await client.get({ ...kind, ...key })
  gate.resolve()
  await ended
  t.strictSame(happened, ['recorded', 'ended'])
})

t.test('RE-29 the log of a pass says that a step failed, and not what the API server said', async t => {
  const key = await existing()
  const lines: string[] = []
  const debug = (facts: object) => void lines.push(JSON.stringify(facts))
  const bad = { ...configMap(key.name, {}), data: { a: ['c4n4ry'] } } as unknown as KubeObject
  const definition = budgets(() => ({ steps: [{ do: 'apply', object: bad }] }))
  const { reason } = await reconcile(definition, key, call({ log: { debug, info() {}, warn() {}, error() {} } }))
  t.ok(reason)
  t.equal(lines.length, 1)
  contains(t, lines.join(), `"apply ConfigMap ${namespace}/${key.name}: failed"`)
})

t.test('FN-30 a call reports the writes that a later pass of it has seen', async t => {
  const { key, made, wroteBy } = await writing()
  const versions = async () => [await client.get(refOf(made)), await client.get({ ...kind, ...key })].map(versionOf)
  const settling = { status: { currentHealthy: 1 } }
  t.strictSame(await wroteBy('a', { plan: settling }), await versions(), 'another pass saw both')
  t.strictSame(await wroteBy('a', { plan: settling }), undefined, 'nothing was to be written')
  const plan = { next: { is: 'waiting', seconds: 5, for: 'rain' }, status: { currentHealthy: 2 } } as const
  t.strictSame(await wroteBy('b', { plan }), undefined, 'nobody looked at the answers')
})

t.test('FN-30 a write that may be news to the next call is not reported', async t => {
  const { key, wroteBy } = await writing()
  const nexts: Next[] = [
    { is: 'stalled', reason: 'two of them' },
    { is: 'failed', seconds: 1, reason: 'no water' },
  ]
  for (const next of nexts) t.strictSame(await wroteBy(next.is, { report: { status: {}, next } }), undefined, next.is)
  const passScope = () => ({ reusesReads: true })
  t.strictSame(await wroteBy('read', { passScope }), undefined, 'something else was read before')
  const finalizer = 'example.com/kept'
  const held = configMap(`${key.name}-held`, {})
  await client.create({ ...held, metadata: { ...held.metadata, finalizers: [finalizer] } }, writer)
  await client.delete(refOf(held), {})
  const target = await client.get(refOf(held))
  if (!target) throw new Error('it is gone too early')
  const steps: Step[] = [{ do: 'removeFinalizer', target, finalizer }]
  const release = budgets(() => ({ steps: steps.splice(0) }))
  t.strictSame(await reconcile(release, key, call()), { outcome: 'settled' }, 'it went with our write: its end is news')
})

type Writing = { plan?: Partial<Plan>; report?: Report; passScope?: ReconcileFunction['passScope'] }

/** Calls that make a ConfigMap hold a text, and what they say they wrote. */
const writing = async () => {
  const key = await existing()
  const made = configMap(`${key.name}-made`, {})
  const wroteBy = async (text: string, { plan, report, passScope }: Writing) => {
    const more = { ...(report && { report: () => report }), ...(passScope && { passScope }) }
    const object = { ...made, data: { text } }
    const definition = budgets(() => ({ steps: [{ do: 'apply', object }], ...plan }), more)
    return (await reconcile(definition, key, call())).wrote
  }
  return { key, made, wroteBy }
}

const versionOf = (object: KubeObject | undefined) => object && versionText(object)

t.test('the outcome of a call is what its plan says comes next', async t => {
  const key = await existing()
  const cases: [next: Plan['next'], outcome: Outcome][] = [
    [
      { is: 'settled', againSeconds: 60 },
      { outcome: 'settled', requeueAfterSeconds: 60 },
    ],
    [
      { is: 'waiting', seconds: 5, for: 'an address' },
      { outcome: 'waiting', requeueAfterSeconds: 5, reason: 'an address' },
    ],
    [
      { is: 'stalled', reason: 'two of them' },
      { outcome: 'stalled', reason: 'two of them' },
    ],
  ]
  for (const [next, outcome] of cases)
    t.strictSame(
      await reconcile(
        budgets(() => ({ next })),
        key,
        call(),
      ),
      outcome,
    )
})

t.test(
  '`again` goes on in the same call without another read; the answer to our own write is the next read',
  async t => {
    const key = await existing()
    const seen: unknown[] = []
    const definition = budgets(world => {
      const { currentHealthy = 0 } = (world.status ?? {}) as { currentHealthy?: number }
      seen.push(currentHealthy)
      if (seen.length === 4) return { next: { is: 'waiting', seconds: 5, for: 'rain' } }
      return { status: { currentHealthy: Math.min(currentHealthy + 1, 2) }, next: { is: 'again' } }
    })
    const before = requests.length
    matches(t, await reconcile(definition, key, call()), { outcome: 'waiting', requeueAfterSeconds: 5 })
    t.strictSame(seen, [0, 1, 2, 2])
    t.equal(requests.slice(before).filter(({ method }) => method === 'GET').length, 1)
    let passes = 0
    const spent = budgets(() => {
      passes++
      return { next: { is: 'again' } }
    })
    matches(t, await reconcile(spent, key, call({ lastPassAt: performance.now() })), {
      outcome: 'waiting',
      requeueAfterSeconds: 0,
    })
    t.equal(passes, 1, 'a call whose time is spent makes no further pass')
  },
)

t.test(
  'FN-209 an object in deletion that we write is read once in a call, and not after our write removed its last finalizer',
  async t => {
    const key = await existing()
    const finalizer = 'example.com/kept'
    const ref = { ...kind, ...key }
    await client.patch(ref, { type: 'merge', body: { metadata: { finalizers: [finalizer] } } }, writer)
    await client.delete(ref, {})
    const passes: string[] = []
    const definition = budgets(target => {
      const { currentHealthy = 0 } = (target.status ?? {}) as { currentHealthy?: number }
      passes.push(`${currentHealthy} ${target.metadata.finalizers}`)
      if (currentHealthy < 2) return { status: { currentHealthy: currentHealthy + 1 }, next: { is: 'again' } }
      return { steps: [{ do: 'removeFinalizer', target, finalizer }] }
    })
    const before = requests.length
    t.strictSame(await reconcile(definition, key, call()), { outcome: 'settled' })
    t.strictSame(passes, ['0 example.com/kept', '1 example.com/kept', '2 example.com/kept'])
    t.equal(requests.slice(before).filter(({ method }) => method === 'GET').length, 1)
    t.equal(await client.get(ref), undefined)
  },
)

t.test('FN-209 an object in deletion that we did not write is read again, and may be gone', async t => {
  const key = await existing()
  const finalizers = (names: string[]) =>
    client.patch({ ...kind, ...key }, { type: 'merge', body: { metadata: { finalizers: names } } }, writer)
  await finalizers(['example.com/kept'])
  await client.delete({ ...kind, ...key }, {})
  let passes = 0
  const others = async (object: KubeObject) => {
    if (++passes === 2) await finalizers([])
    return object
  }
  const definition = budgets(() => ({ next: { is: 'again' } }), { gather: others })
  t.strictSame(await reconcile(definition, key, call()), { outcome: 'settled' })
  t.equal(passes, 2)
})

t.test('FN-209 a Pod in its grace period has no finalizers, and is not gone', async t => {
  const pod = { apiVersion: 'v1', kind: 'Pod' }
  const key = { namespace, name: 'leaving' }
  const spec = { nodeName: 'nowhere', containers: [{ name: 'app', image: 'example.com/app' }] }
  await client.create({ ...pod, metadata: key, spec }, writer)
  await client.delete({ ...pod, ...key }, {})
  const seen: unknown[] = []
  const definition = budgets(
    target => {
      seen.push(target.metadata.annotations)
      const steps: Step[] = [{ do: 'patch', target, merge: { metadata: { annotations: { seen: 'yes' } } } }]
      return seen.length === 1 ? { steps, next: { is: 'again' } } : {}
    },
    { kind: pod },
  )
  matches(t, await reconcile(definition, key, call()), { outcome: 'settled' })
  t.strictSame(seen, [undefined, { seen: 'yes' }])
})

t.test('what the report says of next and events counts more than the plan', async t => {
  const key = await existing()
  const definition = budgets(
    () => ({ steps: [{ do: 'apply', object: configMap(`${key.name}-bad`, { a: 1 } as never) }] }),
    {
      report: () => ({
        status: {},
        next: { is: 'failed', seconds: 9, reason: 'no water' },
        events: [{ type: 'Warning', reason: 'Dry', message: 'no water' }],
      }),
    },
  )
  t.strictSame(await reconcile(definition, key, call()), {
    outcome: 'failed',
    requeueAfterSeconds: 9,
    reason: 'no water',
  })
  const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace })
  t.ok(events.some(({ reason, involvedObject }) => reason === 'Dry' && (involvedObject as Key).name === key.name))
})

t.test('RE-65 an Event that each pass of a call reports is recorded once', async t => {
  const key = await existing()
  const dry = { type: 'Warning', reason: 'Dry', message: 'RE-65' } as const
  let passes = 0
  const definition = budgets(() => ({
    steps: passes++ === 0 ? [{ do: 'apply', object: configMap(`${key.name}-once`, { a: '1' }) }] : [],
    events: [dry, { ...dry, reason: passes === 1 ? 'First' : 'Second' }],
  }))
  const counts = async () => {
    const events = await client.list({ apiVersion: 'v1', kind: 'Event', namespace })
    return events
      .flatMap(({ message, reason, count }) => (message === dry.message ? [`${reason} ${count}`] : []))
      .sort()
  }
  await reconcile(definition, key, call())
  t.equal(passes, 2)
  t.strictSame(await counts(), ['Dry 1', 'First 1', 'Second 1'])
  await reconcile(definition, key, call())
  t.strictSame(await counts(), ['Dry 2', 'First 1', 'Second 2'], 'another call')
})

t.test('RE-66 gather, decide and report of a pass have the same time, the next pass a later one', async t => {
  const key = await existing()
  const [times, start] = [[] as number[], Date.now()]
  let passes = 0
  const note = (time: Date) => times.push(time.getTime() - start)
  const definition: ReconcileFunction = {
    ...budgets(() => ({})),
    begin: ({ now }) => ({ now }),
    gather: async (_object, _context, shared) => note((shared as { now(): Date }).now()),
    decide: (_world, now) => {
      note(now)
      return { ...nothing, next: passes++ === 0 ? { is: 'again' } : settled }
    },
    report: (_world, plan, _results, now) => {
      note(now)
      return { status: plan.status }
    },
  }
  let asked = 0
  await reconcile(definition, key, call({ now: () => new Date(start + asked++ * 1_000) }))
  t.strictSame(times, [1_000, 1_000, 1_000, 2_000, 2_000, 2_000])
})

t.test('KY-182 a pass that had nothing to do and waits for nothing has come to rest; no other has', async t => {
  const key = await existing()
  let rests = 0
  const restsAfter = async (plan: Partial<Plan>): Promise<number> => {
    rests = 0
    await reconcile(
      budgets(() => plan, { passScope: () => ({ markInOrder: () => void rests++ }) }),
      key,
      call(),
    )
    return rests
  }
  t.equal(await restsAfter({}), 1)
  t.equal(await restsAfter({ status: { currentHealthy: 1 } }), 0, 'a status was saved')
  t.equal(await restsAfter({ status: { currentHealthy: 1 } }), 1, 'it was so already')
  const object = configMap(`${key.name}-rest`, {})
  t.equal(await restsAfter({ steps: [{ do: 'apply', object }] }), 1, 'the second pass; the first one wrote')
  t.equal(await restsAfter({ steps: [{ do: 'create', object }] }), 0, 'a step failed')
  t.equal(await restsAfter({ next: { is: 'waiting', seconds: 1, for: 'x' } }), 0)
  t.equal(await restsAfter({ next: { is: 'stalled', reason: 'x' } }), 0)
})

t.test('the passes of a call share what it began with, which may lead their steps to other clusters', async t => {
  const key = await existing()
  let begun = 0
  const led: string[] = []
  const definition: ReconcileFunction<KubeObject, SettingValues, { passes: number; clusters: ReadClusters }> = {
    ...budgets(() => ({})),
    begin: ({ clusters }) => {
      begun++
      const of = (name: string) => {
        led.push(name)
        return clusters.of('local')
      }
      return { passes: 0, clusters: { of } }
    },
    gather: async (object, _context, shared) => {
      shared.passes++
      return { ...object, pass: shared.passes }
    },
    passScope: (_world, { clusters }) => ({ clusters }),
    decide: ({ pass }) => ({
      ...nothing,
      steps: [{ do: 'apply', object: configMap(`${key.name}-far`, { pass: String(pass) }), on: 'elsewhere' }],
      next: pass === 3 ? settled : { is: 'again' },
      ...(pass === 3 && { steps: [] }),
    }),
  }
  t.strictSame(withoutWrites(await reconcile(definition as ReconcileFunction, key, call())), { outcome: 'settled' })
  t.equal(begun, 1)
  t.strictSame([...new Set(led)], ['elsewhere'])
  matches(t, await client.get({ ...configMap('', {}), namespace, name: `${key.name}-far` }), { data: { pass: '2' } })
})

t.test('a step in another cluster answers an object of the same uid: the status is saved all the same', async t => {
  const key = await existing()
  const of = async () =>
    altered(client, () => ({
      apply: async object => ({ ...object, metadata: { ...object.metadata, uid, resourceVersion: '1' } }),
    }))
  const { uid } = (await client.get({ ...kind, ...key }))?.metadata ?? {}
  const step: Step = { do: 'apply', object: configMap(`${key.name}-far`, {}), on: 'elsewhere' }
  const definition = {
    ...budgets(({ status }) => ({
      steps: isMap(status) && status.currentHealthy === 1 ? [] : [step],
      status: { currentHealthy: 1 },
    })),
    passScope: () => ({ clusters: readOnlyClusters({ of }) }),
  }
  t.strictSame(withoutWrites(await reconcile(definition, key, call())), { outcome: 'settled' })
  t.equal((await statusOf(key))?.currentHealthy, 1)
})

t.test(
  'one step failing does not stop the others; the status is written and the outcome names the failure',
  async t => {
    const key = await existing()
    const bad = { ...configMap(key.name, {}), data: { a: 1 } }
    const definition = budgets(
      () => ({
        steps: [
          { do: 'apply', object: bad },
          { do: 'apply', object: configMap(`${key.name}-b`, {}) },
        ],
      }),
      {
        report: (_, __, results) => ({
          status: { disruptionsAllowed: results.filter(({ error }) => error).length },
        }),
      },
    )
    const outcome = await reconcile(definition, key, call())
    matches(t, outcome, { outcome: 'failed', reason: /ConfigMap/ })
    t.ok(await client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: `${key.name}-b` }))
    t.equal((await statusOf(key))?.disruptionsAllowed, 1)
  },
)

/** Somebody else patches the object after it was read and before it is written. */
const overtakenBy = (key: Key, body: object, subresource?: string) =>
  budgets(() => ({ status: { currentHealthy: 9 } }), {
    gather: async object => {
      await client.patch({ ...kind, ...key }, { type: 'merge', body }, { ...writer, subresource })
      return object
    },
  })

t.test('a call whose object somebody else changed overwrites nothing and is made again at once', async t => {
  const changes: [what: string, body: object, subresource?: string][] = [
    ['what is desired', { spec: { maxUnavailable: 2 } }],
    ['the same field of the status', { status: { currentHealthy: 7 } }, 'status'],
  ]
  for (const [what, body, subresource] of changes) {
    const key = await existing()
    const outcome = await reconcile(overtakenBy(key, body, subresource), key, call())
    matches(t, outcome, { outcome: 'waiting', requeueAfterSeconds: 0 }, what)
    t.not((await statusOf(key))?.currentHealthy, 9, what)
  }
})

t.test('a label that somebody else sets during a call does not stop it, and is kept', async t => {
  const key = await existing()
  const outcome = await reconcile(overtakenBy(key, { metadata: { labels: { rival: 'yes' } } }), key, call())
  matches(t, outcome, { outcome: 'settled' })
  matches(t, await client.get({ ...kind, ...key }), {
    metadata: { labels: { rival: 'yes' } },
    status: { currentHealthy: 9 },
  })
})

t.test(
  'FN-08 when the time budget is spent no step is begun, the status is written, and the call ends at once',
  async t => {
    const key = await existing()
    const steps = [1, 2].map(n => ({ do: 'apply' as const, object: configMap(`${key.name}-late-${n}`, {}) }))
    const definition = budgets(() => ({ steps, status: { currentHealthy: 4 } }))
    const [outcome, writes] = await writesDuring(() =>
      reconcile(definition, key, call({ lastPassAt: performance.now() })),
    )
    matches(t, outcome, {
      outcome: 'waiting',
      requeueAfterSeconds: 0,
      reason: 'the time budget of the call is used up',
    })
    t.strictSame(writes, ['replace status'], 'the status alone')
    t.equal((await statusOf(key))?.currentHealthy, 4)
  },
)

/** To calls with this client there is no ConfigMap, whatever was written. */
const ofOlderState = () => {
  const local = altered(client, real => ({
    get: async (ref, options) => (ref.kind === 'ConfigMap' ? undefined : real.get(ref, options)),
  }))
  return call({ clusters: clusters({ local }) })
}

t.test('RE-55 a pass that writes once more what the call had written ends it, with the object and a pause', async t => {
  for (const next of [settled, { is: 'again' }] as const) {
    const key = await existing()
    const object = configMap(`${key.name}-unseen`, { color: 'red' })
    const definition = budgets(() => ({ steps: [{ do: 'apply', object }], next }))
    const [outcome, writes] = await writesDuring(() => reconcile(definition, key, ofOlderState()))
    const reason = `ConfigMap ${namespace}/${object.metadata.name} was written, but the API server still returns an older state`
    t.strictSame(withoutWrites(outcome), { outcome: 'waiting', requeueAfterSeconds: 10, reason })
    t.strictSame(writes, ['apply', 'apply'])
  }
})

t.test('RE-55 a call goes on as long as one of its writes, or its status, is new', async t => {
  const last = 6
  type Pass = (number: number) => Pick<Plan, 'status'> & { readonly data: Record<string, string> }
  const rows: Readonly<Record<string, Pass>> = {
    'one of its writes': number => ({ status: {}, data: { number: String(number) } }),
    'its status': currentHealthy => ({ status: { currentHealthy }, data: {} }),
  }
  for (const [what, pass] of Object.entries(rows)) {
    const key = await existing()
    let passes = 0
    const definition = budgets(() => {
      const { status, data } = pass(++passes)
      const objects = [configMap(`${key.name}-same`, {}), configMap(`${key.name}-changing`, data)]
      return { steps: passes < last ? objects.map(object => ({ do: 'apply', object })) : [], status }
    })
    matches(t, await reconcile(definition, key, ofOlderState()), { outcome: 'settled' }, what)
    t.equal(passes, last, what)
  }
})

t.test('RE-59 an object that others change back each time ends the call, with the object and a pause', async t => {
  const key = await existing()
  const name = `${key.name}-fought`
  const wanted = configMap(name, { color: 'red' })
  const other: Step = { do: 'apply', object: configMap(`${name}-beside`, {}) }
  const rows: Readonly<Record<string, Step>> = {
    'a field': { do: 'apply', object: wanted, force: true },
    'the object': { do: 'create', object: wanted },
  }
  for (const [what, step] of Object.entries(rows)) {
    let passes = 0
    const definition = budgets(() => ({ steps: [step, other], next: { is: 'again' } }), {
      gather: async object => {
        passes += 1
        if (step.do === 'create') await client.delete(refOf(wanted), {})
        else await client.apply(configMap(name, { color: 'blue' }), { fieldManager: 'other', force: true })
        return object
      },
    })
    const outcome = await reconcile(definition, key, call())
    const reason = `ConfigMap ${namespace}/${name} is changed by another program, such as a webhook, after each write`
    t.strictSame(withoutWrites(outcome), { outcome: 'waiting', requeueAfterSeconds: 10, reason }, what)
    t.equal(passes, 10, what)
    const last = versionText((await client.get(refOf(wanted))) as KubeObject)
    t.ok(
      last && outcome.wrote?.includes(last),
      `${what}: the event of the last write does not call it before the pause is over`,
    )
  }
})

t.test('FN-08 a function that never comes to rest does not hold its call for ever', async t => {
  const key = await existing()
  let pass = 0
  const definition = budgets(() => ({
    steps: [{ do: 'apply', object: configMap(`${key.name}-${++pass}`, {}) }],
  }))
  matches(t, await reconcile(definition, key, call()), { outcome: 'waiting', requeueAfterSeconds: 0 })
  t.equal(pass, 100)
})

t.test('an API server that cannot be asked is the caller’s trouble: the loop throws', async t => {
  const key = await existing()
  const definition = budgets(() => ({}), { gather: async () => Promise.reject(new Error('no answer')) })
  await rejects(t, reconcile(definition, key, call()), { message: 'no answer' })
})

t.test('SEE-41 the reply of a call that somebody asked for has the write that removed the annotation', async t => {
  const key = await existing()
  const metadata = { annotations: { [espalierAnnotations.reconcileRequestedAt]: 'now' } }
  await client.patch({ ...kind, ...key }, { type: 'merge', body: { metadata } }, writer)
  const { wrote = [] } = await reconcile(
    budgets(() => ({}), { keepsState: true }),
    key,
    call(),
  )
  const now = (await client.get({ ...kind, ...key })) as KubeObject
  t.equal(now.metadata.annotations, undefined)
  t.strictSame(wrote, [versionText(now)])
})

t.test('SEE-41 a newer request that a later pass of the call sees stays for the next call', async t => {
  const key = await existing()
  const request = (value: string) => {
    const metadata = { annotations: { [espalierAnnotations.reconcileRequestedAt]: value } }
    return client.patch({ ...kind, ...key }, { type: 'merge', body: { metadata } }, writer)
  }
  await request('first')
  let passes = 0
  const gather = async (object: KubeObject) => {
    if (++passes === 1) await request('second')
    return object
  }
  const decide = () => ({ status: { currentHealthy: 5 }, next: passes === 1 ? ({ is: 'again' } as const) : settled })
  await reconcile(budgets(decide, { keepsState: true, gather }), key, call())
  t.equal(passes, 2)
  const { metadata } = (await client.get({ ...kind, ...key })) as KubeObject
  t.equal(metadata.annotations?.[espalierAnnotations.reconcileRequestedAt], 'second')
})

t.test(
  'SEE-41 a request stays after a conflict, and while the next call is due at once; none of this is a warning',
  async t => {
    const warned: string[] = []
    const log = { ...call().log, warn: (_: object, message: string) => void warned.push(message) }
    const request = espalierAnnotations.reconcileRequestedAt
    const changed = (key: Key, body: JsonMap) => client.patch({ ...kind, ...key }, { type: 'merge', body }, writer)
    const overtaken: ReconcileFunction['gather'] = async object => {
      await changed(refOf(object), { spec: { maxUnavailable: 2 } })
      return object
    }
    const missing: Step = { do: 'patch', target: configMap('missing', {}), merge: { data: {} } }
    const waiting = (seconds: number): Partial<Plan> => ({ next: { is: 'waiting', seconds, for: 'it' } })
    const rows: [what: string, plan: Partial<Plan>, isAnswered: boolean, more?: Partial<ReconcileFunction>][] = [
      ['done', {}, true],
      ['failed', { steps: [missing] }, true],
      ['waiting', waiting(9), true],
      ['at once', waiting(0), false],
      ['conflict', { status: { currentHealthy: 7 } }, false, { gather: overtaken }],
      ['failed and conflict', { steps: [missing], status: { currentHealthy: 7 } }, false, { gather: overtaken }],
    ]
    for (const [what, plan, isAnswered, more] of rows) {
      const key = await existing()
      await changed(key, { metadata: { annotations: { [request]: 'now' } } })
      await reconcile(
        budgets(() => plan, { keepsState: true, ...more }),
        key,
        call({ log }),
      )
      const { metadata } = (await client.get({ ...kind, ...key })) as KubeObject
      t.equal(metadata.annotations?.[request], isAnswered ? undefined : 'now', what)
    }
    t.strictSame(warned, [], 'no write is tried that cannot be done')
  },
)

t.test('SEE-41 a call whose time for steps is spent takes the annotation away, too', async t => {
  const request = espalierAnnotations.reconcileRequestedAt
  const key = await existing()
  const body = { metadata: { annotations: { [request]: 'now' } } }
  await client.patch({ ...kind, ...key }, { type: 'merge', body }, writer)
  const waits = budgets(() => ({ next: { is: 'waiting', seconds: 9, for: 'it' } }), { keepsState: true })
  matches(t, await reconcile(waits, key, call({ lastPassAt: performance.now() })), { requeueAfterSeconds: 9 })
  t.equal((await client.get({ ...kind, ...key }))?.metadata.annotations?.[request], undefined)
})
