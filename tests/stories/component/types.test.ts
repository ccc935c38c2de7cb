// Components that bring types with them, by CRDs and APIServices: these stay as long as somebody has objects of the types.
import t, { type Test } from 'tap'
import { isMap } from '../../../shared/core/json/json.ts'
import { type GroupVersionKind, type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { ApiError } from '../../../shared/kube/errors.ts'
import type { CallContext } from '../../../shared/runtime/context.ts'
import { altered } from '../../harness/clients/altered-client.ts'
import { aggregatedApi } from '../../harness/clusters/aggregated-api.ts'
import { oneCluster } from '../../harness/clusters/one-cluster.ts'
import { clockFromNow, crd, established, inventoryNames, orchards } from '../../harness/component/orchards.ts'
import { matches } from '../../harness/matches.ts'

// Of its own and without controllers: to whoever else asks for all groups, one whose server goes away is trouble.
const ground = await orchards(t, { remote: true, own: true })
const { client, configMap, namespace, own, name: P } = ground
const definition = ground.define()
const writer = { fieldManager: 'somebody' }
const held = 'example.com/held'

/** What brings a type, and objects of it. */
type Bringer = { readonly object: KubeObject; instance(name: string): KubeObject }

/** Its kind is served already. */
const servedCrd = async (_: Test, name: string): Promise<Bringer> => {
  const group = `${name}.${P}`
  const object = crd(group, 'Nut', 'nuts')
  await established(client, object)
  // The API server deletes them with their definition, unless something holds them.
  const metadata = { namespace, finalizers: [held] }
  const instance = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Nut', metadata: { name, ...metadata } })
  return { object, instance }
}

/** Available already. */
const servedApi = async (t: Test): Promise<Bringer> => {
  const { apiService: object, instance, available } = await aggregatedApi(t, ground)
  await client.create(object, writer)
  await available()
  return { object, instance }
}

const planted = async (name: string, objects: readonly KubeObject[]) => {
  await ground.plant(name, { objects })
  await ground.settle(definition, name)
}

const ready = (name: string) =>
  ground.settleUntil(definition, name, async () => (await ground.status(name)).state === 'Ready')

const release = (object: KubeObject) =>
  client.patch(refOf(object), { type: 'merge', body: { metadata: { finalizers: null } } }, writer)

const removed = async (object: KubeObject) => {
  await client.delete(refOf(object), {})
  if (object.metadata.finalizers) await release(object)
}

t.test('CO-68 somebody else’s instance of an APIService’s types holds everything', async t => {
  const { object: apiService, instance } = await servedApi(t)
  const objects = [apiService, configMap('theirs-a')]
  await planted('theirs', objects)
  matches(t, await ground.status('theirs'), { state: 'Ready' })
  await client.create(instance('pear'), writer)
  await ground.remove('theirs')
  const blocked = await ground.settle(definition, 'theirs', clockFromNow()(0))
  matches(t, await ground.status('theirs'), {
    state: 'Deleting',
    ready: { reason: 'DeletionBlocked', message: new RegExp(`APIService ${apiService.metadata.name}.*/pear`) },
  })
  matches(t, blocked, { outcome: 'waiting', requeueAfterSeconds: 2 })
  t.strictSame(await ground.lives(objects), ['there', 'there'], 'no dependent is touched')
  await removed(instance('pear'))
  await ground.gone(definition, 'theirs')
  t.strictSame(await ground.lives(objects), ['gone', 'gone'])
})

/** For a call in whose course somebody else does something, around the deletion of that object. */
const besideDelete = (object: KubeObject, { before, after }: Beside): Partial<CallContext> => {
  const beside = altered(own, real => ({
    delete: async (ref, options) => {
      const isIt = ref.kind === object.kind
      if (isIt) await before?.()
      const isDone = await real.delete(ref, options)
      if (isIt) await after?.()
      return isDone
    },
  }))
  return { clusters: oneCluster(beside) }
}

type Beside = { readonly before?: () => Promise<unknown>; readonly after?: () => Promise<unknown> }

const bringers = {
  // It takes no more objects from its DELETE on: there it is one that came after somebody looked for instances.
  CRD: { make: servedCrd, moment: 'before' },
  APIService: { make: servedApi, moment: 'after' },
}
const endings: Record<string, (name: string) => Promise<unknown>> = {
  removed: name => ground.remove(name),
  unwanted: name => ground.change(name, { spec: { objects: [] } }),
}
for (const [kind, { make, moment }] of Object.entries(bringers))
  t.test(`CO-63 an instance appears after the DELETE of its ${kind}: it is kept until no instance is left`, async t => {
    const ended = async (ending: string) => {
      const name = `${kind}-${ending}`.toLowerCase()
      const { object, instance } = await make(t, name)
      await planted(name, [object])
      t.strictSame((await ground.live(object))?.metadata.finalizers, [P])
      await endings[ending]?.(name)
      const appears = () => client.create(instance('late'), writer)
      await ground.settle(definition, name, besideDelete(object, { [moment]: appears }))
      await ground.settle(definition, name)
      matches(t, (await ground.status(name)).ready.message, new RegExp(`${object.metadata.name}.*1 object of .*/late`))
      t.strictSame(await ground.lives([object]), ['going'])
      t.ok((await ground.live(object))?.metadata.finalizers?.includes(P), 'it is still held')
      await removed(instance('late'))
      await ground.settleUntil(definition, name, async () => !(await ground.live(object)))
    }
    await Promise.all(Object.keys(endings).map(ended))
  })

t.test('CO-45 CO-65 an APIService and an instance of its types, which comes after it and goes before it', async t => {
  const { apiService, instance, available } = await aggregatedApi(t, ground)
  const pear = instance('pear', { finalizers: [held] })
  const objects = [pear, apiService, configMap('harvest-a')]
  await planted('harvest', objects)
  await available()
  await ready('harvest')
  matches(t, await ground.live(pear), { metadata: { labels: { [`${P}/owner-id`]: String } } })
  await ground.remove('harvest')
  await ground.settle(definition, 'harvest')
  t.strictSame(await ground.lives(objects), ['going', 'there', 'there'])
  await release(pear)
  await ground.gone(definition, 'harvest')
  t.strictSame(await ground.lives(objects.slice(1)), ['gone', 'gone'])
})

t.test('CO-45 CO-65 an API server that is away holds up nothing but the instances of its types', async t => {
  const { apiService, instance, available, away } = await aggregatedApi(t, ground)
  const objects = (value: string) => [instance('plum'), apiService, configMap('away-a', { value })]
  await planted('away', objects('1'))
  await available()
  await ready('away')
  await away()
  await ground.change('away', { spec: { objects: objects('2') } })
  matches(t, await ground.settle(definition, 'away', clockFromNow()(0)), { outcome: 'waiting', requeueAfterSeconds: 1 })
  matches(t, await ground.live(configMap('away-a')), { data: { value: '2' } }, 'what may bring it back')
  matches(t, await ground.status('away'), { state: 'Processing', ready: { message: /^Waiting for: APIService/ } })
  await ground.remove('away')
  await ground.settle(definition, 'away')
  matches(t, await ground.status('away'), {
    state: 'Deleting',
    ready: { reason: 'DeletionProcessing', message: /Harvest .*plum: .*away/ },
  })
  t.strictSame(await ground.lives(objects('2').slice(1)), ['there', 'there'])
  await available()
  await ground.gone(definition, 'away')
  t.strictSame(await ground.lives(objects('2').slice(1)), ['gone', 'gone'])
})

t.test('CO-45 CO-65 a conversion webhook that is away holds up nothing but the objects that it converts', async t => {
  const calls = { clusters: oneCluster(ground.cluster.isReal ? own : withoutConversion()) }
  const name = 'converted'
  const group = `${name}.${P}`
  const nut = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Nut', metadata: { name, namespace } })
  const objects = (conversion: object, value: string) => [
    storedInV2(group, conversion),
    nut('hazel'),
    configMap('shell', { value }),
  ]
  const shellHas = async (value: string) => matches(t, await ground.live(configMap('shell')), { data: { value } })
  const stands = (isSo: () => Promise<boolean>) => ground.settleUntil(definition, name, isSo, calls)
  const isReady = async () => (await ground.status(name)).state === 'Ready'
  const isUnread = async () =>
    /Nut .*hazel: cannot be read: .*conversion/.test((await ground.status(name)).ready.message)

  await ground.plant(name, { objects: [...objects(unconverted, '1'), nut('wal')] })
  await stands(isReady)
  await ground.change(name, { spec: { objects: objects(nobodyConverts, '2') } })
  await stands(isUnread)
  matches(t, await ground.status(name), { state: 'Processing', ready: { reason: 'Processing' } })
  await shellHas('2')
  t.ok(inventoryNames(await ground.read(name)).includes('wal'), 'what cannot be read is not taken for gone')
  await ground.change(name, { spec: { objects: objects(nobodyConverts, '3') } })
  await ground.settle(definition, name, calls)
  await shellHas('3')

  await ground.change(name, { spec: { objects: objects(unconverted, '4') } })
  await stands(isReady)
  t.strictSame(await ground.lives([nut('hazel'), nut('wal')]), ['there', 'gone'])

  await ground.change(name, { spec: { objects: objects(nobodyConverts, '5') } })
  await stands(isUnread)
  await ground.remove(name)
  await ground.settle(definition, name, calls)
  matches(t, await ground.status(name), { state: 'Deleting', ready: { message: /Nut .*hazel: cannot be read: / } })
  const mended = { type: 'merge', body: { spec: { conversion: unconverted } } } as const
  await client.patch(refOf(storedInV2(group, unconverted)), mended, writer)
  await stands(async () => (await ground.read(name)) === undefined)
  t.strictSame(await ground.lives(objects(unconverted, '6').filter(({ kind }) => kind !== 'Nut')), ['gone', 'gone'])
})

const unconverted = { strategy: 'None', webhook: null }
const nobodyConverts = {
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://127.0.0.1:1/convert' }, conversionReviewVersions: ['v1'] },
}

/** Nuts of v1 have to be converted whenever they are read. */
const storedInV2 = (group: string, conversion: object): KubeObject => {
  const definition = crd(group, 'Nut', 'nuts')
  const { versions } = definition.spec as { versions: object[] }
  const v1 = versions.map(version => ({ ...version, storage: false }))
  const v2 = versions.map(version => ({ ...version, name: 'v2' }))
  return { ...definition, spec: { ...(definition.spec as object), versions: [...v1, ...v2], conversion } }
}

/** An embedded API server asks no conversion webhook: its clients are told what a real one would tell. */
const withoutConversion = (): Client => {
  const refuse = async ({ apiVersion, kind }: GroupVersionKind) => {
    const [group] = apiVersion.split('/')
    if (kind !== 'Nut' || !apiVersion.endsWith('/v1')) return
    const definition = await client.get(refOf(storedInV2(String(group), {})))
    if (!isMap(definition?.spec) || !isMap(definition.spec.conversion)) return
    if (definition.spec.conversion.strategy !== 'Webhook') return
    const message = `conversion webhook for ${group}/v2, Kind=Nut failed: nobody answers`
    throw new ApiError({ code: 500, reason: 'InternalError', message })
  }
  return altered(own, real => ({
    get: async ref => (await refuse(ref)) ?? real.get(ref),
    list: async query => (await refuse(query)) ?? real.list(query),
  }))
}
