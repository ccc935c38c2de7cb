// What a component costs on a cluster, and what is left of it when its function dies, has rivals, or runs out of time.
import t from 'tap'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { ApiError, ConnectionError } from '../../../shared/kube/errors.ts'
import { processMemory } from '../../../shared/runtime/process-memory.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { clockFromNow, inventoryNames, later, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'

const ground = await orchards(t)
const { client, own, configMap, namespace, name: P } = ground

const annotated = (object: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${P}/${key}`, value])),
  },
})

/** All ConfigMaps that carry the label of any component, by name. */
const kept = async (prefix: string): Promise<KubeObject[]> =>
  (await client.list({ apiVersion: 'v1', kind: 'ConfigMap', namespace, labelSelector: `${P}/owner-id` })).filter(
    ({ metadata }) => metadata.name.startsWith(`${prefix}-`),
  )

/** Requests made meanwhile, Events apart, as `verb code`. */
const costOf = async (act: () => Promise<unknown>): Promise<string[]> => {
  const [before, events] = [ground.requests.length, await eventCount()]
  await act()
  const told = (await eventCount()) - events
  const asked = ground.requests.slice(before).map(({ verb, code }) => `${verb} ${code}`)
  // An Event is one create.
  return [...asked.filter(text => text !== 'create 201'), ...asked.filter(text => text === 'create 201').slice(told)]
}

const eventCount = async () => (await client.list({ apiVersion: 'v1', kind: 'Event', namespace })).length

t.test('CO-97 creating D dependents that are ready at once: at most 2D+10 calls', async t => {
  const definition = ground.define()
  await ground.plant('warm', { objects: [configMap('warm-a')] })
  await ground.settle(definition, 'warm')
  for (const count of [1, 20, 60]) {
    const name = `cost-${count}`
    await ground.plant(name, { objects: Array.from({ length: count }, (_, i) => configMap(`${name}-${i}`)) })
    const cost = await costOf(() => ground.call(definition, name))
    t.equal((await ground.status(name)).state, 'Ready')
    t.ok(cost.length <= 2 * count + 10, `${cost.length} for ${count}`)
  }
})

t.test('CO-98 CO-56 an idle pass: the component, one LIST per kind, no write; waves cost nothing', async t => {
  const definition = ground.define()
  const pipe = (name: string) => ({ ...configMap(name), kind: 'ServiceAccount', data: undefined })
  const objects = Array.from({ length: 12 }, (_, i) => {
    const order = { 'apply-order': String(i % 6) }
    return annotated(i % 2 ? configMap(`idle-${i}`) : (pipe(`idle-${i}`) as KubeObject), order)
  })
  await ground.plant('idle', { objects })
  await ground.settle(definition, 'idle')
  matches(t, await ground.status('idle'), { state: 'Ready' })
  const cost = await costOf(() => ground.call(definition, 'idle'))
  t.strictSame(cost.toSorted(), ['get 200', 'list 200', 'list 200'])
  const hooked = ground.define({ hooks: { preReconcile: [() => {}], postReconcile: [() => {}] } })
  await ground.call(hooked, 'idle')
  t.strictSame(
    (await costOf(() => ground.call(hooked, 'idle'))).toSorted(),
    ['get 200', 'list 200', 'list 200'],
    'with hooks',
  )
  const single = configMap('idle-single')
  await ground.plant('idle-single', { objects: [single] })
  await ground.settle(definition, 'idle-single')
  t.strictSame(await costOf(() => ground.call(definition, 'idle-single')), ['get 200', 'get 200'], 'one item: no LIST')
})

/** Calls at the same time: each gets its component when all have asked for theirs. The lists and gets of ConfigMaps that the calls make. */
const readsTogether = async (names: readonly string[]): Promise<string[]> => {
  const definition = ground.define({ options: { references: [{ path: 'spec.seed', kind: 'ConfigMap', whole: true }] } })
  for (const name of names) await ground.settle(definition, name)
  const here = Promise.withResolvers<void>()
  let arrived = 0
  const together = altered(own, real => ({
    get: async (ref, options) => {
      const object = await real.get(ref, options)
      if (ref.kind !== 'Orchard') return object
      if (++arrived === names.length) here.resolve()
      await here.promise
      return object
    },
  }))
  const change = { clusters: oneCluster(together), memory: processMemory() }
  const before = ground.requests.length
  const outcomes = await Promise.all(names.map(name => ground.call(definition, name, change)))
  for (const outcome of outcomes) matches(t, outcome, { outcome: 'settled' })
  const read = ground.requests.slice(before).filter(({ path }) => path.includes('/configmaps'))
  return read.map(({ verb }) => verb).toSorted()
}

t.test('CO-146 components of a namespace that are called at the same time share their reads', async t => {
  await client.create(configMap('together-seed'), { fieldManager: 'person' })
  const names = ['together-0', 'together-1', 'together-2', 'together-3']
  const made = (name: string) => ({
    seed: { name: 'together-seed' },
    objects: [0, 1].map(n => configMap(`${name}-${n}`)),
  })
  for (const name of names) await ground.plant(name, made(name))
  t.strictSame(await readsTogether(names), ['get', 'list'], 'the seed, and the dependents of all')
  const jane = { impersonationUser: 'jane', impersonationGroups: ['system:masters'] }
  for (const name of names.slice(2)) await ground.change(name, { spec: jane })
  t.strictSame(await readsTogether(names), ['get', 'get', 'list', 'list'], 'each identity reads for itself')
})

t.test('CO-97 new dependents of one kind in one namespace are looked for at once', async t => {
  const definition = ground.define()
  await ground.plant('looked', { objects: Array.from({ length: 30 }, (_, i) => configMap(`looked-${i}`)) })
  const cost = await costOf(() => ground.call(definition, 'looked'))
  t.ok(cost.length <= 30 + 10, `${cost.length} calls`)
  t.equal(cost.filter(text => text.startsWith('list')).length, 2, 'once before they are made, and once after')
  const ofComponent = cost.filter(text => /^(patch|replace status)/.test(text))
  t.strictSame(
    ofComponent,
    ['patch 200', 'replace status 200', 'replace status 200'],
    'the finalizer, the inventory, the end',
  )
  t.equal(cost.filter(text => text.startsWith('get')).length, 1, 'the component; whose this cluster is is known')
  const present = [configMap('seen-3', { a: 'theirs' }), configMap('seen-4', { a: 'theirs' })]
  for (const object of present) await client.create(object, { fieldManager: 'somebody' })
  const adopting = (name: string) => ({ ...configMap(name, { a: 'ours' }) })
  await ground.plant('seen', { objects: Array.from({ length: 10 }, (_, i) => adopting(`seen-${i}`)) })
  await ground.settle(definition, 'seen')
  matches(t, await ground.status('seen'), { state: 'Ready' })
  t.strictSame((await ground.live(configMap('seen-3')))?.data, { a: 'ours' }, 'what is there is adopted')
})

t.test('CO-56 where LIST is forbidden, single reads lead to the same', async t => {
  const definition = ground.define()
  const objects = [configMap('unlisted-a'), configMap('unlisted-b'), configMap('unlisted-c')]
  await ground.plant('unlisted', { objects })
  const forbidding = oneCluster(altered(own, () => ({ list: listing })))
  await ground.settle(definition, 'unlisted', { clusters: forbidding })
  matches(t, await ground.status('unlisted'), { state: 'Ready' })
  await client.delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'unlisted-b' }, {})
  await ground.settle(definition, 'unlisted', { clusters: forbidding, ...later(20) })
  t.equal((await kept('unlisted')).length, 3)
  await ground.remove('unlisted')
  await ground.settle(definition, 'unlisted', { clusters: forbidding })
  t.equal((await kept('unlisted')).length, 0)
})

/** Nothing may be listed. */
const listing = async () => {
  throw new ApiError({ code: 403, reason: 'Forbidden', message: 'lists are forbidden' })
}

t.test('CO-33 killed after any API call of apply, update, deletion: it converges, nothing is orphaned', async t => {
  const objects = (name: string, value: string) => [
    configMap(`${name}-a`, { value }),
    annotated(configMap(`${name}-b`, { value }), { 'apply-order': '1' }),
    ...(value === '1' ? [configMap(`${name}-old`)] : [configMap(`${name}-new`)]),
  ]
  const table: Record<string, number> = {}
  for (const [stage, value] of Object.entries({ apply: '1', update: '2', deletion: '' })) {
    for (let k = 1; ; k++) {
      const name = `kill-${stage}-${k}`
      await ground.plant(name, { objects: objects(name, '1') })
      if (stage !== 'apply') await ground.settle(ground.define(), name)
      if (stage === 'update') await ground.change(name, { spec: { objects: objects(name, value) } })
      if (stage === 'deletion') await ground.remove(name)
      const killed = mortal(own, k)
      await ground.call(ground.define(), name, { clusters: killed.clusters }).catch(() => undefined)
      const listed = new Set(inventoryNames(await ground.read(name)))
      const orphans = (await kept(name)).filter(({ metadata }) => !listed.has(metadata.name))
      t.strictSame(orphans, [], `${name}: whatever there is stands in the inventory`)
      await ground.settle(ground.define(), name, later(30))
      const after = (await kept(name)).map(({ metadata, data }) => [metadata.name, (data as object | undefined) ?? {}])
      t.strictSame(after, wantedAfter(name, stage), `${name}: converges`)
      if (stage !== 'deletion') matches(t, await ground.status(name), { state: 'Ready' })
      else t.equal(await ground.read(name), undefined)
      table[stage] = k
      if (!killed.isDead()) break
    }
  }
  t.comment(`kills tried: ${JSON.stringify(table)}`)
})

const wantedAfter = (name: string, stage: string) => {
  if (stage === 'deletion') return []
  const value = stage === 'apply' ? '1' : '2'
  return [
    [`${name}-a`, { value }],
    [`${name}-b`, { value }],
    stage === 'apply' ? [`${name}-old`, {}] : [`${name}-new`, {}],
  ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/** A client whose process dies after so many calls: the last one lands, no further one is made. */
const mortal = (real: Client, calls: number): { clusters: BindableClusters; isDead(): boolean } => {
  let made = 0
  const counted =
    <Args extends unknown[], Answer>(act: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (++made > calls) throw new ConnectionError('ended', 'KILLED', 'the process is dead')
      return act(...args)
    }
  const dying = altered(real, inner => ({
    get: counted(inner.get),
    list: counted(inner.list),
    create: counted(inner.create),
    apply: counted(inner.apply),
    replace: counted(inner.replace),
    patch: counted(inner.patch),
    delete: counted(inner.delete),
    raw: counted(inner.raw),
  }))
  return { clusters: oneCluster(dying), isDead: () => made > calls }
}

t.test(
  'RE-02 a write lands and its reply is lost: the call fails and is made again, nothing else is waited for',
  async t => {
    const definition = ground.define()
    let isLost = true
    const losing = altered(own, real => ({
      create: async (object, options) => {
        const made = await real.create(object, options)
        if (object.kind === 'Event' || !isLost) return made
        isLost = false
        throw new ConnectionError('lost', 'ECONNRESET', 'the connection ended')
      },
    }))
    await ground.plant('lost', {
      objects: [configMap('lost-a'), annotated(configMap('lost-b'), { 'apply-order': '1' })],
    })
    const now = clockFromNow()(0)
    matches(t, await ground.call(definition, 'lost', { ...now, clusters: oneCluster(losing) }), {
      outcome: 'failed',
      requeueAfterSeconds: 1,
    })
    matches(t, await ground.settle(definition, 'lost'), { outcome: 'settled' })
    t.equal((await kept('lost')).length, 2)
  },
)

const rival = { fieldManager: 'rival' }

const takeOver = (object: KubeObject) =>
  client.patch(refOf(object), { type: 'merge', body: { metadata: { labels: { [`${P}/owner-id`]: 'rival' } } } }, rival)

const makeAnew = async (object: KubeObject) => {
  await client.delete(refOf(object), {})
  await client.create({ ...object, metadata: { ...object.metadata, labels: { [`${P}/owner-id`]: 'rival' } } }, rival)
}

/** A client whose first write to a dependent that is there comes a moment after this. */
const beforeWriting = (real: Client, act: () => Promise<unknown>): Client => {
  let isFirst = true
  const late =
    <Subject extends { kind: string }, Rest extends unknown[], Answer>(
      write: (subject: Subject, ...rest: Rest) => Promise<Answer>,
    ) =>
    async (subject: Subject, ...rest: Rest): Promise<Answer> => {
      if (isFirst && subject.kind === 'ConfigMap') {
        isFirst = false
        await act()
      }
      return write(subject, ...rest)
    }
  return altered(real, one => ({ apply: late(one.apply), replace: late(one.replace), delete: late(one.delete) }))
}

for (const [id, policy] of [
  ['CO-58', 'ssa-merge'],
  ['CO-58', 'ssa-override'],
  ['CO-58', 'replace'],
  ['CO-62', 'recreate'],
] as const)
  t.test(`${id} CO-42 ${policy}: an object that others take or make anew before its write stays theirs`, async t => {
    for (const overtakes of [takeOver, makeAnew]) {
      const name = `overtaken-${policy}-${overtakes === takeOver ? 'taken' : 'anew'}`
      const object = (value: string) => annotated(configMap(name, { value }), { 'update-policy': policy })
      await ground.plant(name, { objects: [object('1')] })
      await ground.settle(ground.define(), name)
      await ground.change(name, { spec: { objects: [object('2')] } })
      const overtaken = beforeWriting(own, () => overtakes(configMap(name, { value: 'theirs' })))
      await ground.settle(ground.define(), name, { clusters: oneCluster(overtaken) })
      matches(t, await ground.status(name), { state: 'Error', ready: { message: /is owned by/ } }, name)
      const live = await ground.live(object(''))
      t.equal(live?.metadata.labels?.[`${P}/owner-id`], 'rival', name)
      t.strictSame(live?.data, { value: overtakes === takeOver ? '1' : 'theirs' }, name)
    }
  })

t.test('CO-34 two replicas at once, fifty times: each dependent made once, and then quiet', async t => {
  const names = Array.from({ length: 50 }, (_, i) => `pair-${i}`)
  for (const name of names) await ground.plant(name, { objects: [configMap(`${name}-a`), configMap(`${name}-b`)] })
  const replicas = [ground.define(), ground.define()]
  for (const name of names) {
    await Promise.all(replicas.map(replica => ground.settle(replica, name, { clusters: clusters({ local: own }) })))
    const versions = async () => [
      (await ground.read(name))?.metadata.resourceVersion,
      ...(await kept(name)).map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`),
    ]
    const before = await versions()
    t.equal(before.length, 3)
    matches(t, await ground.status(name), { state: 'Ready', revision: 1 })
    for (const replica of replicas) await ground.settle(replica, name)
    t.strictSame(await versions(), before, `${name}: no more writes`)
    const created = (await ground.events(`${name}-a`)).filter(event => /Created/.test(event))
    t.equal(created.length, 1)
  }
})

t.test('CO-24 the time budget is spent with work left: called again at once, nothing lost', async t => {
  const definition = ground.define()
  await ground.plant('hurried', { objects: Array.from({ length: 5 }, (_, i) => configMap(`hurried-${i}`)) })
  const outcomes: unknown[] = []
  for (let calls = 0; calls < 25; calls++) {
    // None for the first, however fast the machine, and enough for the last, however slow.
    const milliseconds = 3 * (1.5 ** calls - 1)
    const { outcome, requeueAfterSeconds } = await ground.call(definition, 'hurried', {
      lastPassAt: performance.now() + milliseconds,
    })
    outcomes.push(outcome)
    if (outcome === 'settled') break
    t.equal(requeueAfterSeconds, 0)
  }
  t.ok(outcomes.length > 1, `${outcomes.length} calls`)
  t.equal(outcomes.at(-1), 'settled')
  t.equal((await kept('hurried')).length, 5)
})

/** How many ConfigMaps were created, and how many at most at once. */
const creations = (real: Client) => {
  const count = { all: 0, now: 0, most: 0 }
  const counting = altered(real, one => ({
    create: async (object, options) => {
      if (object.kind !== 'ConfigMap') return one.create(object, options)
      count.all++
      count.most = Math.max(count.most, ++count.now)
      return one.create(object, options).finally(() => count.now--)
    },
  }))
  return { client: counting, count }
}

t.test('CO-55 a thousand dependents in one component, each written once, sixteen at a time', async t => {
  const definition = ground.define()
  const { client: counting, count } = creations(own)
  await ground.plant('thousand', { objects: Array.from({ length: 1000 }, (_, i) => configMap(`thousand-${i}`)) })
  await ground.settle(definition, 'thousand', { clusters: oneCluster(counting) })
  matches(t, count, { all: 1000, most: 16 })
  const object = await ground.read('thousand')
  matches(t, await ground.status('thousand'), { state: 'Ready' })
  const bytes = Buffer.byteLength(JSON.stringify(object?.status))
  t.ok(bytes < 400 * 1024, `${Math.round(bytes / 1024)} KiB of status`)
  t.equal((await kept('thousand')).length, 1000)
})
