// What becomes of an object that several Manifests list when they come and go at the same moment, or when it is made anew.
import t from 'tap'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind, manifestKind } from '../../../shared/api/kyma.ts'
import { isDeleting, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { BindableClusters, Client } from '../../../shared/kube/client-types.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { established, later } from '../../harness/component/orchards.ts'
import { layerObjects, yamlOf } from '../../harness/kyma/layer-objects.ts'
import { manifestGround } from '../../harness/kyma/manifest-ground.ts'
import { settledManifests } from '../../harness/kyma/settled-manifests.ts'
import { contains } from '../../harness/matches.ts'
import { accessSecret } from '../../make/kyma/kyma.ts'

const ground = await manifestGround(t)
const { client, namespace } = ground
const { configMap, crdOf, customOf, live } = layerObjects(ground)
const { isGone, untilReady, untilGone, withLayer } = settledManifests(ground)
const somebody = { fieldManager: 'somebody' }
const { annotations } = kymaNames
const ownerId = 'manifest.operator.kyma-project.io/owner-id'

await ground.createKyma('here')

const held = { metadata: { finalizers: ['example.com/held'] } }

const mustLive = async (object: KubeObject): Promise<KubeObject> => {
  const found = await live(object)
  if (!found) throw new Error(`${object.kind} ${object.metadata.name} is gone`)
  return found
}

const noted = async (object: KubeObject) => (await live(object))?.metadata.annotations?.[ownerId]?.split('/').at(-1)
const installed = async (name: string, objects: KubeObject[], spec = {}, kyma = 'here') => {
  await ground.create(name, ground.layer(yamlOf(...objects)), { spec, kyma })
  await untilReady(name)
}

const removed = async (name: string) => {
  await ground.remove(name)
  await untilGone(name)
}

/** The control plane's cluster, in which something happens right before an object of this name is written. */
const before = (
  name: string,
  happens: () => Promise<unknown>,
  verb: 'patch' | 'create' = 'patch',
): BindableClusters => {
  let isOver = false
  const happensOnce = async (written: string) => {
    if (written !== name || isOver) return
    isOver = true
    await happens()
  }
  const change = ({ patch, create }: Client): Partial<Client> =>
    verb === 'patch'
      ? { patch: (ref, ...more) => happensOnce(ref.name).then(() => patch(ref, ...more)) }
      : { create: (object, ...more) => happensOnce(object.metadata.name).then(() => create(object, ...more)) }
  return {
    ...ground.everywhere,
    bound: bounds => {
      const { of } = ground.everywhere.bound(bounds)
      return { of: async cluster => altered(await of(cluster), change) }
    },
  }
}

t.test('KY-250 an object is not left to an heir that goes at the same moment', async t => {
  const shared = configMap('relic')
  for (const [how, letGo] of [
    ['dropped', () => withLayer('giver', configMap('of-giver'))],
    ['deleted', () => ground.remove('giver')],
  ] as const) {
    for (const name of ['giver', 'heir']) await installed(name, [shared, configMap(`of-${name}`)])
    t.equal(await noted(shared), 'giver')
    await letGo()
    await ground.settle('giver', { clusters: before('relic', () => removed('heir')) })
    t.ok(await isGone('heir'))
    t.equal(await live(shared), undefined, how)
    await removed('giver')
  }
})

t.test('KY-250 it goes to the next one that lists it', async t => {
  const shared = configMap('legacy')
  for (const name of ['a-giver', 'b-heir', 'c-heir']) await installed(name, [shared])
  t.equal(await noted(shared), 'a-giver')
  await ground.remove('a-giver')
  await ground.settle('a-giver', { clusters: before('legacy', () => removed('b-heir')) })
  t.strictSame([await isGone('a-giver'), await isGone('b-heir'), await noted(shared)], [true, true, 'c-heir'])
  await removed('c-heir')
  t.equal(await live(shared), undefined)
})

t.test('KY-262 an object is not left to an heir that drops it at the same moment', async t => {
  const shared = configMap('bequest')
  const dropped = () => withLayer('dropper', configMap('of-dropper'))
  const droppedFirst = async () => {
    await dropped()
    await ground.settle('dropper')
  }
  const leave = async () => {
    await ground.remove('leaver')
    await ground.settle('leaver')
  }
  for (const [how, goes] of [
    [
      'the heir has dropped it when it gets it',
      async () => {
        await ground.remove('leaver')
        await ground.settle('leaver', { clusters: before('bequest', droppedFirst) })
      },
    ],
    [
      'the heir has seen it as another one’s, and has not said yet that it drops it',
      async () => {
        await dropped()
        await ground.settle('dropper', { clusters: before('dropper', leave) })
      },
    ],
  ] as const) {
    for (const name of ['leaver', 'dropper']) await installed(name, [shared, configMap(`of-${name}`)])
    t.equal(await noted(shared), 'leaver')
    await goes()
    await untilGone('leaver')
    t.equal(await live(shared), undefined, how)
    t.equal((await ground.read('dropper'))?.status?.state, 'Ready')
    await removed('dropper')
  }
})

t.test('KY-262 an heir with a new layer that has the object still keeps it, once it has written it', async t => {
  const shared = configMap('kept')
  for (const name of ['parting', 'keeping']) await installed(name, [shared, configMap(`of-${name}`)])
  const { uid } = (await mustLive(shared)).metadata
  await withLayer('keeping', shared, configMap('new'))
  await ground.remove('parting')
  await ground.settle('parting')
  const waits = `waits for Manifest ${namespace}/keeping, which needs ConfigMap ${namespace}/kept`
  t.equal((await ground.read('parting'))?.status?.lastOperation?.operation, waits)
  await ground.settle('keeping')
  await ground.settle('parting')
  t.ok(await isGone('parting'))
  t.strictSame([(await mustLive(shared)).metadata.uid, await noted(shared)], [uid, 'keeping'])
  await removed('keeping')
})

t.test('KY-262 an heir whose new layer cannot be read is not waited for: it drops nothing', async t => {
  const shared = configMap('unread')
  for (const name of ['going-first', 'unreadable']) await installed(name, [shared, configMap(`of-${name}`)])
  const { spec } = (await ground.read('unreadable')) ?? {}
  const source = { ...spec?.install.source, ref: ground.layer('no: [yaml') }
  await ground.change('unreadable', { spec: { install: { source } } })
  await ground.settle('unreadable')
  t.equal((await ground.read('unreadable'))?.status?.state, 'Error')
  await removed('going-first')
  t.equal(await noted(shared), 'unreadable')
  await removed('unreadable')
  t.equal(await live(shared), undefined)
})

t.test('KY-262 a default object that two have is not waited for, since no layer drops it', async t => {
  const definition = crdOf('teas', 'Tea')
  const tea = customOf('Tea', 'teas', 'default')
  for (const name of ['first-teas', 'second-teas']) await installed(name, [definition], { resource: tea })
  const labels = { app: 'never-ready' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'b' }] } }
  const workload = { ...configMap('never-ready'), apiVersion: 'apps/v1', kind: 'Deployment', data: undefined }
  await withLayer('second-teas', definition, { ...workload, spec: { selector: { matchLabels: labels }, template } })
  await ground.settle('second-teas')
  t.equal((await ground.read('second-teas'))?.status?.state, 'Processing')
  await ground.remove('first-teas')
  for (const name of ['first-teas', 'second-teas', 'first-teas']) await ground.settle(name)
  t.ok(await isGone('first-teas'))
  t.strictSame([await noted(tea), await noted(definition)], ['second-teas', 'second-teas'])
  await removed('second-teas')
})

t.test('KY-251 with more owners than are asked at once, what each has stays its own', async t => {
  const names = Array.from({ length: 12 }, (_, n) => `owner-${String(n).padStart(2, '0')}`)
  for (const name of names) await installed(name, [configMap(`of-${name}`)])
  const objects = names.map(name => configMap(`of-${name}`))
  await installed('lister', objects)
  await ground.settle('lister', later(3_600))
  t.strictSame(await Promise.all(objects.map(noted)), names)
  await removed('lister')
  for (const name of names) await removed(name)
})

t.test('KY-251 with more Kymas in one cluster than fit into a list, what the last one lists stays', async t => {
  const names = Array.from({ length: 51 }, (_, n) => `local-${String(n).padStart(2, '0')}`)
  for (const name of names) await ground.createKyma(name)
  const shared = configMap('of-all')
  await ground.create('at-first', ground.layer(yamlOf(shared)))
  await ground.settle('at-first')
  await ground.create('at-last', ground.layer(yamlOf(shared)), { kyma: 'local-50' })
  await ground.settle('at-last')
  t.equal(await noted(shared), 'at-first')
  await removed('at-first')
  t.equal(await noted(shared), 'at-last')
  await removed('at-last')
  t.equal(await live(shared), undefined)
  for (const name of names) await client.delete({ ...kymaKind, namespace, name }, {})
})

t.test(
  'KY-251 names in a runtime that are of no Kyma, or of one of another cluster, hide none that has it',
  async t => {
    const runtime = await anyCluster(t, { remote: true })
    const far = clientTo(t, runtime)
    for (const one of kymaCrds()) await established(far, one as KubeObject)
    const shared = { ...configMap('far'), metadata: { name: 'far', namespace: runtime.namespace } }
    const copyOf = (kyma: string): KubeObject => ({
      ...kymaKind,
      metadata: {
        name: kyma,
        namespace: runtime.namespace,
        annotations: { [annotations.ownedBy]: `${namespace}/${kyma}` },
      },
      spec: { channel: 'regular' },
    })
    const numbered = (what: string, count: number) =>
      Array.from({ length: count }, (_, n) => `${what}-${String(n).padStart(2, '0')}`)
    const elsewhere = numbered('elsewhere', 11)
    for (const name of [...numbered('a-nobody', 50), ...elsewhere, 'far-second'])
      await far.create(copyOf(name), somebody)
    for (const name of ['far-first', 'far-second']) {
      await ground.createKyma(name, { spec: { channel: 'regular', remote: { namespace: name } } })
      const secret = accessSecret(name, runtime.kubeconfig)
      await client.create({ ...secret, metadata: { ...secret.metadata, namespace } }, somebody)
      await ground.create(`of-${name}`, ground.layer(yamlOf(shared)), { kyma: name })
      await ground.settle(`of-${name}`)
    }
    for (const name of elsewhere) {
      await ground.createKyma(name, { spec: { channel: 'regular' } })
      await ground.create(`of-${name}`, ground.layer(yamlOf(shared)), { kyma: name })
      const listed = { group: '', version: 'v1', kind: 'ConfigMap', namespace: runtime.namespace, name: 'far' }
      const body = { status: { state: 'Ready', synced: [listed] } }
      const ref = { ...manifestKind, namespace, name: `of-${name}` }
      await client.patch(ref, { type: 'merge', body }, { ...somebody, subresource: 'status' })
    }
    const owner = async () => (await far.get(refOf(shared)))?.metadata.annotations?.[ownerId]?.split('/').at(-1)
    t.equal(await owner(), 'of-far-first')
    const before = (await far.get(refOf(shared)))?.metadata.uid
    await removed('of-far-first')
    t.equal((await far.get(refOf(shared)))?.metadata.uid, before)
    await ground.settle('of-far-second', later(3_600))
    t.equal(await owner(), 'of-far-second')
  },
)

t.test('KY-252 a default object that its module wants made anew is not: what its user wrote stays', async t => {
  const definition = crdOf('figs', 'Fig')
  const policy = { annotations: { 'manifest.operator.kyma-project.io/update-policy': 'recreate' } }
  const fig = customOf('Fig', 'figs', 'default', { spec: { size: 1 } })
  const resource = { ...fig, metadata: { ...fig.metadata, ...policy } }
  await client.create(definition, { fieldManager: 'kubectl-create' })
  await established(client, definition)
  const own = await client.create({ ...fig, spec: { size: 2 } }, somebody)
  await installed('figs', [definition], { resource })
  const found = await live(fig)
  t.strictSame([found?.metadata.uid, found?.spec, await noted(fig)], [own.metadata.uid, { size: 2 }, 'figs'])
  await ground.change('figs', { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } })
  await untilGone('figs')
  await installed('figs', [definition], { resource })
  t.equal((await live(fig))?.metadata.uid, own.metadata.uid)
  await removed('figs')
})

t.test('KY-211 what one of two makes anew, the other may make first: nobody makes it again', async t => {
  const policy = { annotations: { 'manifest.operator.kyma-project.io/update-policy': 'recreate' } }
  const anew = (text: string): KubeObject => {
    const object = configMap('anew', { text })
    return { ...object, metadata: { ...object.metadata, ...policy } }
  }
  for (const name of ['maker', 'other']) await installed(name, [anew(name)])
  t.equal(await noted(anew('')), 'maker')
  await withLayer('maker', anew('new'))
  await ground.settle('maker', { clusters: before('anew', () => ground.settle('other'), 'create') })
  const made = await live(anew(''))
  t.strictSame([await noted(anew('')), made?.data], ['other', { text: 'other' }])
  const begun = ground.requests.length
  for (const name of ['maker', 'other', 'maker', 'other']) {
    await ground.settle(name, later(3_600))
    t.equal((await ground.read(name))?.status?.state, 'Ready')
  }
  t.strictSame(
    ground.requests.slice(begun).filter(({ method }) => method !== 'GET'),
    [],
  )
  for (const name of ['maker', 'other']) await removed(name)
})

t.test('KY-253 a default object that is none any more, and copies of it, hold the deletion as any other', async t => {
  const definition = crdOf('nuts', 'Nut')
  const nut = (name: string): KubeObject => customOf('Nut', 'nuts', name)
  const cases = {
    'its user keeps it': { spec: { customResourcePolicy: 'Ignore' } },
    'the module names another one': { spec: { resource: nut('other') } },
    'it is copied': {},
  }
  for (const [how, change] of Object.entries(cases)) {
    await installed('nuts', [definition], { resource: nut('default') })
    const { labels, annotations } = (await live(nut('default')))?.metadata ?? {}
    const copy = { ...nut('copy'), metadata: { ...nut('copy').metadata, labels, annotations } }
    if (how === 'it is copied') await client.create(copy, somebody)
    await ground.change('nuts', change)
    await ground.settle('nuts')
    await ground.remove('nuts')
    await ground.settle('nuts')
    t.equal((await ground.read('nuts'))?.status?.lastOperation?.operation, 'waiting for module crs deletion', how)
    for (const one of [nut('default'), definition, ...(how === 'it is copied' ? [copy] : [])])
      t.notOk(isDeleting(await mustLive(one)), `${how}: ${one.metadata.name} stays`)
    for (const name of ['default', 'copy']) if (await live(nut(name))) await client.delete(refOf(nut(name)), {})
    await untilGone('nuts')
  }
})

t.test('KY-254 an object whose name no path can hold is refused before it is listed, and holds nothing up', async t => {
  const good = configMap('named')
  const placed = (name: string, place: string): KubeObject => ({ ...good, metadata: { name, namespace: place } })
  for (const [name, place] of [
    ['a/b', namespace],
    ['..', namespace],
    ['named', '../x'],
  ] as const) {
    await ground.create('names', ground.layer(yamlOf(placed(name, place), good)))
    await ground.settle('names')
    const { state, lastOperation, synced } = (await ground.read('names'))?.status ?? {}
    t.strictSame([state, synced], ['Error', []])
    t.ok(lastOperation?.operation?.startsWith(`ConfigMap ${place}/${name} has a name`))
    await withLayer('names', good)
    await untilReady('names')
    const resource = { ...placed(name, place), apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', data: undefined }
    await ground.change('names', { spec: { resource } })
    await ground.settle('names')
    t.equal((await ground.read('names'))?.status?.state, 'Error')
    await removed('names')
  }
})

t.test('KY-254 so is a Namespace or a definition with such a name, which are looked for before', async t => {
  const good = configMap('before')
  const named = (name: string): KubeObject[] => [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    { ...crdOf('figs', 'Fig'), metadata: { name } },
  ]
  for (const bad of ['a/b', '..'].flatMap(named)) {
    await installed('looked-for', [good])
    await withLayer('looked-for', bad, good)
    await ground.settle('looked-for')
    const { state, lastOperation } = (await ground.read('looked-for'))?.status ?? {}
    t.equal(state, 'Error')
    contains(t, lastOperation?.operation ?? '', `${bad.kind} ${bad.metadata.name} has a name`)
    await removed('looked-for')
    t.equal(await live(good), undefined)
  }
})

t.test(
  'KY-255 what two modules need that are deleted at once stays until custom objects no longer need it',
  async t => {
    const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `of-both-${namespace}` } }
    const definition = crdOf('peas', 'Pea')
    const pea = (name: string): KubeObject => customOf('Pea', 'peas', name)
    const inn: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `lived-in-${namespace}` } }
    const guest: KubeObject = { ...configMap('guest'), metadata: { name: 'guest', namespace: inn.metadata.name } }
    await installed('without-peas', [place, inn, configMap('of-one')])
    await installed('with-peas', [place, definition, guest], { resource: pea('default') })
    await client.create(pea('of-user'), somebody)
    t.equal(await noted(place), 'without-peas')
    const uids = async () => (await Promise.all([place, inn, guest].map(mustLive))).map(({ metadata }) => metadata.uid)
    const before = await uids()
    for (const name of ['without-peas', 'with-peas']) await ground.remove(name)
    for (const name of ['without-peas', 'with-peas', 'without-peas']) await ground.settle(name)
    t.equal((await ground.read('with-peas'))?.status?.lastOperation?.operation, 'waiting for module crs deletion')
    t.strictSame(await uids(), before)
    t.notOk(isDeleting(await mustLive(inn)))
    await client.delete(refOf(pea('of-user')), {})
    for (const name of ['with-peas', 'without-peas']) await untilGone(name)
    t.strictSame([await live(place), await live(inn)], [undefined, undefined])
  },
)

t.test('KY-255 what another one needs stays until its default object has come to its end', async t => {
  const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `of-operator-${namespace}` } }
  const definition = crdOf('oats', 'Oat')
  const oat = customOf('Oat', 'oats', 'default')
  await installed('without-oats', [place])
  await installed('with-oats', [place, definition], { resource: oat })
  await client.patch(refOf(oat), { type: 'merge', body: held }, somebody)
  for (const name of ['with-oats', 'without-oats']) await ground.remove(name)
  for (const name of ['with-oats', 'without-oats']) await ground.settle(name)
  t.ok(isDeleting(await mustLive(oat)))
  t.notOk(isDeleting(await mustLive(place)), 'its operator is at work')
  await client.patch(refOf(oat), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
  for (const name of ['with-oats', 'without-oats']) await untilGone(name)
  t.equal(await live(place), undefined)
})

t.test('KY-269 what another one needs stays also while that one is in Error', async t => {
  const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `of-failing-${namespace}` } }
  const definition = crdOf('kales', 'Kale')
  const kale = customOf('Kale', 'kales', 'of-user')
  await installed('without-kales', [place])
  const guest = { ...configMap('guest'), metadata: { name: 'guest', namespace: place.metadata.name } }
  await installed('with-kales', [guest, definition], { resource: kale, customResourcePolicy: 'Ignore' })
  await client.create(kale, somebody)
  for (const name of ['with-kales', 'without-kales']) await ground.remove(name)
  await ground.settle('with-kales')
  const error = { status: { state: 'Error', lastOperation: { operation: 'Deployment a/b: refused' } } }
  const ref = { ...manifestKind, namespace, name: 'with-kales' }
  await client.patch(ref, { type: 'merge', body: error }, { ...somebody, subresource: 'status' })
  await ground.settle('without-kales')
  t.notOk(isDeleting(await mustLive(place)))
  await client.delete(refOf(kale), {})
  await ground.settle('without-kales')
  t.ok(await isGone('without-kales'), 'nothing is left that it needs it for')
  await untilGone('with-kales')
  t.equal(await live(place), undefined)
})

t.test('KY-261 a Manifest says for which other one its objects stay', async t => {
  const inn: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `let-${namespace}` } }
  const guest: KubeObject = { ...configMap('guest'), metadata: { name: 'guest', namespace: inn.metadata.name } }
  const [definition, both, all] = [crdOf('corns', 'Corn'), configMap('of-both'), configMap('of-all')]
  const corn = (name: string): KubeObject => customOf('Corn', 'corns', name)
  const said = async (name: string) => {
    await ground.settle(name)
    const { state, lastOperation } = (await ground.read(name))?.status ?? {}
    return [state, lastOperation?.operation]
  }
  const waits = (object: string) => `waits for Manifest ${namespace}/has-corns, which needs ${object}`
  await installed('goes-too', [inn, both])
  await installed('drops', [all])
  await installed('has-corns', [guest, both, all, definition], { resource: corn('default') })
  await client.create(corn('of-user'), somebody)
  for (const name of ['goes-too', 'has-corns']) await ground.remove(name)
  await withLayer('drops', configMap('of-drops'))
  t.strictSame(await said('goes-too'), ['Deleting', waits(`ConfigMap ${namespace}/of-both`)])
  t.strictSame(await said('drops'), ['Warning', waits(`ConfigMap ${namespace}/of-all`)])
  t.strictSame(await said('has-corns'), ['Deleting', 'waiting for module crs deletion'])
  t.strictSame(await said('goes-too'), ['Deleting', waits(`Namespace ${inn.metadata.name}`)])
  await client.delete(refOf(corn('of-user')), {})
  for (const name of ['has-corns', 'goes-too']) await untilGone(name)
  t.strictSame(await said('drops'), ['Ready', 'resources are ready'])
  t.strictSame(await Promise.all([inn, both, all].map(live)), [undefined, undefined, undefined])
  await removed('drops')
})

t.test(
  'KY-255 the same module of two Kymas of a cluster that go at once: none waits for the other for ever',
  async t => {
    const [one, other, definition] = [configMap('of-left'), configMap('of-right'), crdOf('beans', 'Bean')]
    const bean = (name: string): KubeObject => customOf('Bean', 'beans', name)
    await ground.createKyma('going')
    await client.patch({ ...kymaKind, namespace, name: 'going' }, { type: 'merge', body: held }, somebody)
    await installed('left', [one, definition], { resource: bean('left') })
    await installed('right', [other, one, definition], { resource: bean('right') }, 'going')
    await withLayer('left', one, other, definition)
    await untilReady('left')
    t.strictSame([await noted(one), await noted(other)], ['left', 'right'])
    await client.delete({ ...kymaKind, namespace, name: 'going' }, {})
    for (const name of ['left', 'right']) await ground.remove(name)
    for (const name of ['left', 'right', 'left', 'right', 'left']) await ground.settle(name)
    t.strictSame([await isGone('left'), await isGone('right')], [true, true])
    for (const object of [one, other, definition]) t.equal(await live(object), undefined)
  },
)

const account = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
})

const deletedTogether = async (...names: string[]) => {
  for (const name of names) await ground.remove(name)
  for (const name of [...names, ...names]) await ground.settle(name)
}

t.test(
  'KY-287 two versions of a module that go at once: both operators stay until both default objects went',
  async t => {
    const [definition, config] = [crdOf('lentils', 'Lentil'), configMap('of-second')]
    const lentil = (name: string): KubeObject => customOf('Lentil', 'lentils', name)
    await installed('first', [account('first'), definition], { resource: lentil('first') })
    await installed('second', [account('second'), config, definition], { resource: lentil('second') })
    await client.patch(refOf(lentil('first')), { type: 'merge', body: held }, somebody)
    await deletedTogether('second', 'first')
    t.ok(isDeleting(await mustLive(lentil('first'))))
    t.equal(await live(lentil('second')), undefined, 'none waits for the other')
    for (const object of [account('first'), account('second'), config, definition])
      t.notOk(isDeleting(await mustLive(object)), `${object.kind} ${object.metadata.name}`)
    contains(
      t,
      (await ground.read('second'))?.status?.lastOperation?.operation ?? '',
      `waits for Manifest ${namespace}/first, which needs ConfigMap ${namespace}/of-second`,
    )
    await client.patch(refOf(lentil('first')), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
    for (const name of ['first', 'second']) await untilGone(name)
    t.strictSame(await Promise.all([account('first'), account('second'), config, definition].map(live)), [
      ...[undefined, undefined, undefined, undefined],
    ])
  },
)

t.test('KY-287 a module waits for the default object of one that has no operator of its own', async t => {
  const definition = crdOf('chards', 'Chard')
  const chard = (name: string): KubeObject => customOf('Chard', 'chards', name)
  await installed('operator', [account('chards'), definition], { resource: chard('operator') })
  await installed('plugin', [definition], { resource: chard('plugin') })
  await client.patch(refOf(chard('plugin')), { type: 'merge', body: held }, somebody)
  await deletedTogether('operator', 'plugin')
  t.strictSame([await isGone('operator'), isDeleting(await mustLive(chard('plugin')))], [false, true])
  t.notOk(isDeleting(await mustLive(chard('operator'))))
  await client.patch(refOf(chard('plugin')), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
  for (const name of ['operator', 'plugin']) await untilGone(name)
})

t.test(
  'KY-266 the Manifest of a former component of a module goes although custom objects of its users are left',
  async t => {
    const definition = crdOf('leeks', 'Leek')
    const leek = (name: string): KubeObject => customOf('Leek', 'leeks', name)
    const labelled = (name: string, module: string) =>
      ground.change(name, { metadata: { labels: { [kymaNames.labels.moduleName]: module } } })
    for (const [name, operator] of Object.entries({ former: 'leeks', next: 'leek-operator' })) {
      await installed(name, [definition, account(operator)], { resource: leek('default') })
      await labelled(name, name === 'former' ? 'leeks' : 'others')
    }
    await client.create(leek('of-user'), somebody)
    await ground.remove('former')
    await ground.settle('former')
    const said = (await ground.read('former'))?.status?.lastOperation?.operation
    t.equal(said, 'waiting for module crs deletion', 'another module may know nothing of them')
    await labelled('next', 'leeks')
    await untilGone('former')
    t.strictSame(
      [await live(account('leeks')), await noted(definition), await noted(leek('default'))],
      [undefined, 'next', 'next'],
    )
    t.ok(await live(leek('of-user')))
    await client.delete(refOf(leek('of-user')), {})
    await removed('next')
  },
)

t.test('KY-234 a Manifest whose Kyma goes is no heir', async t => {
  const shared = configMap('of-the-last')
  await installed('staying', [shared])
  await installed('leaving', [shared], {}, 'going')
  await removed('staying')
  t.equal(await live(shared), undefined)
  await removed('leaving')
})

t.test('KY-257 a Namespace in which another Manifest has objects stays, with all in it', async t => {
  const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `inn-${namespace}` } }
  const guest: KubeObject = { ...configMap('guest'), metadata: { name: 'guest', namespace: place.metadata.name } }
  await installed('host', [place, configMap('of-host')])
  await installed('guest', [guest])
  const { uid } = (await mustLive(guest)).metadata
  await removed('host')
  t.equal(await live(configMap('of-host')), undefined)
  const found = [await mustLive(guest), await mustLive(place)]
  t.strictSame([found[0]?.metadata.uid, ...found.map(isDeleting)], [uid, false, false])
  await installed('host', [place])
  await removed('guest')
  await removed('host')
  t.equal(await live(place), undefined, 'once nobody else has anything there, it goes')
})

t.test('KY-258 the namespace of another Kyma’s copy stays, also if a module lists it', async t => {
  const runtime = await anyCluster(t, { remote: true })
  const far = clientTo(t, runtime)
  for (const one of kymaCrds()) await established(far, one as KubeObject)
  const secret = accessSecret('lodger', runtime.kubeconfig)
  await client.create({ ...secret, metadata: { ...secret.metadata, namespace } }, somebody)
  await ground.createKyma('lodger', { spec: { channel: 'regular', remote: { namespace: runtime.namespace } } })
  await ground.createKyma('lodger-here', {
    spec: { channel: 'regular', remote: { enabled: false, namespace: `ofhere-${namespace}` } },
  })
  const placeNamed = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const places = [`theirs-${namespace}`, `ofhere-${namespace}`].map(placeNamed) as [KubeObject, KubeObject]
  await far.create(places[0], somebody)
  await far.create(
    { ...kymaKind, metadata: { name: 'default', namespace: places[0].metadata.name }, spec: { channel: 'regular' } },
    somebody,
  )
  for (const [name, kyma, place, cluster] of [
    ['far-places', 'lodger', places[0], far],
    ['near-places', 'here', places[1], client],
  ] as const) {
    await installed(name, [place], {}, kyma)
    await removed(name)
    const found = await cluster.get(refOf(place))
    t.ok(found && !isDeleting(found), name)
  }
})
