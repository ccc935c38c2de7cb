// A whole cluster for the life of a Garden, as `npm start` makes it. It has the embedded cluster with its node, the stand-ins for operators of
// others, a host under its own account with all functions for Gardens, and the relay.
import type { Test } from 'tap'
import { gardenKind } from '../../../shared/api/garden.ts'
import type { Landscape } from '../../../shared/api/serverless.ts'
import { mapOrEmpty } from '../../../shared/core/json/json.ts'
import type { Garden } from '../../../shared/core/objects/garden.ts'
import type { ObjectRef } from '../../../shared/core/objects/object.ts'
import { readLandscape } from '../../../shared/deploy/landscape/landscape.ts'
import { accessHere } from '../../../shared/embedded/http/without-sockets.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import { hostLog } from '../../../shared/http/telemetry/log.ts'
import { createClient } from '../../../shared/kube/client/client.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { parseKubeconfig } from '../../../shared/kube/kubeconfigs/kubeconfig.ts'
import {
  accountAccess,
  accountClients,
  startInProcess,
  webhookServices,
} from '../../../shared/main/start/in-process.ts'
import { install, installation } from '../../../shared/main/start/install.ts'
import { runGardenStandIns } from '../../../shared/main/start/stand-ins.ts'
import './quick-keys.ts'
import type { ProcessContext } from '../../../shared/runtime/context.ts'
import { type Change, garden } from '../../make/garden/garden.ts'
import { freePorts } from '../processes/ports.ts'
import { eventually } from '../until.ts'
import { gardenSettings } from './garden-settings.ts'

const host = '127.0.0.1'
export const person = { fieldManager: 'person' }
export const gardenRef: ObjectRef = { ...gardenKind, namespace: '', name: 'garden' }
/** Longer than anything takes, on any machine. */
export const longSeconds = 600

const only = (landscape: Landscape, isWanted: (name: string) => boolean): Landscape => {
  const functions = Object.entries(landscape.functions).filter(([name]) => isWanted(name))
  return { ...landscape, functions: Object.fromEntries(functions) }
}

export type GardenGround = {
  readonly client: Client
  /** A client with the rights of the host only. */
  readonly local: Client
  readonly settingsOf: ProcessContext['settingsOf']
  /** The port of the virtual garden's API server. */
  readonly port: number
  /** Returns another text after each change in the cluster. */
  readonly revision: () => string
}

type GroundOptions = {
  /** One more function, besides those for Gardens. */
  readonly also?: string
  /** A function that may run, but that only the test calls. */
  readonly butNot?: string
  /** How long a second of `minReadySeconds` takes. */
  readonly secondMilliseconds?: number
}

/** A cluster with all functions for Gardens. */
export const gardenGround = async (
  t: Test,
  { also, butNot, secondMilliseconds = 20 }: GroundOptions = {},
): Promise<GardenGround> => {
  const isThere = (name: string) => name.startsWith('garden-') || ['webhook-certificate', also].includes(name)
  const landscape = only(readLandscape('serverless.yml'), isThere)
  const { namespace } = landscape.provider
  const services = webhookServices([namespace])
  const cluster = await startEmbeddedCluster({
    node: { stepMilliseconds: 50, secondMilliseconds },
    resolveService: services.resolve,
  })
  t.teardown(cluster.stop)
  const [port = 0, sidecarPort = 0] = await freePorts(2)
  t.teardown(runGardenStandIns(cluster, { host, port, sidecarPort }))
  const access = accessHere(cluster)
  const client = createClient(access)
  t.teardown(client.close)
  await install(client, installation(landscape, { withWebhooks: true }))
  const hostFlags = [`--virtual-garden-address=${host}:${port}`, '--garden-care-seconds=15', '--tls-reload-seconds=1']
  const called = only(landscape, name => name !== butNot)
  const accessOf = (name: string) => accountAccess(access, client, { namespace, name })
  const clients = await accountClients(Object.keys(called.functions), accessOf)
  t.teardown(clients.close)
  const running = await startInProcess({ landscape: called, clients, log: hostLog('silent'), hostFlags })
  t.teardown(running.stop)
  services.lead(namespace, running.webhooks?.port)
  const own = await gardenSettings(`${host}:${port}`)
  return { client, local: clients.host, settingsOf: own, port, revision: cluster.resourceVersion }
}

export const gardenStatus = async (client: Client): Promise<NonNullable<Garden['status']>> =>
  ((await client.get(gardenRef)) as Garden | undefined)?.status ?? {}

export const makeGarden = (client: Client, spec: Change<Garden>['spec'] = {}): Promise<unknown> =>
  eventually(
    'the webhooks answer, and the Garden is applied',
    () =>
      client.apply(garden({ metadata: { name: 'garden' }, spec }), person).then(
        () => true,
        () => false,
      ),
    longSeconds,
  )

/** A person asks for an operation. */
export const askFor = (client: Client, operation: string): Promise<unknown> => {
  const body = { metadata: { annotations: { 'gardener.cloud/operation': operation } } }
  return client.patch(gardenRef, { type: 'merge', body }, person)
}

export const removeGarden = async (client: Client): Promise<void> => {
  const metadata = { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } }
  await client.patch(gardenRef, { type: 'merge', body: { metadata } }, person)
  await client.delete(gardenRef, {})
}

/** Reads them with the kubeconfig that people get. */
export const namespacesOfVirtualGarden = async (ground: GardenGround): Promise<string[]> => {
  const virtual = await virtualGarden(ground)
  const found = await virtual.list({ apiVersion: 'v1', kind: 'Namespace' }).finally(virtual.close)
  return found.map(({ metadata }) => metadata.name)
}

/** A client with the present kubeconfig of people. The caller closes it. */
export const virtualGarden = async ({ client, port }: GardenGround): Promise<Client> => {
  const secret = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'garden', name: 'gardener' })
  const text = Buffer.from(String(mapOrEmpty(secret?.data).kubeconfig), 'base64').toString()
  const verdict = parseKubeconfig(text, { allowedHosts: ['*'], dialAt: `${host}:${port}` })
  if ('refused' in verdict) throw new Error(verdict.refused.sentence)
  return createClient(verdict.access)
}
