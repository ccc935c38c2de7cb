// The whole life of a Garden: it comes up, is used, and goes.
import t from 'tap'
import { refOf, refText } from '../../shared/core/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import {
  gardenGround,
  gardenRef,
  gardenStatus,
  longSeconds,
  makeGarden,
  namespacesOfVirtualGarden,
  removeGarden,
} from '../harness/garden-ground.ts'
import { eventually } from '../harness/until.ts'

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

t.test('GA-168 a Garden comes up, people reach its API server, and it goes without a trace', async t => {
  const ground = await gardenGround(t)
  const { client } = ground
  const before = await everything(client)
  await makeGarden(client)
  const conditions = async () => ((await gardenStatus(client)).conditions ?? []).map(one => `${one.type} ${one.status}`)
  const isUp = async () => (await conditions()).filter(text => text.endsWith(' True')).length === allTrue.length
  await eventually('all conditions of the Garden are True', isUp, longSeconds)
  t.strictSame((await conditions()).sort(), allTrue)
  t.equal((await gardenStatus(client)).lastOperation?.state, 'Succeeded')
  t.ok((await namespacesOfVirtualGarden(ground)).includes('garden'))
  await removeGarden(client)
  await eventually('the Garden is gone', async () => !(await client.get(gardenRef)), longSeconds)
  const claims = ['main-virtual-garden-etcd-virtual-garden-etcd-main-0', 'vali-vali-0']
  const kept = [...claims, 'virtual-garden-etcd-events-virtual-garden-etcd-events-0']
  const left = async () => (await everything(client)).filter(text => !before.includes(text))
  await eventually('Pods and policies are gone too', async () => (await left()).length <= kept.length, longSeconds)
  t.strictSame(
    await left(),
    kept.map(name => `PersistentVolumeClaim garden/${name}`),
  )
})
