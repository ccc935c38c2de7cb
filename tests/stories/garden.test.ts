// The whole life of a Garden as `npm start` brings it: the embedded cluster with its node and the stand-ins for operators of others, all
// functions for Gardens in a host under its own account, the relay, and nothing else.
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { gardenKind } from '../../shared/api/garden.ts'
import type { Landscape } from '../../shared/api/serverless.ts'
import type { Garden } from '../../shared/core/garden.ts'
import { mapOrEmpty } from '../../shared/core/json.ts'
import { type ObjectRef, refOf, refText } from '../../shared/core/object.ts'
import { readLandscape } from '../../shared/deploy/landscape/landscape.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../../shared/embedded/start.ts'
import { hostLog } from '../../shared/http/telemetry/log.ts'
import { createClient } from '../../shared/kube/client/client.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../shared/kube/kubeconfigs/kubeconfig.ts'
import { accountAccess } from '../../shared/main/account-access.ts'
import { runGardenStandIns } from '../../shared/main/garden-stand-ins.ts'
import { startInProcess } from '../../shared/main/in-process.ts'
import { install, installation } from '../../shared/main/install.ts'
import { webhookServices } from '../../shared/main/webhook-services.ts'
import '../harness/quick-keys.ts'
import { eventually } from '../harness/until.ts'
import { garden } from '../make/garden.ts'

const host = '127.0.0.1'
const person = { fieldManager: 'person' }
const gardenRef: ObjectRef = { ...gardenKind, namespace: '', name: 'garden' }
/** Seconds after which nothing moves any more, on any machine. */
const longSeconds = 600

const freePort = async (): Promise<number> => {
  const server = createServer()
  await once(server.listen(0, host), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const only = (names: readonly string[]): Landscape => {
  const landscape = readLandscape('serverless.yml')
  const functions = Object.entries(landscape.functions).filter(
    ([name]) => name.startsWith('garden-') || names.includes(name),
  )
  return { ...landscape, functions: Object.fromEntries(functions) }
}

type Ground = { readonly cluster: EmbeddedCluster; readonly client: Client; readonly port: number }

/** With all functions for Gardens, and these. */
const groundWith = async (t: Test, ...names: readonly string[]): Promise<Ground> => {
  const landscape = only(['webhook-certificate', ...names])
  const { namespace } = landscape.provider
  const services = webhookServices([namespace])
  const cluster = await startEmbeddedCluster({
    node: { stepMilliseconds: 50, secondMilliseconds: 20 },
    resolveService: services.resolve,
  })
  t.teardown(cluster.stop)
  const port = await freePort()
  t.teardown(runGardenStandIns(cluster, { host, port }))
  const { url: server, caCert: ca, adminToken: token } = cluster
  const access = { server, credentials: () => ({ ca, token }) }
  const client = createClient(access)
  t.teardown(client.close)
  await install(client, installation(landscape, { withWebhooks: true }))
  const as = async (name: string) => {
    const own = createClient(await accountAccess(access, client, { namespace, name }))
    t.teardown(own.close)
    return own
  }
  const clients = { host: await as('host'), relay: await as('relay') }
  const hostFlags = [`--virtual-garden-address=${host}:${port}`, '--garden-care-seconds=15', '--tls-reload-seconds=1']
  const running = await startInProcess({ landscape, clients, log: hostLog('silent'), hostFlags })
  t.teardown(running.stop)
  services.lead(namespace, running.webhooks?.port)
  return { cluster, client, port }
}

const stateOf = async (client: Client): Promise<NonNullable<Garden['status']>> =>
  ((await client.get(gardenRef)) as Garden | undefined)?.status ?? {}

const make = (client: Client): Promise<unknown> =>
  eventually(
    'the webhooks answer, and the Garden is applied',
    () =>
      client.apply(garden({ metadata: { name: 'garden' } }), person).then(
        () => true,
        () => false,
      ),
    longSeconds,
  )

const remove = async (client: Client): Promise<void> => {
  const metadata = { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } }
  await client.patch(gardenRef, { type: 'merge', body: { metadata } }, person)
  await client.delete(gardenRef, {})
}

/** By the kubeconfig that people get. */
const namespacesOfVirtualGarden = async ({ client, port }: Ground): Promise<string[]> => {
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: 'gardener' })
  const text = Buffer.from(String(mapOrEmpty(secret?.data).kubeconfig), 'base64').toString()
  const verdict = parseKubeconfig(text, { allowedHosts: ['*'], dialAt: `${host}:${port}` })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  const virtual = createClient(verdict.access)
  const found = await virtual.list({ apiVersion: 'v1', kind: 'Namespace' }).finally(virtual.close)
  return found.map(({ metadata }) => metadata.name)
}

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
  const ground = await groundWith(t)
  const { client } = ground
  const before = await everything(client)
  await make(client)
  const conditions = async () => ((await stateOf(client)).conditions ?? []).map(one => `${one.type} ${one.status}`)
  const isUp = async () => (await conditions()).filter(text => text.endsWith(' True')).length === allTrue.length
  await eventually('all conditions of the Garden are True', isUp, longSeconds)
  t.strictSame((await conditions()).sort(), allTrue)
  t.equal((await stateOf(client)).lastOperation?.state, 'Succeeded')
  t.ok((await namespacesOfVirtualGarden(ground)).includes('garden'))
  await remove(client)
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
