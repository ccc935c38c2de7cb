// How a component's dependents are written, kept and given up on a cluster: waves, adoption, policies, drift.
import { inspect } from 'node:util'
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { clusters } from '../../../shared/kube/clusters/clusters.ts'
import { faultProxy } from '../../faults/proxy/proxy.ts'
import { kubeconfig } from '../../harness/clients/kubeconfig.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { clockFromNow, crd, later, orchards } from '../../harness/component/orchards.ts'
import { lacks, matches } from '../../harness/matches.ts'

const ground = await orchards(t)
const { client, configMap, plantOf, namespace, name: P } = ground
const writer = { fieldManager: 'somebody' }
const definition = ground.define()

const ready = { conditions: [{ type: 'Ready', status: 'True' }] }

const annotated = (object: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...own(annotations) } },
})

/** Keys of ours by the part after the slash. */
const own = (annotations: Record<string, string>) =>
  Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${P}/${key}`, value]))

const slow = (name: string): KubeObject => annotated(plantOf(name), { 'status-hint': 'has-ready-condition' })

const settled = async (name: string, objects: readonly KubeObject[], seconds = 0) => {
  if (await ground.read(name)) await ground.change(name, { spec: { objects } })
  else await ground.plant(name, { objects })
  const outcome = await ground.settle(definition, name, later(seconds))
  return { outcome, status: await ground.status(name) }
}

const written = async (object: KubeObject): Promise<string> =>
  (await ground.live(object))?.metadata.resourceVersion ?? 'none'

const write = (object: KubeObject, body: JsonMap) => client.patch(refOf(object), { type: 'merge', body }, writer)

/** Finalizers and status; dependents are written otherwise here. */
const isOfComponent = (verb: string): boolean => ['patch', 'replace status'].includes(verb)

/** Verbs of requests that write dependents, made meanwhile. */
const writesDuring = async (act: () => Promise<unknown>): Promise<string[]> => {
  const before = ground.requests.length
  await act()
  return ground.requests
    .slice(before)
    .flatMap(({ verb, method }) => (method === 'GET' || isOfComponent(verb) ? [] : [verb]))
}

t.test('CO-35 CO-36 what is wrong with a manifest is named, and nothing is written', async t => {
  const good = configMap('wrong-good')
  const bad: [what: RegExp, object: unknown][] = [
    [/generateName/, { ...configMap(''), metadata: { generateName: 'x-', namespace } }],
    [/kind/, { apiVersion: 'v1', metadata: { name: 'nothing' } }],
    [/label/, { ...configMap('labelled'), metadata: { name: 'labelled', namespace, labels: { number: 1 } } }],
    [/Unheard/, { apiVersion: 'unheard.example/v1', kind: 'Unheard', metadata: { name: 'x', namespace } }],
    [/apply-order.*40000/, annotated(configMap('order'), { 'apply-order': '40000' })],
    [/update-policy.*patch/, annotated(configMap('policy'), { 'update-policy': 'patch' })],
    [/reapply-interval.*5x/, annotated(configMap('interval'), { 'reapply-interval': '5x' })],
  ]
  for (const [index, [what, object]] of bad.entries()) {
    const { outcome, status } = await settled(`wrong-${index}`, [good, object as KubeObject])
    t.equal(outcome.outcome, 'failed')
    matches(t, status, { state: 'Error', ready: { reason: 'Error', message: what } })
    t.strictSame(status.inventory ?? [], [], 'the inventory is unchanged')
  }
  t.equal(await ground.live(good), undefined)
})

t.test('CO-40 namespaces: made bare where they are missing, or an Error', async t => {
  const elsewhere = `${namespace}-made`
  const object = { ...configMap('roaming'), metadata: { name: 'roaming', namespace: elsewhere } }
  matches(t, (await settled('roaming', [object])).status, { state: 'Ready' })
  t.strictSame((await ground.status('roaming')).inventory?.length, 1, 'the namespace is not tracked')
  t.notOk((await client.get(namespaceRef(elsewhere)))?.metadata.labels?.[`${P}/owner-id`])
  await ground.remove('roaming')
  await ground.settle(definition, 'roaming')
  t.ok(await client.get(namespaceRef(elsewhere)), 'nor deleted')
  await ground.plant('homeless', {
    createMissingNamespaces: false,
    objects: [{ ...object, metadata: { name: 'homeless', namespace: `${namespace}-none` } }],
  })
  matches(t, await ground.settle(definition, 'homeless'), { reason: new RegExp(`${namespace}-none`) })
  await client.delete(namespaceRef(elsewhere), {})
})

const namespaceRef = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', namespace: '', name })

t.test('CO-41 CO-42 adoption: an existing object is adopted or refused, never taken from another owner', async t => {
  const free = configMap('adopt-free', { a: 'theirs' })
  await client.create(free, writer)
  const adopted = await settled('adopting', [configMap('adopt-free', { a: 'ours' })])
  matches(t, adopted.status, { state: 'Ready' })
  t.strictSame((await ground.live(free))?.data, { a: 'ours' })
  const refused = await settled('refusing', [
    annotated(configMap('adopt-free', { a: 'mine' }), {}),
    configMap('adopt-new'),
  ])
  matches(t, refused.status.ready, { reason: 'Error', message: /adopt-free.*adopting/ })
  t.equal(await ground.live(configMap('adopt-new')), undefined, 'before anything is written')
  await client.create(configMap('adopt-never', { a: 'theirs' }), writer)
  const never = annotated(configMap('adopt-never', { a: 'ours' }), { 'adoption-policy': 'never' })
  matches(t, (await settled('never', [never])).status.ready, { reason: 'Error', message: /adopt-never/ })
  t.strictSame((await ground.live(never))?.data, { a: 'theirs' })

  const always = (value: string) => annotated(configMap('adopt-free', { a: value }), { 'adoption-policy': 'always' })
  matches(t, (await settled('robbing', [always('robbed')])).status, { state: 'Ready' })
  t.strictSame((await ground.live(free))?.data, { a: 'robbed' })
  await ground.settle(definition, 'adopting', later(20))
  matches(t, (await ground.status('adopting')).ready, { reason: 'Error', message: /adopt-free.*robbing/ })
  const before = await written(free)
  for (const seconds of [40, 60, 80])
    for (const name of ['adopting', 'robbing']) await ground.settle(definition, name, later(seconds))
  t.equal(await written(free), before, 'they do not flap')
  await client.patch(
    refOf(free),
    { type: 'merge', body: { metadata: { labels: { [`${P}/owner-id`]: null } } } },
    writer,
  )
  await settled('robbing', [], 90)
  await ground.settle(definition, 'adopting', later(100))
  matches(t, (await ground.status('adopting')).state, 'Ready', 'released')
  t.strictSame((await ground.live(free))?.data, { a: 'ours' })
})

t.test('CO-43 CO-62 recreate: deleted by uid and resourceVersion, then created', async t => {
  const recreated = (value: string) => annotated(configMap('anew', { a: value }), { 'update-policy': 'recreate' })
  await client.create(configMap('anew', { a: 'theirs' }), writer)
  const state = async () => {
    const { uid, resourceVersion } = (await ground.live(configMap('anew')))?.metadata ?? {}
    return { uid, resourceVersion }
  }
  const proxy = await faultProxy(ground.cluster)
  t.teardown(proxy.close)
  const local = clientTo(t, { kubeconfig: kubeconfig(proxy, ground.cluster.admin) })
  const seen = { clusters: clusters({ local }) }
  /** How the API server saw the requests that deleted it: what each was bound to, and what became of it. */
  const deletions = () =>
    proxy.ledger.entries.flatMap(({ verb, name, code, bound }) =>
      verb === 'delete' && name === 'anew' ? [{ code, bound }] : [],
    )
  const theirs = await state()
  await ground.plant('anew', { objects: [recreated('1')] })
  await ground.settle(definition, 'anew', seen)
  const first = await state()
  t.not(first.uid, theirs.uid)
  t.strictSame(deletions(), [{ code: 200, bound: theirs }])
  await ground.change('anew', { spec: { objects: [recreated('2')] } })
  await ground.settle(definition, 'anew', seen)
  t.not((await state()).uid, first.uid)
  t.strictSame(deletions().slice(1), [{ code: 200, bound: first }])
  t.strictSame((await ground.live(configMap('anew')))?.data, { a: '2' })
  matches(t, await ground.status('anew'), { state: 'Ready' })
})

t.test('CO-44 waves: a later one is absent until the former is ready; a failure holds it', async t => {
  const objects = [
    annotated(configMap('wave-early'), { 'apply-order': '-5' }),
    slow('wave-middle'),
    annotated(configMap('wave-late'), { 'apply-order': '7' }),
  ]
  await settled('waves', objects)
  t.ok(await ground.live(configMap('wave-early')))
  t.ok(await ground.live(plantOf('wave-middle')))
  t.equal(await ground.live(configMap('wave-late')), undefined)
  await ground.grow('wave-middle', { conditions: [{ type: 'Stalled', status: 'True', message: 'dry' }] })
  await ground.settle(definition, 'waves')
  t.equal(await ground.live(configMap('wave-late')), undefined)
  t.ok(await ground.live(configMap('wave-early')), 'earlier ones are not undone')
  await ground.grow('wave-middle', ready)
  await ground.settle(definition, 'waves')
  t.ok(await ground.live(configMap('wave-late')))
})

t.test('CO-45 a CRD and its instances in one wave', async t => {
  const group = `fruit-${P}`
  const instance = {
    apiVersion: `${group}/v1`,
    kind: 'Fruit',
    metadata: { name: 'pear', namespace },
    spec: { sweet: true },
  }
  await ground.plant('stages', { objects: [instance, crd(group, 'Fruit', 'fruits')] })
  await ground.settleUntil(definition, 'stages', async () => (await ground.status('stages')).state === 'Ready')
  matches(t, await ground.live(instance), { spec: { sweet: true } })
  const definitionOf = await client.get(refOf(crd(group, 'Fruit', 'fruits')))
  t.ok(definitionOf?.metadata.finalizers?.includes(P), 'CO-63 CRDs carry our finalizer')
  await ground.remove('stages')
  await ground.gone(definition, 'stages')
  t.equal(await client.get(refOf(crd(group, 'Fruit', 'fruits'))), undefined)
})

t.test('CO-47 purge order: a dependent is deleted after its wave, not made again until it changes', async t => {
  const migration = (data: string) =>
    annotated(configMap('migrate', { data }), { 'apply-order': '1', 'purge-order': '2', 'delete-policy': 'orphan' })
  const objects = (data: string) => [migration(data), annotated(slow('after'), { 'apply-order': '2' })]
  await settled('purging', objects('1'))
  t.ok(await ground.live(migration('1')), 'until its time has come')
  await ground.grow('after', ready)
  await ground.settle(definition, 'purging')
  t.equal(await ground.live(migration('1')), undefined, 'whatever its delete policy')
  matches(t, await ground.status('purging'), { state: 'Ready' })
  await ground.settle(definition, 'purging', later(30))
  t.equal(await ground.live(migration('1')), undefined)
  t.strictSame(await writesDuring(() => ground.settle(definition, 'purging', later(60))), [])
  await settled('purging', objects('2'), 90)
  const events = (await ground.events('migrate')).map(event => event.split(':')[0]).toSorted()
  t.strictSame([...new Set(events)], ['Normal Created', 'Normal Deleted'])
  const last = annotated(configMap('last'), { 'purge-order': '99' })
  await settled('purging-last', [last, slow('purging-last-a')])
  t.ok(await ground.live(last))
  await ground.grow('purging-last-a', ready)
  await ground.settle(definition, 'purging-last')
  t.equal(await ground.live(last), undefined, 'above the last wave: at the end')
  matches(t, await ground.status('purging-last'), { state: 'Ready' })
})

t.test('CO-39 CO-60 a manifest read from a cluster, with its managedFields, is applied', async t => {
  await client.create(configMap('exported', { a: '1' }), writer)
  const { metadata } = (await client.get(refOf(configMap('exported')), { withManagedFields: true })) ?? configMap('')
  const { managedFields } = metadata
  t.ok(managedFields)
  const copy = (value: string): KubeObject => {
    const object = annotated(configMap('exported-copy', { a: value }), { 'update-policy': 'ssa-merge' })
    return { ...object, metadata: { ...object.metadata, managedFields } }
  }
  matches(t, (await settled('exported', [copy('1')])).status, { state: 'Ready' })
  matches(t, (await settled('exported', [copy('2')])).status, { state: 'Ready' })
  t.strictSame((await ground.live(copy('')))?.data, { a: '2' })
})

t.test(
  'CO-59 CO-22 a manifest with an outdated resourceVersion: an Error, not one conflict after the other',
  async t => {
    for (const policy of ['replace', 'ssa-merge']) {
      const map = (value: string) => annotated(configMap(`bound-${policy}`, { a: value }), { 'update-policy': policy })
      const { resourceVersion } = (await client.create(map('theirs'), writer)).metadata
      const bound = (value: string): KubeObject => ({
        ...map(value),
        metadata: { ...map(value).metadata, resourceVersion },
      })
      matches(t, (await settled(`bound-${policy}`, [bound('1')])).status, { state: 'Ready' }, policy)
      await ground.change(`bound-${policy}`, { spec: { objects: [bound('2')] } })
      const outcome = await ground.call(definition, `bound-${policy}`)
      matches(t, outcome, { outcome: 'failed', requeueAfterSeconds: Number }, policy)
      matches(t, (await ground.status(`bound-${policy}`)).ready, {
        reason: 'Error',
        message: new RegExp(`bound-${policy} is rendered with resourceVersion ${resourceVersion},`),
      })
      t.strictSame((await ground.live(map('')))?.data, { a: '1' })
    }
  },
)

t.test('CO-48 a dependent is written when what its reconcile-policy names has changed', async t => {
  const objects = (value: string, more: Record<string, string> = {}) =>
    ['on-object-change', 'on-object-or-component-change', 'once'].map(policy =>
      annotated(configMap(`policy-${policy}`, { value }), { 'reconcile-policy': policy, ...more }),
    )
  const versions = () => Promise.all(objects('').map(written))
  const changed = async (act: () => Promise<unknown>) => {
    const before = await versions()
    await act()
    const after = await versions()
    return after.map((version, index) => version !== before[index])
  }
  await settled('policies', objects('1'))
  const touch = () => ground.change('policies', { metadata: { annotations: { touched: String(performance.now()) } } })
  const settle = (seconds: number) => ground.settle(definition, 'policies', later(seconds))
  t.strictSame(await changed(async () => touch().then(() => settle(20))), [false, true, false], 'the component')
  t.strictSame(await changed(() => settled('policies', objects('2'), 40)), [true, true, false], 'the manifest')
  const once = configMap('policy-once')
  await write(once, { data: { value: 'drifted' } })
  await settle(60)
  t.strictSame((await ground.live(once))?.data, { value: 'drifted' }, 'once: neither for drift')
  await client.delete(refOf(once), {})
  await settle(80)
  t.equal(await ground.live(once), undefined, 'nor after its deletion')
  matches(t, await ground.status('policies'), { state: 'Ready' })
})

t.test('CO-49 reapply: by annotation, by component, never under once', async t => {
  const objects = [
    annotated(configMap('age-own'), { 'reapply-interval': '1m' }),
    configMap('age-component'),
    annotated(configMap('age-once'), { 'reconcile-policy': 'once', 'reapply-interval': '1m' }),
  ]
  await ground.plant('aging', { objects, reapplyInterval: '10m' })
  await ground.settle(definition, 'aging')
  const applied = async () => {
    const { inventory = [] } = await ground.status('aging')
    return objects.map(({ metadata: { name } }) => inventory.find(item => item.name === name)?.lastAppliedAt)
  }
  const first = await applied()
  await ground.settle(definition, 'aging', later(61))
  const second = await applied()
  t.strictSame(
    second.map((time, i) => time !== first[i]),
    [true, false, false],
  )
  await ground.settle(definition, 'aging', later(662))
  t.strictSame(
    (await applied()).map((time, i) => time !== second[i]),
    [true, true, false],
  )
})

t.test('CO-50 one of thirty changes: one write', async t => {
  const objects = (value: string) =>
    Array.from({ length: 30 }, (_, i) => configMap(`many-${i}`, { value: i === 7 ? value : '' }))
  await settled('many', objects('1'))
  const writes = await writesDuring(() => settled('many', objects('2'), 20))
  t.strictSame(
    writes.filter(verb => verb !== 'create'),
    ['replace'],
    'all else are Events',
  )
  t.strictSame((await ground.live(configMap('many-7')))?.data, { value: '2' })
})

t.test('CO-51 CO-52 SEE-57 drift is repaired and told, what is no drift is left alone', async t => {
  const object = configMap('drifting', { a: '1' })
  const door: KubeObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'drifting', namespace },
    spec: { selector: { app: 'x' }, ports: [{ port: 80 }] },
  }
  const limits: KubeObject = {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'drifting', namespace },
    spec: { limits: [{ type: 'Container', max: { cpu: '1000m' } }] },
  }
  const scaled = plantOf('drifting')
  await settled('drifting', [object, door, limits, scaled])
  matches(t, await ground.status('drifting'), { state: 'Ready' })
  const at = clockFromNow()
  const quiet = () => writesDuring(() => ground.settle(definition, 'drifting', at(30)))
  t.strictSame(await quiet(), [], 'server defaults, quantities in another spelling')
  await write(scaled, { spec: { replicas: 2 } })
  t.strictSame(await quiet(), [], 'an autoscaler’s own fields')
  await write(object, { data: { a: 'drifted', b: 'more' } })
  await ground.settle(definition, 'drifting', at(90))
  t.strictSame((await ground.live(object))?.data, { a: '1' })
  matches(
    t,
    (await ground.events('drifting')).filter(event => /DriftCorrected/.test(event)),
    [/DriftCorrected: Corrected data\.a: drifted -> 1; written by somebody at \d{4}-/],
  )
  await write(object, { data: { a: 'again' } })
  await ground.settle(definition, 'drifting', at(95))
  t.strictSame((await ground.live(object))?.data, { a: 'again' }, 'not within ten seconds')
  await ground.settle(definition, 'drifting', at(101))
  t.strictSame((await ground.live(object))?.data, { a: '1' })
  await write(object, { metadata: { labels: { [`${P}/owner-id`]: null } } })
  await ground.settle(definition, 'drifting', at(130))
  t.ok((await ground.live(object))?.metadata.labels?.[`${P}/owner-id`], 'our label')
  await client.delete(refOf(object), {})
  await ground.settle(definition, 'drifting', at(160))
  t.ok(await ground.live(object), 'a deleted dependent')
})

t.test('CO-53 CO-66 redundant dependents go when the others are ready, by their last policy', async t => {
  const gone = configMap('redundant')
  const kept = annotated(configMap('redundant-kept'), { 'delete-policy': 'orphan-on-apply' })
  await settled('redundancy', [gone, kept, slow('redundancy-a')])
  await ground.grow('redundancy-a', ready)
  await ground.settle(definition, 'redundancy')
  await settled('redundancy', [slow('redundancy-a'), slow('redundancy-b')], 20)
  t.ok(await ground.live(gone), 'not before all others are ready')
  await ground.grow('redundancy-b', ready)
  await ground.settle(definition, 'redundancy', later(40))
  t.equal(await ground.live(gone), undefined)
  t.ok(await ground.live(kept), 'orphaned')
  const { inventory, state } = await ground.status('redundancy')
  t.equal(state, 'Ready')
  t.strictSame(inventory?.map(({ name }) => name).toSorted(), ['redundancy-a', 'redundancy-b'])
})

t.test('CO-54 a dependent that somebody is deleting is awaited, then created anew', async t => {
  const held = { ...configMap('ending'), metadata: { name: 'ending', namespace, finalizers: ['example.com/held'] } }
  await settled('ending', [held])
  const uid = (await ground.live(held))?.metadata.uid
  await client.delete(refOf(held), {})
  await ground.settle(definition, 'ending', later(20))
  matches(t, await ground.status('ending'), { state: 'Processing', inventory: [{ status: 'Terminating' }] })
  await write(held, { metadata: { finalizers: null } })
  await ground.settle(definition, 'ending', later(40))
  matches(t, await ground.status('ending'), { state: 'Ready' })
  t.not((await ground.live(held))?.metadata.uid, uid)
  await ground.settle(definition, 'ending', later(60))
  await settled('ending', [], 80)
  await write(held, { metadata: { finalizers: null } })
})

t.test('CO-57 the API server refuses one dependent of a stage: the others are written, the Error names it', async t => {
  const bad = { ...configMap('refused'), data: { a: { deep: 'no text' } } }
  const { outcome, status } = await settled('refusal', [configMap('accepted'), bad as KubeObject])
  t.equal(outcome.outcome, 'failed')
  matches(t, status, { state: 'Error', ready: { reason: 'Error', message: /ConfigMap .*refused/ } })
  t.ok(await ground.live(configMap('accepted')))
})

t.test('CO-57 NL (g) a Secret that the server cannot read is named, and nothing is told of what it holds', async t => {
  const canary = 'canary-of-a-password'
  const lines: unknown[] = []
  const note = (...line: unknown[]) => void lines.push(line)
  const log = { debug: note, info: note, warn: note, error: note }
  for (const policy of ['ssa-merge', 'ssa-override', 'replace']) {
    const name = `unread-${policy}`
    const secret = annotated(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } },
      { 'update-policy': policy },
    )
    await settled(name, [secret])
    // Somebody forgot to make a text of it.
    await ground.change(name, { spec: { objects: [{ ...secret, data: { config: { password: canary } } }] } })
    const outcome = await ground.settle(definition, name, { log })
    const status = await ground.status(name)
    matches(t, status.ready, { message: /Secret .*unread.*answered \d+/ }, 'the Secret is named')
    const told = [outcome, status, await ground.events(name), lines.map(line => inspect(line, { depth: 10 }))]
    lacks(t, JSON.stringify(told), canary, policy)
  }
})

t.test('CO-58 somebody else writes first, at any write: no Error, and it is looked at again at once', async t => {
  const contested = configMap('contested', { a: 'ours' })
  let isFirst = true
  const racing = ground.define({
    generator: async () => {
      if (isFirst) await client.create(configMap('contested-other'), writer)
      isFirst = false
      return [contested]
    },
  })
  await ground.plant('racing', {})
  matches(t, await ground.settle(racing, 'racing'), { outcome: 'settled' })
  matches(t, await ground.status('racing'), { state: 'Ready' })
  t.notOk((await ground.events('racing')).some(event => event.startsWith('Warning')))
})
