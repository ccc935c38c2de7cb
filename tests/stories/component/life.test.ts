// A component's life on a cluster, from the first look on: states, times, hooks, references, what people are told.
import t from 'tap'
import type { KubeObject } from '../../../shared/core/objects/object.ts'
import type { Hook } from '../../../shared/runtime/component/definition/definition.ts'
import { retriable } from '../../../shared/runtime/component.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { clockFromNow, later, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'
import { keptLog } from '../../shared/relay/silent-log.ts'

const ground = await orchards(t)
const { client, configMap, plantOf, namespace, name: P } = ground
const writer = { fieldManager: 'person' }

const ready = { conditions: [{ type: 'Ready', status: 'True' }] }
const unready = { conditions: [{ type: 'Ready', status: 'False' }] }

/** A Plant that is not ready until it is grown. */
const waitingPlant = (name: string): KubeObject =>
  plantOf(name, { annotations: { [`${P}/status-hint`]: 'has-ready-condition' } })

t.test('CO-03 a list and the promise of one are the same; parameters are a copy that cannot be written', async t => {
  const list = ground.define({ generator: () => [configMap('listed', { a: '1' })] })
  const promise = ground.define({ generator: async () => [configMap('promised', { a: '1' })] })
  for (const [name, definition] of Object.entries({ listed: list, promised: promise })) {
    await ground.plant(name, {})
    await ground.settle(definition, name)
    matches(t, await ground.status(name), { state: 'Ready' })
    t.strictSame((await ground.live(configMap(name)))?.data, { a: '1' })
  }
  const writing = ground.define({
    generator: (_context, _namespace, _name, parameters) => {
      const [first] = parameters.objects as { data: Record<string, string> }[]
      if (first) first.data.a = 'mine'
      return []
    },
  })
  await ground.plant('written', { objects: [configMap('written', { a: 'theirs' })] })
  await ground.settle(writing, 'written')
  matches(t, await ground.status('written'), { state: 'Error', ready: { message: /read only/ } })
  matches(t, (await ground.read('written'))?.spec, { objects: [{ data: { a: 'theirs' } }] })
})

t.test('CO-15 CO-01 a new component with dependents that are ready at once: Ready in the same call', async t => {
  const definition = ground.define()
  await ground.plant('new', { objects: [configMap('new-a', { a: '1' }), configMap('new-b')] })
  matches(t, await ground.call(definition, 'new'), { outcome: 'settled', requeueAfterSeconds: Number })
  const status = await ground.status('new')
  matches(t, status, {
    state: 'Ready',
    observedGeneration: 1,
    appliedGeneration: 1,
    revision: 1,
    lastAppliedAt: String,
  })
  matches(t, status.ready, { status: 'True', reason: 'Ready' })
  t.equal(status.inventory?.length, 2)
  t.notOk(status.processingSince)
  t.strictSame((await ground.read('new'))?.metadata.finalizers, [P])
  const made = await ground.live(configMap('new-a'))
  matches(t, made, { data: { a: '1' }, metadata: { namespace, labels: { [`${P}/owner-id`]: String } } })
  matches(t, made?.metadata.annotations, {
    [`${P}/owner-id`]: new RegExp(`/${namespace}/new$`),
    [`${P}/digest`]: String,
  })
  matches(t, (await ground.events('new')).toSorted(), [/Normal FirstSeen/, /Normal Ready/])
})

t.test(
  'CO-15 after a change the status is not Ready for the new generation before the dependents are updated',
  async t => {
    const definition = ground.define()
    await ground.plant('honest', { objects: [configMap('honest-a', { a: '1' })] })
    await ground.settle(definition, 'honest')
    await ground.change('honest', { spec: { objects: [configMap('honest-a', { a: '2' })] } })
    const seen: string[] = []
    const { own } = ground
    const watched: typeof own = {
      ...own,
      bound: () => watched,
      replace: async (...asked) => {
        const object = await own.replace(...asked)
        const { state, observedGeneration } = (object.status ?? {}) as { state?: string; observedGeneration?: number }
        const isDone = (await ground.live(configMap('honest-a')))?.data as { a: string }
        if (state === 'Ready' && observedGeneration === object.metadata.generation) seen.push(isDone.a)
        return object
      },
    }
    await ground.settle(definition, 'honest', { clusters: oneCluster(watched) })
    t.strictSame([...new Set(seen)], ['2'])
  },
)

t.test('CO-28 three calls with nothing changed: the component is not written', async t => {
  const definition = ground.define()
  await ground.plant('quiet', { objects: [configMap('quiet-a'), configMap('quiet-b')] })
  await ground.settle(definition, 'quiet')
  const before = (await ground.read('quiet'))?.metadata.resourceVersion
  for (const seconds of [0, 30, 60]) await ground.call(definition, 'quiet', later(seconds))
  t.equal((await ground.read('quiet'))?.metadata.resourceVersion, before)
})

t.test('CO-17 another component digest while Processing: Restarting, the clock cleared, counted once', async t => {
  const definition = ground.define()
  await ground.plant('restart', { objects: [waitingPlant('restart-a')], timeout: '5m' })
  await ground.settle(definition, 'restart')
  const first = await ground.status('restart')
  matches(t, first, { state: 'Processing', revision: 1, processingSince: String })
  await ground.change('restart', { spec: { another: true } })
  await ground.settle(definition, 'restart', later(100))
  const second = await ground.status('restart')
  matches(t, second, { state: 'Processing', revision: 2, observedGeneration: 2 })
  t.not(second.processingSince, first.processingSince)
  t.ok((await ground.events('restart')).some(event => /Restarting/.test(event)))
  await ground.settle(definition, 'restart', later(101))
  t.equal((await ground.status('restart')).revision, 2)
})

t.test('CO-18 CO-25 unready beyond the timeout: Error/Timeout, polled on; ready later: Ready', async t => {
  const definition = ground.define()
  await ground.plant('late', { objects: [waitingPlant('late-a')], timeout: '3m' })
  matches(t, await ground.settle(definition, 'late', clockFromNow()(0)), { outcome: 'waiting', requeueAfterSeconds: 1 })
  matches(t, (await ground.status('late')).ready, {
    status: 'Unknown',
    reason: 'Processing',
    message: /Plant .*late-a/,
  })
  matches(t, await ground.settle(definition, 'late', later(181)), { outcome: 'waiting', requeueAfterSeconds: Number })
  matches(t, await ground.status('late'), { state: 'Error', ready: { status: 'False', reason: 'Timeout' } })
  await ground.grow('late-a', ready)
  matches(t, await ground.settle(definition, 'late', later(182)), { outcome: 'settled' })
  const status = await ground.status('late')
  matches(t, status, { state: 'Ready' })
  t.notOk(status.processingSince)
})

t.test('RE-58 a time-out that a clock an hour ahead began counts from now on when the clock is right', async t => {
  const definition = ground.define()
  await ground.plant('ahead', { objects: [waitingPlant('ahead-a')], timeout: '3m' })
  await ground.settle(definition, 'ahead', later(3_600))
  await ground.settle(definition, 'ahead')
  const { processingSince = '' } = await ground.status('ahead')
  t.ok(Date.parse(processingSince) <= Date.now(), processingSince)
  await ground.settle(definition, 'ahead', later(185))
  matches(t, await ground.status('ahead'), { state: 'Error', ready: { reason: 'Timeout' } })
})

t.test('CO-19 only the rendering changes, late in the timeout: the clock starts anew', async t => {
  let value = 'old'
  const definition = ground.define({ generator: () => [configMap('rendered', { value }), waitingPlant('rendered-a')] })
  await ground.plant('rendered', { timeout: '3m' })
  await ground.settle(definition, 'rendered')
  value = 'new'
  await ground.settle(definition, 'rendered', later(170))
  await ground.settle(definition, 'rendered', later(190))
  matches(t, await ground.status('rendered'), { state: 'Processing', revision: 1 })
  await ground.settle(definition, 'rendered', later(360))
  matches(t, (await ground.status('rendered')).ready, { reason: 'Timeout' })
})

t.test('CO-20 CO-21 CO-22 errors: expected ones are retried, plain ones back off, both time out', async t => {
  let error: Error = retriable(new Error('the shop is closed'), 45)
  const definition = ground.define({
    generator: () => {
      throw error
    },
  })
  await ground.plant('failing', { retryInterval: '2m', timeout: '10m' })
  type Told = { outcome: string; after: number; as: string; message?: RegExp | string }
  const at = clockFromNow()
  const tells = async ({ after, ...expected }: Told, seconds = 0) => {
    const { outcome, requeueAfterSeconds } = await ground.settle(definition, 'failing', at(seconds))
    const { state, ready } = await ground.status('failing')
    matches(t, { outcome, as: `${state}/${ready.reason}`, message: ready.message }, expected)
    t.ok(isAbout(requeueAfterSeconds, after), `${requeueAfterSeconds} for ${after}`)
  }
  const message = /the shop is closed/i
  await tells({ outcome: 'waiting', after: 45, as: 'Pending/Retrying', message })
  const inner = new AggregateError([new Error('x'), retriable(new Error('the shop is closed'))])
  error = new Error('wrapped', { cause: inner })
  await tells({ outcome: 'waiting', after: 120, as: 'Pending/Retrying', message: 'Wrapped' })
  error = new Error('out of stock')
  const failed = { outcome: 'failed', as: 'Error/Error', message: 'Out of stock' }
  await tells({ ...failed, after: 1 })
  await tells({ ...failed, after: 4 }, 4)
  await tells({ ...failed, after: 64 }, 64)
  await tells({ ...failed, after: 600, as: 'Error/Timeout' }, 1000)
  error = retriable(new Error('the shop is closed'))
  await tells({ outcome: 'waiting', after: 120, as: 'Pending/Timeout', message }, 1001)
  error = new Error('out of stock')
  await tells({ ...failed, after: 1, as: 'Error/Timeout' }, 1002)
  await ground.change('failing', { metadata: { annotations: { again: 'please' } } })
  await tells({ ...failed, after: 1 }, 1100)
})

t.test('CO-21 an expected error is logged neither as an error nor as a warning, another one is', async t => {
  let error: Error = retriable(new Error('the shop is closed'), 45)
  const definition = ground.define({
    generator: () => {
      throw error
    },
  })
  const alarms = async (seconds: number): Promise<string[]> => {
    const { log, lines } = keptLog()
    await ground.settle(definition, 'alarming', { ...later(seconds), log })
    return lines.filter(({ level }) => ['warn', 'error'].includes(level)).map(({ message }) => message)
  }
  await ground.plant('alarming', {})
  t.strictSame(await alarms(0), [])
  error = new Error('wrapped', { cause: new AggregateError([error]) })
  t.strictSame(await alarms(50), [])
  error = new Error('out of stock')
  t.strictSame(await alarms(100), ['Out of stock'])
})

/** A second may pass between two looks; from 10 s up some percent are added. */
const isAbout = (seconds: number | undefined, wanted: number): boolean =>
  seconds !== undefined && seconds >= wanted - 1 && seconds <= (wanted + 1) * 1.05

t.test('CO-06 bad configuration: Error naming field and value, stalled, dependents untouched', async t => {
  const definition = ground.define()
  await ground.plant('misread', { objects: [configMap('misread-a')], timeout: 'soon', updatePolicy: 'Patch' })
  matches(t, await ground.settle(definition, 'misread'), { outcome: 'stalled', reason: /timeout.*soon/ })
  matches(t, (await ground.status('misread')).ready, { reason: 'Error', message: /updatePolicy.*Patch/ })
  t.equal(await ground.live(configMap('misread-a')), undefined)
})

t.test('CO-04 placement: handed to the generator, and where objects without a namespace go', async t => {
  const seen: string[] = []
  const definition = ground.define({
    generator: (_context, namespace, name) => {
      seen.push(`${namespace}/${name}`)
      return [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'placed' } }]
    },
  })
  await ground.plant('placing', { deploymentNamespace: `${namespace}-other`, deploymentName: 'release' })
  await ground.settle(definition, 'placing')
  t.strictSame([...new Set(seen)], [`${namespace}-other/release`])
  const placed = await client.get({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: `${namespace}-other`,
    name: 'placed',
  })
  matches(t, placed?.metadata.annotations?.[`${P}/owner-id`], new RegExp(`/${namespace}/placing$`))
  await client.delete({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: `${namespace}-other` }, {})
})

t.test('a component in deletion without our finalizer is left alone, whatever its configuration', async t => {
  await ground.plant('loose', { timeout: 'soon' }, { finalizers: ['example.com/held'] })
  await ground.remove('loose')
  const before = await ground.read('loose')
  t.strictSame(await ground.settle(ground.define(), 'loose'), { outcome: 'settled' })
  t.strictSame(await ground.read('loose'), before)
  await ground.change('loose', { metadata: { finalizers: null } })
})

t.test('CO-27 suspended: nothing is written, no requeue; unsuspending acts at once', async t => {
  const definition = ground.define()
  await ground.plant('resting', { objects: [configMap('resting-a')], suspend: true })
  const outcome = await ground.settle(definition, 'resting')
  t.strictSame(outcome, { outcome: 'settled' })
  matches(t, await ground.status('resting'), { state: 'Pending', ready: { reason: 'Suspended', status: 'Unknown' } })
  t.equal(await ground.live(configMap('resting-a')), undefined)
  await ground.change('resting', { spec: { suspend: false } })
  matches(t, await ground.settle(definition, 'resting'), { outcome: 'settled', requeueAfterSeconds: Number })
  t.ok(await ground.live(configMap('resting-a')))
  await ground.change('resting', { spec: { suspend: true } })
  await ground.remove('resting')
  await ground.settle(definition, 'resting')
  t.equal(await ground.read('resting'), undefined, 'deletion works')
})

t.test('CO-26 CO-31 CO-32 a dependent degrades, fails for good, is repaired', async t => {
  const definition = ground.define()
  await ground.plant('changing', { objects: [waitingPlant('changing-a'), configMap('changing-b')] })
  await ground.settle(definition, 'changing')
  await ground.grow('changing-a', ready)
  await ground.settle(definition, 'changing')
  matches(t, await ground.status('changing'), { state: 'Ready' })
  await ground.grow('changing-a', unready)
  await ground.settle(definition, 'changing', later(60))
  const degraded = await ground.status('changing')
  matches(t, degraded, { state: 'Processing', processingSince: String })
  const item = degraded.inventory?.find(({ name }) => name === 'changing-a')
  matches(t, item, { status: 'InProgress', phase: 'Ready' })
  await ground.grow('changing-a', { conditions: [{ type: 'Stalled', status: 'True', message: 'no water' }] })
  await ground.settle(definition, 'changing', later(70))
  matches(t, await ground.status('changing'), {
    state: 'Error',
    ready: { status: 'False', reason: 'DependentFailed', message: /Plant .*\/changing-a.*no water/ },
  })
  await ground.grow('changing-a', ready)
  await ground.settle(definition, 'changing', later(80))
  matches(t, await ground.status('changing'), { state: 'Ready', revision: 1 })
})

t.test('CO-29 the condition’s time moves with its status, an Event tells each change once', async t => {
  const definition = ground.define()
  await ground.plant('told', { objects: [waitingPlant('told-a')] })
  await ground.settle(definition, 'told')
  const pending = (await ground.status('told')).ready
  await ground.settle(definition, 'told', later(30))
  t.equal((await ground.status('told')).ready.lastTransitionTime, pending.lastTransitionTime)
  await ground.grow('told-a', ready)
  await ground.settle(definition, 'told', later(60))
  t.ok((await ground.status('told')).ready.lastTransitionTime > pending.lastTransitionTime)
  const events = await ground.events('told')
  t.equal(events.filter(event => event.startsWith('Normal Ready')).length, 1)
  t.notOk(events.some(event => event.startsWith('Warning')))
})

t.test('CO-29 a new component digest moves the condition’s time, though its status stays', async t => {
  const definition = ground.define()
  const at = clockFromNow()
  await ground.plant('retold', { objects: [waitingPlant('retold-a')] })
  await ground.settle(definition, 'retold', at(0))
  const before = (await ground.status('retold')).ready
  await ground.change('retold', { spec: { objects: [waitingPlant('retold-a'), configMap('retold-b')] } })
  await ground.settle(definition, 'retold', at(100))
  const { status, lastTransitionTime } = (await ground.status('retold')).ready
  t.strictSame([before.status, status], ['Unknown', 'Unknown'])
  t.equal(Date.parse(lastTransitionTime), Date.parse(before.lastTransitionTime) + 100_000)
})

/** Type, reason and how often it was told. */
const toldOf = async (name: string): Promise<string[]> =>
  (await client.list({ apiVersion: 'v1', kind: 'Event', namespace }))
    .filter(({ involvedObject }) => (involvedObject as { name: string }).name === name)
    .map(({ type, reason, count }) => `${type} ${reason} ${count ?? 1}`)
    .sort()

t.test('CO-29 an Error is told as a Warning, all else as Normal, each change once', async t => {
  let isDry = true
  const definition = ground.define({
    generator: () => {
      if (isDry) throw new Error('no water')
      return [waitingPlant('warned-a')]
    },
  })
  await ground.plant('warned', {})
  for (const seconds of [0, 10, 20, 30]) await ground.settle(definition, 'warned', later(seconds))
  t.strictSame(await toldOf('warned'), ['Warning Error 1'])
  isDry = false
  for (const seconds of [40, 50, 60]) await ground.settle(definition, 'warned', later(seconds))
  t.strictSame(await toldOf('warned'), ['Normal Processing 1', 'Warning Error 1'])
})

t.test('CO-29 a new message with the old reason, and a new reason with the old message, are told', async t => {
  const failures = [new Error('no water'), new Error('no light'), retriable(new Error('no light'))]
  const definition = ground.define({
    generator: () => {
      throw failures[0]
    },
  })
  await ground.plant('varied', {})
  while (failures.length > 0) {
    await ground.settle(definition, 'varied', later(10 * failures.length))
    failures.shift()
  }
  t.strictSame((await ground.events('varied')).sort(), [
    'Normal Retrying: No light',
    'Warning Error: No light',
    'Warning Error: No water',
  ])
})

t.test('CO-30 forty dependents written: 25 Events on them, one summary; none when they are disabled', async t => {
  const definition = ground.define()
  const many = (prefix: string) => Array.from({ length: 40 }, (_, i) => configMap(`${prefix}-${i}`))
  const eventsOn = async (prefix: string) =>
    (await client.list({ apiVersion: 'v1', kind: 'Event', namespace })).filter(({ involvedObject }) =>
      (involvedObject as { name: string }).name.startsWith(`${prefix}-`),
    )
  await ground.plant('noisy', { objects: many('noisy') })
  await ground.settle(definition, 'noisy')
  const told = await eventsOn('noisy')
  t.equal(told.length, 25)
  t.ok(told.every(({ reason, type }) => reason === 'Created' && type === 'Normal'))
  t.equal((await ground.events('noisy')).filter(event => /DependentsChanged: .*15 Created/.test(event)).length, 1)
  await ground.plant('mute', { objects: many('mute') }, { annotations: { [`${P}/disable-events`]: 'true' } })
  await ground.settle(definition, 'mute')
  t.equal((await eventsOn('mute')).length, 0)
})

t.test('CO-30 names that an Event may not have: roles of system components get theirs too', async t => {
  const apiVersion = 'rbac.authorization.k8s.io/v1'
  const role = { apiVersion, kind: 'Role', metadata: { name: 'system:cook:Shop', namespace }, rules: [] }
  await ground.plant('roles', { objects: [role] })
  await ground.settle(ground.define(), 'roles')
  t.strictSame(await ground.events('system:cook:Shop'), ['Normal Created: Created'])
})

t.test('CO-10 conditions of a hook’s own are kept beside Ready, and keep their time', async t => {
  const mine = { type: 'Mine', status: 'True', reason: 'Mine', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
  const tellMine: Hook = (_context, _client, component) => {
    const { conditions } = component.status as { conditions: object[] }
    conditions.push(mine)
  }
  const conditions = async () => (await ground.status('hook-told')).conditions
  await ground.plant('hook-told', { objects: [] })
  await ground.settle(ground.define({ hooks: { postReconcile: [tellMine] } }), 'hook-told')
  matches(t, await conditions(), [{ type: 'Ready', status: 'True' }, mine])
  await ground.change('hook-told', { spec: { objects: [configMap('hook-told-a')] } })
  await ground.settle(ground.define(), 'hook-told')
  matches(t, await conditions(), [{ type: 'Ready', status: 'True' }, mine])
})

t.test('CO-22 a status holds only the beginning of an endless message, and comes to rest', async t => {
  const definition = ground.define({
    generator: () => {
      throw new Error(`${'🌳'.repeat(2_000_000)}`)
    },
  })
  await ground.plant('endless', { objects: [] })
  await ground.settle(definition, 'endless')
  const { ready } = await ground.status('endless')
  matches(t, ready, { reason: 'Error', message: /^🌳+/ })
  t.ok(ready.message.length <= 32_768)
  const { resourceVersion } = (await ground.read('endless'))?.metadata ?? {}
  await ground.settle(definition, 'endless')
  t.equal((await ground.read('endless'))?.metadata.resourceVersion, resourceVersion)
})

t.test('CO-08 CO-100 hooks: in order, once in a call, the post hooks only when all is ready or gone', async t => {
  const calls: string[] = []
  const note =
    (text: string): Hook =>
    () => {
      calls.push(text)
    }
  const points = ['postRead', 'preReconcile', 'postReconcile', 'preDelete', 'postDelete'] as const
  const hooks = Object.fromEntries(points.map(point => [point, [note(`${point} 1`), note(`${point} 2`)]]))
  const references = [{ path: 'spec.seed', kind: 'Secret' as const }]
  const definition = ground.define({ hooks, options: { references } })
  const during = async () => {
    calls.length = 0
    await ground.call(definition, 'hooked')
    return [...calls]
  }
  const twice = (...names: string[]) => names.flatMap(name => [`${name} 1`, `${name} 2`])
  await ground.plant('hooked', { objects: [waitingPlant('hooked-a')] })
  t.strictSame(await during(), twice('postRead', 'preReconcile'), 'unready')
  await ground.grow('hooked-a', ready)
  t.strictSame(await during(), twice('postRead', 'preReconcile', 'postReconcile'))
  await ground.change('hooked', { spec: { suspend: true } })
  t.strictSame(await during(), twice('postRead'), 'suspended')
  await ground.change('hooked', { spec: { suspend: false, timeout: 'soon' } })
  t.strictSame(await during(), twice('postRead'), 'bad duration')
  await ground.change('hooked', { spec: { timeout: null, seed: { name: 'missing', key: 'k' } } })
  t.strictSame(await during(), twice('postRead'), 'missing reference')
  await ground.change('hooked', { spec: { seed: null }, metadata: { finalizers: [P] } })
  await ground.remove('hooked')
  t.strictSame(await during(), twice('postRead', 'preDelete', 'postDelete'))
  t.equal(await ground.read('hooked'), undefined)
})

t.test('CO-08 nothing is called ready before its postReconcile hooks have run', async t => {
  const seen: (string | undefined)[] = []
  const hook: { does: () => void } = { does: () => {} }
  const postReconcile: Hook = async () => {
    seen.push((await ground.status('hooked-late')).state)
    hook.does()
  }
  const definition = ground.define({ hooks: { postReconcile: [postReconcile] } })
  hook.does = () => {
    throw new Error('no rake')
  }
  await ground.plant('hooked-late', { objects: [configMap('hooked-late-a')] })
  matches(t, await ground.call(definition, 'hooked-late'), { outcome: 'failed', reason: /no rake/ })
  t.notOk((await ground.events('hooked-late')).some(event => / Ready:/.test(event)))
  hook.does = () => {}
  matches(t, await ground.call(definition, 'hooked-late'), { outcome: 'settled' })
  matches(t, await ground.status('hooked-late'), { state: 'Ready', appliedGeneration: 1 })
  t.notOk(seen.includes('Ready'), `seen by the hook: ${seen}`)
  t.equal(seen.length, 2, 'once in each call')
})

t.test('CO-09 CO-10 hooks that throw, change the status, change the spec', async t => {
  const hook: { does: Hook } = { does: () => {} }
  const after: string[] = []
  const definition = ground.define({
    hooks: {
      preReconcile: [
        (...told) => hook.does(...told),
        () => {
          after.push('ran')
        },
      ],
    },
  })
  await ground.plant('hooking', { objects: [configMap('hooking-a')] })
  hook.does = () => {
    throw new Error('no spade')
  }
  matches(t, await ground.settle(definition, 'hooking'), { outcome: 'failed' })
  matches(t, (await ground.status('hooking')).ready, { reason: 'Error', message: /preReconcile 1.*no spade/ })
  t.strictSame(after, [], 'nothing after it runs')
  t.equal(await ground.live(configMap('hooking-a')), undefined)
  hook.does = (_context, _client, component) => {
    component.status = { ...(component.status as object), yield: 7 }
  }
  await ground.settle(definition, 'hooking')
  matches(t, await ground.status('hooking'), { state: 'Ready', yield: 7 })
  hook.does = (_context, _client, component) => {
    component.spec = {}
  }
  matches(t, await ground.settle(definition, 'hooking'), { outcome: 'failed', reason: /status/ })
  matches(t, (await ground.read('hooking'))?.spec, { objects: Array }, 'not written')
  hook.does = async ({ client }, own) => {
    t.ok(
      await client.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'default' }),
      'the target cluster',
    )
    t.ok(await own.get({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'default' }))
  }
  matches(t, await ground.settle(definition, 'hooking'), { outcome: 'settled' })
  const early = ground.define({ hooks: { postRead: [context => void t.notOk('client' in context)] } })
  await ground.plant('hooking-early', {})
  matches(t, await ground.settle(early, 'hooking-early'), { outcome: 'settled' })
})

t.test('CO-11 CO-12 CO-13 references: values by path, part of the component digest, missing ones awaited', async t => {
  const seen: unknown[] = []
  const references = [
    { path: 'spec.keyed', kind: 'Secret' as const },
    { path: 'spec.either.*', kind: 'ConfigMap' as const, fallbackKeys: ['first', 'second'] },
    { path: 'spec.whole', kind: 'ConfigMap' as const, whole: true, ignoreNotFoundOnDeletion: true },
    { path: 'spec.loaded', load: (value: unknown) => `loaded ${value}`, digest: String },
  ]
  const definition = ground.define({
    options: { references },
    generator: context => {
      seen.push(['spec.keyed', 'spec.either.0', 'spec.loaded', 'spec.none'].map(path => context.reference(path)))
      return [configMap('referring-a', { whole: JSON.stringify((context.reference('spec.whole') as KubeObject).data) })]
    },
  })
  const spec = {
    keyed: { name: 'ref-secret', key: 'password' },
    either: [{ name: 'ref-map' }],
    whole: { name: 'ref-map' },
    loaded: 'this',
  }
  await ground.plant('referring', spec)
  const { outcome, requeueAfterSeconds } = await ground.settle(definition, 'referring')
  t.ok(outcome === 'waiting' && isAbout(requeueAfterSeconds, 10))
  const missing = (await ground.status('referring')).ready
  matches(t, missing, {
    reason: 'Retrying',
    message: /Secret .*ref-secret, named in spec.keyed, does not exist; it must have the key password/,
  })
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'ref-secret', namespace } }
  await client.create({ ...secret, data: { other: '' } }, writer)
  await client.create(configMap('ref-map', { second: 'two' }), writer)
  await ground.settle(definition, 'referring')
  matches(t, (await ground.status('referring')).ready, { reason: 'Retrying', message: /ref-secret.*password/ })
  const ref = { ...secret, namespace, name: 'ref-secret' }
  await client.patch(ref, { type: 'merge', body: { data: { password: 'cGVhcg==' } } }, writer)
  await ground.settle(definition, 'referring')
  matches(t, await ground.status('referring'), { state: 'Ready', revision: 1 })
  t.strictSame(seen.at(-1), ['pear', 'two', 'loaded this', undefined])
  t.strictSame((await ground.live(configMap('referring-a')))?.data, { whole: '{"second":"two"}' })
  await client.patch(ref, { type: 'merge', body: { data: { password: 'cGx1bQ==' } } }, writer)
  await ground.settle(definition, 'referring')
  matches(t, await ground.status('referring'), { state: 'Ready', revision: 2 })
  t.equal((seen.at(-1) as unknown[])[0], 'plum')
  await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'ref-map' }, {})
  await ground.remove('referring')
  await ground.settle(definition, 'referring')
  matches(t, await ground.status('referring'), { state: 'DeletionPending', ready: { reason: 'DeletionRetrying' } })
  t.ok(await ground.live(configMap('referring-a')), 'dependents are untouched')
  await client.create(configMap('ref-map', { second: 'two' }), writer)
  await ground.settle(definition, 'referring')
  t.equal(await ground.read('referring'), undefined)
})
