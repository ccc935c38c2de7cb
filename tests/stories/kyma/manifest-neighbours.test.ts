// What a Manifest must leave alone: namespaces that are not its module's, objects that another Manifest brings too, and the runtime of
// another Kyma. And what is its own though nobody labelled it so.
import t from 'tap'
import { kymaCrds } from '../../../shared/api/kyma/crds.ts'
import { kymaNames } from '../../../shared/api/kyma/names.ts'
import { kymaKind } from '../../../shared/api/kyma.ts'
import { objectKey } from '../../../shared/component/item.ts'
import { ownerOf as ownerIdentity } from '../../../shared/component/ownership.ts'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { BindableClusters } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import { foreignInstances } from '../../../shared/runtime/component/reads/foreign-instances.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { anyCluster } from '../../harness/clusters/any-cluster.ts'
import { clientTo } from '../../harness/clusters/cluster-client.ts'
import { established, later } from '../../harness/component/orchards.ts'
import { layerObjects, yamlOf } from '../../harness/kyma/layer-objects.ts'
import { manifestGround, syncedNames } from '../../harness/kyma/manifest-ground.ts'
import { settledManifests } from '../../harness/kyma/settled-manifests.ts'
import { matches, rejects } from '../../harness/matches.ts'
import { accessSecret } from '../../make/kyma/kyma.ts'

const ground = await manifestGround(t)
const { client, namespace } = ground
const { configMap, crdOf, customOf, live } = layerObjects(ground)
const { stateOf, isGone, settledUntil, untilReady, untilGone, withLayer } = settledManifests(ground)
const somebody = { fieldManager: 'somebody' }
const { annotations, fieldManagers, finalizers } = kymaNames
const ownerId = 'manifest.operator.kyma-project.io/owner-id'
const syncNamespace = `sync-${namespace}`

await ground.createKyma('here', { spec: { remote: { enabled: false, namespace: syncNamespace } } })

const ownerOf = async (object: KubeObject) => (await live(object))?.metadata.labels?.[ownerId]

const copyOf = (kyma: string): KubeObject => ({
  ...kymaKind,
  metadata: { name: 'default', namespace: kyma, annotations: { [annotations.ownedBy]: `${namespace}/${kyma}` } },
  spec: { channel: 'regular' },
})

/** As its status says. */
const saysInstalled = async (name: string, ...objects: KubeObject[]) => {
  const synced = objects.map(({ kind, metadata }) => ({
    group: '',
    version: 'v1',
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
  }))
  const found = (await ground.read(name)) as KubeObject
  const body = { status: { state: 'Ready', synced } }
  return client.patch(refOf(found), { type: 'merge', body }, { ...somebody, subresource: 'status' })
}

/** The control plane cannot read this Kyma. */
const withoutKyma = (name: string, error: Error): BindableClusters => ({
  ...ground.everywhere,
  bound: bounds => {
    const { of } = ground.everywhere.bound(bounds)
    const local = async () => {
      const client = await of('local')
      const get: typeof client.get = (ref, options) =>
        ref.kind === 'Kyma' && ref.name === name ? Promise.reject(error) : client.get(ref, options)
      return { ...client, get }
    }
    return { of: cluster => (cluster === 'local' ? local() : of(cluster)) }
  },
})

/** Steps on the cluster that are no reads. */
const writesOf = async (work: () => Promise<unknown>) => {
  const counted = ground.requests.length
  await work()
  return ground.requests.slice(counted).filter(({ method }) => method !== 'GET')
}

t.test('KY-123 KY-210 the sync namespace stays when its module drops it and when its module goes', async t => {
  const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: syncNamespace } }
  await client.create(place, somebody)
  for (const name of ['founder', 'builder']) {
    await ground.create(name, ground.layer(yamlOf(place, configMap(name))))
    await ground.settle(name)
    matches(t, await stateOf(name), { state: 'Ready' })
    t.ok(await ownerOf(place), 'it is adopted')
    if (name === 'founder') await withLayer(name, configMap(name))
    else await ground.remove(name)
    await settledUntil(name, async () => name === 'founder' || isGone(name))
    t.strictSame(syncedNames(await ground.read(name)), name === 'founder' ? ['ConfigMap founder'] : [])
    const left = await live(place)
    t.ok(left && left.metadata.deletionTimestamp === undefined, `after ${name}`)
  }
  await client.delete(refOf(place), {})
})

t.test('KY-267 a Namespace that was there before its modules stays when the last of them goes', async t => {
  const placed = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  const [found, own] = [placed(`found-${namespace}`), placed(`own-${namespace}`)]
  const within = { ...configMap('of-user'), metadata: { name: 'of-user', namespace: found.metadata.name } }
  await client.create(found, somebody)
  await client.create(within, somebody)
  for (const name of ['settler', 'neighbour']) {
    await ground.create(name, ground.layer(yamlOf(found, own, configMap(name))))
    await untilReady(name)
    t.strictSame(await writesOf(() => ground.settle(name, later(3_600))), [], 'nothing is written again')
  }
  t.ok(await ownerOf(found), 'it is adopted')
  for (const name of ['settler', 'neighbour']) {
    await ground.remove(name)
    await untilGone(name)
    t.strictSame([(await live(found))?.metadata.deletionTimestamp, Boolean(await live(within))], [undefined, true])
  }
  t.equal(await live(own), undefined)
  await ground.create('settler', ground.layer(yamlOf(found, configMap('settler'))))
  await ground.settle('settler')
  await withLayer('settler', configMap('settler'))
  await untilReady('settler')
  t.strictSame([(await live(found))?.metadata.deletionTimestamp, Boolean(await live(within))], [undefined, true])
  await ground.remove('settler')
  await untilGone('settler')
  await client.delete(refOf(found), {})
})

t.test('KY-211 two Manifests that list one object settle, and neither writes again', async t => {
  const shared = configMap('shared', { a: '1' })
  for (const name of ['first', 'second']) {
    await ground.create(name, ground.layer(yamlOf(shared, configMap(`of-${name}`))))
    await ground.settle(name)
    matches(t, await stateOf(name), { state: 'Ready' })
  }
  const owner = await ownerOf(shared)
  for (const name of ['first', 'second', 'first', 'second'])
    t.strictSame(await writesOf(() => ground.settle(name, later(3_600))), [], `${name} writes nothing`)
  t.equal(await ownerOf(shared), owner)
  t.ok((await ground.read('first'))?.status?.synced?.some(one => one.name === 'shared'))
  t.ok((await ground.read('second'))?.status?.synced?.some(one => one.name === 'shared'))
  await client.patch(refOf(shared), { type: 'merge', body: { data: { a: '2' } } }, somebody)
  await ground.settle('second', later(3_600))
  matches(t, await live(shared), { data: { a: '2' } }, 'it is the owner’s to repair')
  await ground.settle('first', later(3_600))
  matches(t, await live(shared), { data: { a: '1' } })
  const cluster = (await live(shared))?.metadata.annotations?.[ownerId]?.split('/')[0]
  await ground.create('abroad', ground.layer(yamlOf(shared)), { kyma: 'another-cluster' })
  await saysInstalled('abroad', shared)
  const abroad = ownerIdentity(cluster ?? '', { namespace, name: 'abroad' })
  for (const [forged, id] of [
    ['nobody', 'nobody'],
    [abroad.hash, abroad.id],
    ['nobody', `${cluster}/${namespace}/..`],
    ['nobody', `${cluster}/${namespace}/second`],
    [null, null],
  ]) {
    const merge = { metadata: { labels: { [ownerId]: forged }, annotations: { [ownerId]: id } } }
    await client.patch(refOf(shared), { type: 'merge', body: merge }, somebody)
    await ground.settle('first', later(7_200))
    t.equal(await ownerOf(shared), owner, `whoever owns the runtime may write ${forged} and ${id}`)
  }
})

t.test('KY-212 what two Manifests list stays for the one that stays, which has it from then on', async t => {
  const [shared, definition] = [configMap('handed', { a: '1' }), crdOf('hands', 'Hand')]
  for (const name of ['elder', 'heir', 'late']) {
    await ground.create(name, ground.layer(yamlOf(shared, definition, configMap(`of-${name}`))))
    await untilReady(name)
  }
  const uids = async () => [(await live(shared))?.metadata.uid, (await live(definition))?.metadata.uid]
  const before = await uids()
  await ground.remove('late')
  await untilGone('late')
  t.strictSame(await uids(), before, 'it never was the owner')
  t.equal(await live(configMap('of-late')), undefined)
  const elder = await ownerOf(shared)
  await withLayer('elder', configMap('of-elder'), definition)
  await ground.settle('elder')
  t.strictSame([await stateOf('elder'), await uids()], [{ state: 'Ready', operation: 'resources are ready' }, before])
  t.not(await ownerOf(shared), elder, 'the heir is called by whatever changes it')
  await ground.remove('elder')
  await untilGone('elder')
  t.strictSame(await uids(), before)
  await ground.settle('heir')
  for (const object of [shared, definition])
    matches(t, await live(object), { metadata: { annotations: { [annotations.ownedBy]: `${namespace}/heir` } } })
  await ground.remove('heir')
  await untilGone('heir')
  t.strictSame(await uids(), [undefined, undefined], 'the last one takes it along')
})

t.test('KY-233 two Manifests with one default object, or one that lists that of the other, share it', async t => {
  const definition = crdOf('pears', 'Pear')
  const pear = customOf('Pear', 'pears', 'default', { spec: { size: 1 } })
  const layer = ground.layer(yamlOf(definition))
  for (const [name, digest, spec] of [
    ['pear-first', layer, { resource: pear }],
    ['pear-second', layer, { resource: pear }],
    ['pear-lister', ground.layer(yamlOf(definition, pear)), {}],
  ] as const) {
    await ground.create(name, digest, { spec })
    await untilReady(name)
  }
  const before = await live(pear)
  for (const name of ['pear-second', 'pear-lister', 'pear-first']) {
    t.strictSame(await writesOf(() => ground.settle(name, later(3_600))), [], `${name} writes nothing`)
    matches(t, await stateOf(name), { state: 'Ready' })
  }
  const change = { type: 'merge', body: { spec: { size: 2 } } } as const
  await client.patch(refOf(pear), change, somebody)
  await ground.remove('pear-second')
  await untilGone('pear-second')
  t.equal(await ownerOf(pear), before?.metadata.labels?.[ownerId], 'it is not its own, and holds up nothing')
  await ground.remove('pear-first')
  await untilGone('pear-first')
  matches(t, await live(pear), { metadata: { uid: before?.metadata.uid }, spec: { size: 2 } })
  t.not(await ownerOf(pear), before?.metadata.labels?.[ownerId])
  await ground.settle('pear-lister', later(3_600))
  matches(t, await live(pear), { spec: { size: 1 } }, 'whose layer has it keeps it as it is there')
  await ground.remove('pear-lister')
  await untilGone('pear-lister')
  t.strictSame([await live(pear), await live(definition)], [undefined, undefined])
})

t.test('KY-130 KY-211 a Manifest annotated as unmanaged leaves the labels of another on what both list', async t => {
  const [shared, own] = [configMap('both'), configMap('of-freed')]
  await ground.create('keeper', ground.layer(yamlOf(shared)))
  await ground.settle('keeper')
  await ground.create('freed', ground.layer(yamlOf(shared, own)))
  await ground.settle('freed')
  const before = await live(shared)
  await ground.change('freed', { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } })
  await ground.settle('freed')
  t.strictSame([await ground.read('freed'), await live(shared)], [undefined, before])
  t.strictSame(await ownerOf(own), undefined)
})

t.test('KY-212 KY-243 an object whose owner went without a word is taken, and keeps its content', async t => {
  const [shared, definition] = [configMap('bereft'), crdOf('limes', 'Lime')]
  const resource = customOf('Lime', 'limes', 'default', { spec: { size: 1 } })
  for (const name of ['lost', 'left']) {
    await ground.create(name, ground.layer(yamlOf(shared, definition)), { spec: { resource } })
    await untilReady(name)
  }
  await client.patch(refOf(resource), { type: 'merge', body: { spec: { size: 2 } } }, somebody)
  await ground.change('lost', { metadata: { finalizers: null } })
  await ground.remove('lost')
  const isTaken = async () => {
    await ground.settle('left', later(3_600))
    matches(t, await stateOf('left'), { state: 'Ready' })
    for (const object of [shared, resource])
      matches(t, await live(object), { metadata: { annotations: { [annotations.ownedBy]: `${namespace}/left` } } })
    matches(t, await live(resource), { spec: { size: 2 } })
  }
  await isTaken()
  const owner = await ownerOf(resource)
  const forged = { metadata: { labels: { [ownerId]: 'nobody' }, annotations: { [ownerId]: 'nobody' } } }
  await client.patch(refOf(resource), { type: 'merge', body: forged }, somebody)
  await isTaken()
  t.equal(await ownerOf(resource), owner)
  await ground.remove('left')
  await untilGone('left')
})

t.test('KY-213 a default object without our labels blocks no deletion, and goes with its module', async t => {
  const definition = crdOf('kiwis', 'Kiwi')
  const kiwi = customOf('Kiwi', 'kiwis', 'default', { spec: { size: 1 } })
  const layer = ground.layer(yamlOf(definition, configMap('kiwis'), customOf('Kiwi', 'kiwis', 'of-the-layer')))
  await ground.create('kiwis', layer, { spec: { resource: kiwi } })
  await untilReady('kiwis')
  const bare = { metadata: { labels: null, annotations: null } }
  await client.patch(refOf(kiwi), { type: 'merge', body: bare }, somebody)
  await client.create(customOf('Kiwi', 'kiwis', 'other'), somebody)
  await ground.remove('kiwis')
  await ground.settle('kiwis')
  matches(t, await stateOf('kiwis'), { state: 'Deleting', operation: 'waiting for module crs deletion' })
  t.equal((await live(kiwi))?.metadata.deletionTimestamp, undefined)
  await client.delete(refOf(customOf('Kiwi', 'kiwis', 'other')), {})
  const held = { metadata: { finalizers: ['example.com/held'] } }
  await client.patch(refOf(kiwi), { type: 'merge', body: held }, somebody)
  await ground.settle('kiwis')
  t.ok((await live(kiwi))?.metadata.deletionTimestamp, 'it goes')
  t.ok(await live(configMap('kiwis')), 'before all else')
  await client.patch(refOf(kiwi), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
  await untilGone('kiwis')
  t.strictSame([await live(kiwi), await live(definition)], [undefined, undefined])
})

t.test('KY-125 KY-214 KY-242 a default object that was left gets its labels again, and keeps its content', async t => {
  const definition = crdOf('olives', 'Olive')
  const olive = customOf('Olive', 'olives', 'green', { spec: { size: 1 } })
  const ofModule = customOf('Olive', 'olives', 'green', { spec: { size: 2 } })
  const note = { [annotations.ownedBy]: `${namespace}/olives` }
  await client.create(definition, { fieldManager: 'kubectl-create' })
  await established(client, definition)
  const asGoOperator = { fieldManager: fieldManagers.defaultResource }
  await client.create({ ...olive, metadata: { ...olive.metadata, annotations: note } }, asGoOperator)
  for (const what of ['left by the Go operator', 'managed again']) {
    await ground.create('olives', ground.layer(yamlOf(definition)), { spec: { resource: ofModule } })
    await untilReady('olives')
    t.ok(await ownerOf(olive), what)
    matches(t, await live(olive), { spec: { size: 1 } }, what)
    if (what === 'managed again') break
    await ground.change('olives', { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } })
    await untilGone('olives')
    t.equal(await ownerOf(olive), undefined)
  }
  await ground.remove('olives')
  await untilGone('olives')
})

t.test('KY-213 instances are counted without those that are excepted, however many there are', async t => {
  const definition = crdOf('grapes', 'Grape')
  await established(client, definition)
  const names = Array.from({ length: 14 }, (_, n) => `grape-${String(n).padStart(2, '0')}`)
  for (const name of names) await client.create(customOf('Grape', 'grapes', name), somebody)
  const except = new Set(['grape-00', 'grape-13'].map(name => objectKey(customOf('Grape', 'grapes', name))))
  const type = { group: `grapes-${namespace}.example`, version: '*', kind: 'Grape' }
  const wanted = { type, labelSelector: `${ownerId}!=x`, except }
  const inSmallPages = altered(client, ({ list }) => ({ list: query => list({ ...query, pageSize: 3 }) }))
  for (const asked of [client, inSmallPages]) {
    const found = await foreignInstances(asked, wanted)
    t.strictSame(found, { first: names.slice(1, 11).map(name => `${namespace}/${name}`), count: 12 })
  }
  await client.delete(refOf(definition), {})
})

t.test('KY-214 objects that the Go operator labelled as the Manifest’s go with it, in order', async t => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'former', namespace } }
  const [mine, others] = [configMap('former-mine'), configMap('former-others')]
  const ownedBy = (object: KubeObject, owner: string): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, annotations: { [annotations.ownedBy]: `${namespace}/${owner}` } },
  })
  for (const object of [ownedBy(mine, 'former'), ownedBy(account, 'former'), ownedBy(others, 'another')])
    await client.create(object, somebody)
  const held = { metadata: { finalizers: ['example.com/held'] } }
  await client.patch(refOf(mine), { type: 'merge', body: held }, somebody)
  await ground.create('former', ground.layer(yamlOf(mine, others, account)))
  await ground.change('former', { metadata: { finalizers: [finalizers.manifest, finalizers.labelRemoval] } })
  await saysInstalled('former', mine, others, account)
  await ground.remove('former')
  await ground.settle('former')
  t.ok((await live(mine))?.metadata.deletionTimestamp)
  t.ok(await live(account), 'what the operator needs goes last')
  await client.patch(refOf(mine), { type: 'merge', body: { metadata: { finalizers: null } } }, somebody)
  await untilGone('former')
  t.strictSame([await live(mine), await live(account)], [undefined, undefined])
  t.ok(await live(others))
})

t.test('KY-216 an object of the default object’s kind and name in another namespace is one of the layer', async t => {
  const definition = crdOf('dates', 'Date')
  const date = customOf('Date', 'dates', 'default')
  const elsewhere = `dates-${namespace}`
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } }, somebody)
  const twin = { ...date, metadata: { name: 'default', namespace: elsewhere } }
  await ground.create('dates', ground.layer(yamlOf(definition, twin)), { spec: { resource: date } })
  await untilReady('dates')
  t.ok(await live(twin))
  t.ok(await live(date))
  t.strictSame(
    (await ground.read('dates'))?.status?.synced?.map(one => one.namespace).toSorted(),
    ['', elsewhere],
    'the default object is not listed',
  )
  await ground.remove('dates')
  await untilGone('dates')
  t.strictSame([await live(twin), await live(date)], [undefined, undefined])
})

t.test(
  'KY-203 KY-234 KY-245 KY-246 what modules of two Kymas list stays, where the Kymas have namespaces of their own in one cluster',
  async t => {
    const runtime = await anyCluster(t, { remote: true })
    const far = clientTo(t, runtime)
    for (const one of kymaCrds()) await established(far, one as KubeObject)
    const definition = crdOf('plums', 'Plum')
    const live = (object: KubeObject) => far.get(refOf(object))
    const plumOf = (kyma: string): KubeObject => ({
      ...customOf('Plum', 'plums', 'default'),
      metadata: { name: 'default', namespace: kyma },
    })
    const kymaOf = async (name: string, secret: KubeObject) => {
      await ground.createKyma(name, { spec: { channel: 'regular', remote: { namespace: name } } })
      await client.create({ ...secret, metadata: { ...secret.metadata, namespace } }, somebody)
    }
    const names = ['east', 'west', 'abroad', 'ended'].map(name => `${name}-${namespace}`)
    const [east, west, abroad, ended] = names as [string, string, string, string]
    for (const kyma of [abroad, ended, east, west]) {
      const { kubeconfig } = kyma === abroad ? ground.cluster : runtime
      await kymaOf(kyma, accessSecret(kyma, kubeconfig))
      await far.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: kyma } }, somebody)
      await far.create(copyOf(kyma), somebody)
      const spec = [east, west].includes(kyma) ? { resource: plumOf(kyma) } : {}
      await ground.create(`of-${kyma}`, ground.layer(yamlOf(definition)), { kyma, spec })
      await untilReady(`of-${kyma}`)
    }
    const notedOn = async () => (await live(definition))?.metadata.annotations?.[ownerId]?.split('/').at(-1)
    const before = (await live(definition))?.metadata.uid
    t.equal(await notedOn(), `of-${ended}`)
    await client.delete({ ...kymaKind, namespace, name: ended }, {})
    await ground.remove(`of-${ended}`)
    await untilGone(`of-${ended}`)
    t.strictSame([(await live(definition))?.metadata.uid, await notedOn()], [before, `of-${east}`])
    await ground.remove(`of-${east}`)
    await untilGone(`of-${east}`)
    t.strictSame([(await live(definition))?.metadata.uid, await notedOn()], [before, `of-${west}`])
    t.equal(await live(plumOf(east)), undefined)
    t.ok(await live(plumOf(west)), 'which held up nothing')
    await ground.remove(`of-${west}`)
    await untilGone(`of-${west}`)
    t.equal(await live(definition), undefined, 'a copy that names a Kyma of another cluster keeps nothing here')
    await ground.remove(`of-${abroad}`)
    await untilGone(`of-${abroad}`)
  },
)

t.test(
  'KY-288 one module of three Kymas that go at once, whose copies went first: none waits for the others',
  async t => {
    const runtime = await anyCluster(t, { remote: true })
    const far = clientTo(t, runtime)
    for (const one of kymaCrds()) await established(far, one as KubeObject)
    const definition = crdOf('medlars', 'Medlar')
    const medlarOf = (kyma: string): KubeObject => ({
      ...customOf('Medlar', 'medlars', 'default'),
      metadata: { name: 'default', namespace: kyma },
    })
    const kymas = ['north', 'south', 'middle'].map(name => `${name}-${namespace}`)
    for (const kyma of kymas) {
      await ground.createKyma(kyma, { spec: { channel: 'regular', remote: { namespace: kyma } } })
      const secret = accessSecret(kyma, runtime.kubeconfig)
      await client.create({ ...secret, metadata: { ...secret.metadata, namespace } }, somebody)
      await far.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: kyma } }, somebody)
      await far.create(copyOf(kyma), somebody)
      await ground.create(`of-${kyma}`, ground.layer(yamlOf(definition)), { kyma, spec: { resource: medlarOf(kyma) } })
      await untilReady(`of-${kyma}`)
    }
    for (const kyma of kymas) {
      await ground.remove(`of-${kyma}`)
      await far.delete(refOf(copyOf(kyma)), {})
    }
    const forged: KubeObject = {
      ...medlarOf('north'),
      metadata: { name: 'forged', namespace: runtime.namespace, annotations: { [ownerId]: '../..' } },
    }
    await far.create(forged, somebody)
    for (const kyma of [...kymas, ...kymas]) await ground.settle(`of-${kyma}`)
    for (const kyma of kymas)
      t.notOk(await isGone(`of-${kyma}`), 'as long as there is one that nobody made for a module')
    await far.delete(refOf(forged), {})
    for (const kyma of kymas) await untilGone(`of-${kyma}`)
    t.equal(await far.get(refOf(definition)), undefined)
  },
)

t.test('KY-234 so do those of two Kymas with modules in the control plane’s own cluster', async t => {
  const shared = configMap('at-home')
  await ground.createKyma('beside')
  for (const [name, kyma] of Object.entries({ 'home-first': 'here', 'home-second': 'beside' })) {
    await ground.create(name, ground.layer(yamlOf(shared)), { kyma })
    await untilReady(name)
  }
  await ground.remove('home-first')
  await untilGone('home-first')
  matches(t, (await live(shared))?.metadata.annotations, { [ownerId]: /\/home-second$/ })
  await ground.remove('home-second')
  await untilGone('home-second')
  t.equal(await live(shared), undefined)
})

t.test('KY-203 KY-215 KY-231 in a runtime that is another Kyma’s nothing is written, and nothing deleted', async t => {
  const runtime = await anyCluster(t, { remote: true })
  const far = clientTo(t, runtime)
  for (const definition of kymaCrds()) await established(far, definition as KubeObject)
  const place = `sync-far-${namespace}`
  await far.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } }, somebody)
  const access = (kyma: string): KubeObject => {
    const secret = accessSecret(kyma, runtime.kubeconfig)
    return { ...secret, metadata: { ...secret.metadata, namespace } }
  }
  for (const kyma of ['holder', 'rival']) {
    await ground.createKyma(kyma, { spec: { channel: 'regular', remote: { namespace: place } } })
    await client.create(access(kyma), somebody)
  }
  const copy = { ...kymaKind, metadata: { name: 'default', namespace: place }, spec: { channel: 'regular' } }
  const noted = (kyma: string) => ({ metadata: { annotations: { [annotations.ownedBy]: `${namespace}/${kyma}` } } })
  await far.create({ ...copy, metadata: { ...copy.metadata, ...noted('rival').metadata } }, somebody)
  const one = { ...configMap('taken'), metadata: { name: 'taken', namespace: runtime.namespace } }
  for (const kyma of ['holder', 'rival']) await ground.create(`of-${kyma}`, ground.layer(yamlOf(one)), { kyma })
  await ground.settle('of-rival')
  matches(t, await stateOf('of-rival'), { state: 'Ready' }, 'as long as the copy is its own Kyma’s')
  const ofRival = (await far.get(refOf(one)))?.metadata.labels?.[ownerId]
  await far.delete(refOf(one), {})
  await far.patch(refOf(copy), { type: 'merge', body: noted('holder') }, somebody)
  const taken = new RegExp(`^Kyma ${namespace}/holder has the same runtime and namespace`)
  const unknown = new ApiError({ code: 503, reason: 'ServiceUnavailable', message: 'no Kyma can be read' })
  await rejects(t, ground.call('of-rival', { clusters: withoutKyma('holder', unknown) }), unknown)
  matches(t, await stateOf('of-rival'), { state: 'Ready' }, 'while nobody knows, nothing is said')
  t.equal((await writesOf(() => ground.settle('of-rival'))).length, 1, 'its own status alone')
  t.equal(await far.get(refOf(one)), undefined)
  matches(t, await stateOf('of-rival'), { state: 'Error', operation: taken })
  matches(t, await ground.settle('of-rival'), { outcome: 'failed', requeueAfterSeconds: 5 }, 'it will be retried')
  matches(t, await ground.settle('of-holder'), { outcome: 'settled' })
  const before = await far.get(refOf(one))
  await ground.change('of-rival', { metadata: { annotations: { [annotations.isUnmanaged]: 'true' } } })
  await ground.settle('of-rival')
  matches(t, await stateOf('of-rival'), { state: 'Error', operation: taken }, 'nor is anything handed over')
  await ground.remove('of-rival')
  await ground.settle('of-rival')
  t.equal(await ground.read('of-rival'), undefined)
  t.strictSame(await far.get(refOf(one)), before)

  await ground.create('of-rival', ground.layer(yamlOf(one)), { kyma: 'rival' })
  await ground.change('of-rival', { metadata: { finalizers: [finalizers.manifest] } })
  await saysInstalled('of-rival', one)
  const stolen = { metadata: { labels: { [ownerId]: ofRival } } }
  await far.patch(refOf(one), { type: 'merge', body: stolen }, somebody)
  await ground.remove('of-rival')
  await ground.settle('of-rival')
  t.equal(await ground.read('of-rival'), undefined)
  const { uid, labels } = (await far.get(refOf(one)))?.metadata ?? {}
  t.strictSame([uid, labels?.[ownerId]], [before?.metadata.uid, before?.metadata.labels?.[ownerId]], 'given back')

  const resource = { ...one, metadata: { ...one.metadata, name: 'default' } }
  await far.create(resource, somebody)
  await ground.create('stranger', ground.layer(yamlOf(one)), { kyma: 'rival', spec: { resource } })
  await ground.change('stranger', { metadata: { finalizers: [finalizers.manifest, finalizers.defaultResource] } })
  await saysInstalled('stranger', one)
  await ground.remove('stranger')
  await ground.settle('stranger')
  t.equal(await ground.read('stranger'), undefined, 'other instances of its default object’s kind hold nothing')
  t.ok(await far.get(refOf(resource)), 'nor is that of the other Kyma deleted, whose name it has')

  await far.patch(refOf(copy), { type: 'merge', body: noted('rival') }, somebody)
  await ground.remove('of-holder')
  await ground.settle('of-holder')
  t.strictSame(
    [await ground.read('of-holder'), await far.get(refOf(one))],
    [undefined, undefined],
    'whose the runtime was takes its objects along, though the next one has the copy already',
  )
})
