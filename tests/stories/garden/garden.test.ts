// The whole life of a Garden: it comes up, is used, rotates its credentials, and goes. Whoever tends it dies after a single write.
import t, { type Test } from 'tap'
import { seedKind } from '../../../functions/garden-reconcile/rules/rotation/virtual-objects.ts'
import { valueAt } from '../../../shared/core/json/fields.ts'
import { type KubeObject, refOf, refText } from '../../../shared/core/objects/object.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import {
  askFor,
  gardenGround,
  gardenRef,
  gardenStatus,
  longSeconds,
  makeGarden,
  namespacesOfVirtualGarden,
  person,
  removeGarden,
  virtualGarden,
} from '../../harness/garden/garden-ground.ts'
import { gardenLives } from '../../harness/garden/garden-lives.ts'
import { keyLedger, rootNames } from '../../harness/garden/key-ledger.ts'
import { planted, whoMay } from '../../harness/garden/planter.ts'
import { eventually } from '../../harness/until.ts'

type Served = { readonly kind: string; readonly name: string; readonly verbs: readonly string[] }

const textsIn = async (client: Client, path: string): Promise<string[]> => {
  const { groupVersion, resources } = (await client.raw({ method: 'GET', path })) as never as {
    groupVersion: string
    resources: readonly Served[]
  }
  const kinds = resources.filter(({ name, verbs }) => verbs.includes('list') && !name.includes('/'))
  const lists = await Promise.all(
    kinds.map(({ kind }) => client.list({ apiVersion: groupVersion, kind, metadataOnly: true })),
  )
  return lists.flat().map(object => refText(refOf(object)))
}

/** Whatever comes and goes by itself. */
const isPassing = (text: string): boolean => /^(Event|Lease|EndpointSlice) /.test(text)

/** All objects there are. */
const everything = async (client: Client): Promise<string[]> => {
  const { groups } = (await client.raw({ method: 'GET', path: '/apis' })) as never as {
    groups: readonly { preferredVersion: { groupVersion: string } }[]
  }
  const paths = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]
  const texts = await Promise.all(paths.map(path => textsIn(client, path)))
  return [...new Set(texts.flat())].filter(text => !isPassing(text)).sort()
}

const allTrue = [
  ...['ObservabilityComponentsHealthy', 'Reconciled', 'RuntimeComponentsHealthy', 'VirtualComponentsHealthy'],
  'VirtualGardenAPIServerAvailable',
].map(type => `${type} True`)

const ground = await gardenGround(t, { butNot: 'garden-reconcile' })
const { client } = ground
const planter = await whoMay(client, 'planter', ['create', 'list'])
const before = await everything(client)
const keys = keyLedger(client)
const taken = new Set(await planted(planter))
const lives = gardenLives(ground, {
  writes: 1,
  after: async () => {
    await keys.look()
    for (const name of await planted(planter)) taken.add(name)
  },
})

/** The roots that were made in this phase. Nothing is made twice in it. */
const rootsMade = (t: Test): string[] => {
  t.ok(lives.deaths() > leastDeaths)
  const made = Object.entries(keys.made())
  const several = made.filter(([, count]) => count !== 1)
  t.strictSame(several, [], 'each is made once')
  return rootNames.filter(name => made.some(([one]) => one === name))
}

/** There are some 80 writes in the shortest phase. */
const leastDeaths = 50

t.test('GA-154 GA-168 a Garden comes up, tended by who dies after a single write, and people use it', async t => {
  await makeGarden(client)
  await lives.until(garden => garden?.status?.lastOperation?.state === 'Succeeded')
  const conditions = async () => ((await gardenStatus(client)).conditions ?? []).map(one => `${one.type} ${one.status}`)
  const isUp = async () => (await conditions()).filter(text => text.endsWith(' True')).length === allTrue.length
  await eventually('all conditions of the Garden are True', isUp, longSeconds)
  t.strictSame((await conditions()).sort(), allTrue)
  t.ok((await namespacesOfVirtualGarden(ground)).includes('garden'))
  t.strictSame(rootsMade(t), rootNames)
})

const rotated = async (does: 'start' | 'complete', phase: 'Prepared' | 'Completed'): Promise<void> => {
  keys.keep()
  await askFor(client, `rotate-credentials-${does}`)
  await lives.until(garden => {
    const { certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey } =
      garden?.status?.credentials?.rotation ?? {}
    return [certificateAuthorities, serviceAccountKey, etcdEncryptionKey, workloadIdentityKey].every(
      one => one?.phase === phase,
    )
  })
}

/** In how far Secrets that are made anew, and whatever is named after its content, are the same as before. */
const unhashed = (texts: readonly string[]): string[] =>
  texts
    .filter(text => !/^(Pod|PodMetrics|ReplicaSet|ControllerRevision) /.test(text))
    .map(text => text.replace(/-[0-9a-f]{8}(-[0-9a-f]{5})?$/, ''))
    .sort()

const note: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name: 'note' },
  data: { text: Buffer.from('readable').toString('base64') },
}

t.test('GA-154 all credentials are rotated by who dies after a single write, and no key in use is missing', async t => {
  const former = await virtualGarden(ground)
  t.teardown(former.close)
  await former.create({ apiVersion: seedKind.apiVersion, kind: 'Seed', metadata: { name: 'local' } }, person)
  await former.create(note, person)
  const whole = unhashed(await everything(client))
  await rotated('start', 'Prepared')
  t.strictSame(rootsMade(t), rootNames)
  const { data, metadata } = (await former.get(refOf(note))) ?? note
  t.strictSame(data, note.data, 'who is known from before is known')
  const writesWith = keys.newest('kube-apiserver-etcd-encryption-key')?.metadata.name
  t.equal(metadata.labels?.['credentials.gardener.cloud/key-name'], writesWith, 'what is stored is stored anew')

  await rotated('complete', 'Completed')
  t.strictSame(rootsMade(t), [])
  const virtual = await virtualGarden(ground)
  t.strictSame((await virtual.get(refOf(note)).finally(virtual.close))?.data, note.data)
  // Who still holds a former generic kubeconfig may use it.
  t.strictSame(unhashed(await everything(client)), [...whole, 'Secret garden/generic-token-kubeconfig'].sort())
})

t.test('GA-367 a backup that names no bucket is told of until it does, and the Garden stays up', async t => {
  const told = async () =>
    (await gardenStatus(client)).conditions?.find(({ type }) => type === 'BackupBucketReady')?.reason
  const asking = (backup: object) =>
    client.patch(
      gardenRef,
      { type: 'merge', body: { spec: { virtualCluster: { etcd: { main: { backup } } } } } },
      person,
    )
  const succeeded = () =>
    lives.until(
      garden =>
        garden?.status?.lastOperation?.state === 'Succeeded' &&
        garden.status.observedGeneration === garden.metadata.generation,
    )
  const etcd = {
    apiVersion: 'druid.gardener.cloud/v1alpha1',
    kind: 'Etcd',
    namespace: 'garden',
    name: 'virtual-garden-etcd-main',
  }
  const container = async () => valueAt((await client.get(etcd))?.spec, 'backup', 'store', 'container')
  await asking({ provider: 'local', secretRef: { name: 'backup' } })
  await succeeded()
  t.strictSame([await told(), await container()], ['BucketNameMissing', undefined])
  await asking({ bucketName: 'mine' })
  await succeeded()
  t.strictSame([await told(), await container()], [undefined, 'mine'])
})

t.test('GA-154 GA-168 it goes without a trace, taken down by who dies after a single write', async t => {
  keys.letGo()
  await removeGarden(client)
  await lives.until(garden => garden === undefined)
  t.strictSame(rootsMade(t), [])
  const claims = ['main-virtual-garden-etcd-virtual-garden-etcd-main-0', 'vali-vali-0']
  const kept = [...claims, 'virtual-garden-etcd-events-virtual-garden-etcd-events-0']
  const left = async () => (await everything(client)).filter(text => !before.includes(text))
  await eventually('Pods and policies are gone too', async () => (await left()).length <= kept.length, longSeconds)
  t.strictSame(
    await left(),
    kept.map(name => `PersistentVolumeClaim garden/${name}`),
  )
})

t.test('GA-321 at no moment of its life was a Secret taken from who may only create some', async t => {
  t.strictSame([...taken], [])
})
