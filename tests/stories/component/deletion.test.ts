// A component's end on a cluster: waves, policies, what holds it up, and what others own.
import t from 'tap'
import type { JsonMap } from '../../../shared/core/json/json.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { crd, established, later, orchards } from '../../harness/component/orchards.ts'
import { lacks, matches } from '../../harness/matches.ts'

const ground = await orchards(t)
const { client, configMap, plantOf, namespace, name: P } = ground
const writer = { fieldManager: 'somebody' }
const definition = ground.define()
const held = 'example.com/held'

const ready = { conditions: [{ type: 'Ready', status: 'True' }] }

const annotated = (object: KubeObject, annotations: Record<string, string>, finalizers?: string[]): KubeObject => {
  const own = Object.entries(annotations).map(([key, value]) => [`${P}/${key}`, value])
  return {
    ...object,
    metadata: { ...object.metadata, annotations: Object.fromEntries(own), ...(finalizers && { finalizers }) },
  }
}

const planted = async (name: string, objects: readonly KubeObject[], metadata?: object, spec: JsonMap = {}) => {
  await ground.plant(name, { ...spec, objects }, metadata)
  await ground.settle(definition, name)
}

const going = async (name: string, seconds = 0) => {
  await ground.settle(definition, name, later(seconds))
  return await ground.read(name)
}

const inVersion = (name: string, definition: KubeObject): KubeObject => {
  const { versions, ...spec } = definition.spec as { versions: object[] }
  return { ...definition, spec: { ...spec, versions: versions.map(version => ({ ...version, name })) } }
}

const isThere = async (object: KubeObject): Promise<boolean> => (await ground.live(object)) !== undefined
const release = (object: KubeObject) =>
  client.patch(refOf(object), { type: 'merge', body: { metadata: { finalizers: null } } }, writer)

t.test('CO-64 three delete orders, a finalizer in the first: each wave waits for the former', async t => {
  const [first, second, third] = [1, 2, 3].map(order =>
    annotated(configMap(`order-${order}`), { 'delete-order': String(order) }, order === 1 ? [held] : undefined),
  ) as [KubeObject, KubeObject, KubeObject]
  await planted('ordered', [third, first, second])
  await ground.remove('ordered')
  t.ok(await going('ordered'))
  matches(t, await ground.status('ordered'), {
    state: 'Deleting',
    ready: { status: 'Unknown', reason: 'DeletionProcessing' },
  })
  t.strictSame([await isThere(second), await isThere(third)], [true, true])
  await release(first)
  t.equal(await going('ordered', 20), undefined)
  t.strictSame([await isThere(second), await isThere(third)], [false, false])
})

t.test('CO-64 deletion amid the first apply', async t => {
  const slow = annotated(plantOf('amid'), { 'status-hint': 'has-ready-condition' })
  await planted('amid', [slow, annotated(configMap('amid-late'), { 'apply-order': '1' })])
  await ground.remove('amid')
  t.equal(await going('amid'), undefined)
  t.notOk(await isThere(slow))
})

t.test('CO-65 managed instances are gone before anything else of their wave goes', async t => {
  const group = `nut-${P}`
  const nuts = crd(group, 'Nut', 'nuts')
  const nut = { apiVersion: `${group}/v1`, kind: 'Nut', metadata: { name: 'hazel', namespace, finalizers: [held] } }
  const operator = configMap('nutty-operator')
  await established(client, nuts)
  await planted('nutty', [nut, nuts, operator])
  matches(t, await ground.status('nutty'), { state: 'Ready' })
  await ground.remove('nutty')
  t.ok(await going('nutty'))
  t.strictSame(await ground.lives([nut, nuts, operator]), ['going', 'there', 'there'])
  await release(nut)
  await ground.gone(definition, 'nutty')
  t.strictSame(await ground.lives([nuts, operator]), ['gone', 'gone'])
})

t.test('CO-65 CO-38 a Namespace goes when no item is in it any more', async t => {
  const inner = `${namespace}-inner`
  const space: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: inner } }
  const metadata = { name: 'inside', namespace: inner, finalizers: [held] }
  const inside = { ...configMap('inside'), metadata }
  await planted('spacious', [inside, space])
  matches(t, await ground.status('spacious'), { state: 'Ready' })
  await ground.change('spacious', { spec: { objects: [inside] } })
  await ground.settle(definition, 'spacious')
  matches(t, await ground.status('spacious'), {
    state: 'Error',
    ready: { reason: 'Error', message: /ConfigMap .*-inner\/inside would outlive Namespace .*-inner,/ },
  })
  t.strictSame(await ground.lives([inside, space]), ['there', 'there'], 'what stays is in it')
  await ground.remove('spacious')
  t.ok(await going('spacious'))
  t.strictSame(await ground.lives([inside, space]), ['going', 'there'])
  await release(inside)
  await ground.gone(definition, 'spacious')
  t.notOk(await isThere(space))
})

t.test('CO-66 each delete policy when the component goes', async t => {
  const policies = ['delete', 'orphan', 'orphan-on-apply', 'orphan-on-delete']
  const objects = policies.map(policy => annotated(configMap(`policy-${policy}`), { 'delete-policy': policy }))
  await planted('policies', objects)
  await ground.remove('policies')
  t.equal(await going('policies'), undefined)
  t.strictSame(await Promise.all(objects.map(isThere)), [false, true, false, true])
})

t.test('CO-67 a dependent that somebody else owns by now, or made anew, is released', async t => {
  const [robbed, anew] = [configMap('robbed'), configMap('anew')]
  await planted('releasing', [robbed, anew])
  const label = { [`${P}/owner-id`]: 'somebody' }
  await client.patch(refOf(robbed), { type: 'merge', body: { metadata: { labels: label } } }, writer)
  await client.delete(refOf(anew), {})
  await client.create(anew, writer)
  await ground.remove('releasing')
  t.equal(await going('releasing'), undefined)
  t.strictSame([await isThere(robbed), await isThere(anew)], [true, true])
})

t.test('CO-68 CO-69 instances of others block; the first ten and the count are told', async t => {
  const group = `berry-${P}`
  const berries = crd(group, 'Berry', 'berries')
  const berry = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Berry', metadata: { name, namespace } })
  await established(client, berries)
  const names = Array.from({ length: 14 }, (_, i) => `berry-${String(i).padStart(2, '0')}`)
  for (const name of names) await client.create(berry(name), writer)
  await planted('blocked', [berries, configMap('blocked-a')])
  await ground.remove('blocked')
  t.ok(await going('blocked'))
  const { state, ready: told } = await ground.status('blocked')
  matches(
    t,
    { state, reason: told.reason, status: told.status },
    { state: 'Deleting', reason: 'DeletionBlocked', status: 'Unknown' },
  )
  matches(t, told.message, /14/)
  t.equal(names.filter(name => told.message.includes(name)).length, 10)
  t.ok((await ground.events('blocked')).some(event => /^Warning DeletionBlocked.*14/.test(event)))
  t.ok(await isThere(configMap('blocked-a')), 'no dependent is touched')
  const [first = '', ...others] = names
  await client.patch(refOf(berry(first)), { type: 'merge', body: { metadata: { finalizers: [held] } } }, writer)
  for (const name of names) await client.delete(refOf(berry(name)), {})
  t.ok(await going('blocked'))
  matches(t, (await ground.status('blocked')).ready.message, /1 object of .*\/berry-00 \(is being deleted\)$/)
  lacks(t, (await ground.status('blocked')).ready.message, others[0] ?? '')
  await release(berry(first))
  await ground.gone(definition, 'blocked')
  t.notOk(await isThere(berries))
})

t.test(
  'CO-105 a copy of an instance with our labels blocks as any other; what was generated for an instance does not',
  async t => {
    const group = `plum-${P}`
    const plums = crd(group, 'Plum', 'plums')
    const plum = (name: string): KubeObject => ({
      apiVersion: `${group}/v1`,
      kind: 'Plum',
      metadata: { name, namespace },
    })
    await established(client, plums)
    await planted('copied', [plums, plum('own')])
    const { metadata } = (await client.get(refOf(plum('own')))) as KubeObject
    const { labels, annotations, uid = '' } = metadata
    const ownerReferences = [{ apiVersion: `${group}/v1`, kind: 'Plum', name: 'own', uid }]
    const like = (name: string, more: object = {}) =>
      client.create({ ...plum(name), metadata: { name, namespace, labels, annotations, ...more } }, writer)
    await like('generated', { ownerReferences })
    await like('copy')
    await ground.remove('copied')
    t.ok(await going('copied'))
    matches(t, (await ground.status('copied')).ready, {
      reason: 'DeletionBlocked',
      message: /^((?!generated|own).)*copy((?!generated|own).)*$/,
    })
    t.ok(await isThere(plum('own')))
    await client.delete(refOf(plum('copy')), {})
    await ground.gone(definition, 'copied')
    t.notOk(await isThere(plums))
  },
)

t.test('CO-68 CO-70 additional managed types block, the types of orphaned items do not', async t => {
  const types = [{ group: P, kind: 'Plant' }]
  const foreign = plantOf('foreign')
  await client.create(foreign, writer)
  await planted('additional', [configMap('additional-a')], undefined, { additionalManagedTypes: types })
  await ground.remove('additional')
  t.ok(await going('additional'))
  matches(t, (await ground.status('additional')).ready, { reason: 'DeletionBlocked', message: /foreign/ })
  await client.delete(refOf(foreign), {})
  t.equal(await going('additional', 10), undefined)
  const group = `seed-${P}`
  const seeds = crd(group, 'Seed', 'seeds')
  await established(client, seeds)
  await client.create({ apiVersion: `${group}/v1`, kind: 'Seed', metadata: { name: 'a', namespace } }, writer)
  await planted('orphaning', [annotated(seeds, { 'delete-policy': 'orphan-on-delete' })])
  await ground.remove('orphaning')
  t.equal(await going('orphaning'), undefined)
  const left = await client.get(refOf(seeds))
  t.ok(left)
  t.notOk(left?.metadata.finalizers?.includes(P), 'CO-66 it loses our finalizer')
  await client.delete(refOf(seeds), {})
})

t.test('CO-69 what blocks is told once, as a sentence, whoever names its type', async t => {
  const group = `leaf-${P}`
  const leaves = crd(group, 'Leaf', 'leaves')
  await established(client, leaves)
  const strangers = [
    plantOf('stranger'),
    { apiVersion: `${group}/v1`, kind: 'Leaf', metadata: { name: 'l', namespace } },
  ]
  for (const object of strangers) await client.create(object, writer)
  const types = [
    { group, kind: 'Leaf' },
    { group: P, kind: 'Plant' },
  ]
  await planted('leafy', [leaves], undefined, { additionalManagedTypes: types })
  await ground.remove('leafy')
  await going('leafy')
  const needs = (kind: string, name: string) => `1 object of others needs ${kind}: ${namespace}/${name}`
  const definitionName = `CustomResourceDefinition leaves.${group}`
  t.equal(
    (await ground.status('leafy')).ready.message,
    `Deletion is blocked: ${definitionName}: ${needs(`Leaf.${group}`, 'l')}; ${needs(`Plant.${P}`, 'stranger')}`,
  )
  for (const object of strangers) await client.delete(refOf(object), {})
  await ground.gone(definition, 'leafy')
})

t.test('CO-68 kinds that are not served in the version that is preferred in their group block too', async t => {
  const group = `moss-${P}`
  const [oaks, mosses] = [crd(group, 'Oak', 'oaks'), inVersion('v1beta1', crd(group, 'Moss', 'mosses'))] as const
  for (const definition of [oaks, mosses]) await established(client, definition)
  const moss = { apiVersion: `${group}/v1beta1`, kind: 'Moss', metadata: { name: 'green', namespace } }
  await client.create(moss, writer)
  await planted('mossy', [configMap('mossy-a')], undefined, { additionalManagedTypes: [{ group, kind: '*' }] })
  await ground.remove('mossy')
  t.ok(await going('mossy'))
  matches(t, (await ground.status('mossy')).ready, { reason: 'DeletionBlocked', message: /green/ })
  t.ok(await isThere(configMap('mossy-a')))
  await client.delete(refOf(moss), {})
  t.equal(await going('mossy', 10), undefined)
  for (const definition of [oaks, mosses]) await client.delete(refOf(definition), {})
})

t.test('CO-71 a foreign finalizer on the component blocks', async t => {
  await planted('foreign', [configMap('foreign-a')], { finalizers: [held] })
  await ground.remove('foreign')
  t.ok(await going('foreign'))
  matches(t, await ground.status('foreign'), {
    state: 'Deleting',
    ready: { reason: 'DeletionBlocked', message: new RegExp(held) },
  })
  t.ok(await isThere(configMap('foreign-a')))
  await ground.change('foreign', { metadata: { finalizers: [P] } })
  t.equal(await going('foreign', 20), undefined)
  t.notOk(await isThere(configMap('foreign-a')))
})

t.test('CO-72 delete hooks: before the first deletion, after the last, then deleted', async t => {
  const hook = (name: string, moment: string) =>
    annotated(plantOf(name), { 'delete-hook': moment, 'status-hint': 'has-ready-condition' })
  const [before, after, object] = [hook('before', 'pre-delete'), hook('after', 'post-delete'), configMap('hooked-a')]
  await planted('hooked', [before, after, object])
  matches(t, await ground.status('hooked'), { state: 'Ready', deleteHooks: 2 })
  t.strictSame([await isThere(before), await isThere(after)], [false, false], 'not before deletion')
  await ground.remove('hooked')
  await going('hooked')
  t.strictSame([await isThere(before), await isThere(after), await isThere(object)], [true, false, true])
  await ground.grow('before', ready)
  await going('hooked', 20)
  t.strictSame([await isThere(after), await isThere(object)], [true, false])
  await ground.grow('after', { conditions: [{ type: 'Stalled', status: 'True', message: 'broken' }] })
  t.ok(await going('hooked', 40))
  matches(t, await ground.status('hooked'), {
    state: 'Error',
    ready: { reason: 'DependentFailed', message: /after.*broken/ },
  })
  await ground.change('hooked', { metadata: { annotations: { [`${P}/skip-delete-hooks`]: 'true' } } })
  t.equal(await going('hooked', 60), undefined)
  t.strictSame([await isThere(before), await isThere(after)], [false, false])
})

t.test('CO-72 CO-65 a Namespace and a CRD stay until the post-delete hooks that need them have run', async t => {
  const group = `fig-${P}`
  const [inner, figs] = [`${namespace}-late`, crd(group, 'Fig', 'figs')]
  const space: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: inner } }
  const inside = (object: KubeObject) => ({ ...object, metadata: { ...object.metadata, namespace: inner } })
  const after = (object: KubeObject) =>
    annotated(inside(object), { 'delete-hook': 'post-delete', 'status-hint': 'has-ready-condition' })
  const fig = after({ apiVersion: `${group}/v1`, kind: 'Fig', metadata: { name: 'dry' } })
  const [plant, object] = [after(plantOf('late')), inside(configMap('late-a'))]
  await established(client, figs)
  await planted('late', [space, figs, object, plant, fig])
  matches(t, await ground.status('late'), { state: 'Ready' })
  const { uid } = (await ground.live(space))?.metadata ?? {}
  await ground.remove('late')
  await ground.settleUntil(definition, 'late', async () => isThere(plant))
  t.strictSame(await ground.lives([object, fig, figs, space]), ['gone', 'there', 'there', 'there'])
  t.equal((await ground.live(space))?.metadata.uid, uid, 'nothing is made anew')
  for (const hook of [plant, fig])
    await client.patch(refOf(hook), { type: 'merge', body: { status: ready } }, { ...writer, subresource: 'status' })
  await ground.gone(definition, 'late')
  t.strictSame(await ground.lives([plant, figs, space]), ['gone', 'gone', 'gone'])
})
