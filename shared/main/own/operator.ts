// The operator in a user's folder, for a test: an embedded cluster with the definitions and accounts of the landscape, a host and a relay.
// Each function has its own account, like a separate host of this function in a cluster. Workloads become ready immediately.
import { setTimeout as wait } from 'node:timers/promises'
import { type KubeObject, type ObjectRef, refOf, refText } from '../../core/objects/object.ts'
import { accessHere } from '../../embedded/http/without-sockets.ts'
import { type EmbeddedCluster, startEmbeddedCluster } from '../../embedded/start.ts'
import { hostLog } from '../../http/telemetry/log.ts'
import { createClient } from '../../kube/client/client.ts'
import type { Client } from '../../kube/client-types.ts'
import { functionSettingsHere } from '../function-settings.ts'
import { landscapeIn, leadingTo } from '../landscape.ts'
import { accountAccess, accountClients, startInProcess, webhookServices } from '../start/in-process.ts'
import { install } from '../start/install.ts'
import { loopback } from '../start/ports.ts'
import { ownInstallation } from './own-cluster.ts'
import { servedFunctions } from './own-functions.ts'

export type OperatorOptions = {
  /** The folder of serverless.yml. Default: the working directory. */
  readonly folder?: string
  /** How long `until` and `untilGone` wait. Default: 30. */
  readonly patienceSeconds?: number
}

export type People = {
  /** A client with the rights of an administrator. */
  readonly client: Client
  create(object: KubeObject): Promise<KubeObject>
  /** Merges these fields into the object. */
  change(object: KubeObject | ObjectRef, fields: Readonly<Record<string, unknown>>): Promise<KubeObject>
  delete(object: KubeObject | ObjectRef): Promise<void>
}

export type Operator = People & {
  readonly cluster: EmbeddedCluster
  /** The object, once it exists and `isExpected` returns true. If this takes too long, rejects with the object's status. */
  until(object: KubeObject | ObjectRef, isExpected?: (object: KubeObject) => boolean): Promise<KubeObject>
  untilGone(object: KubeObject | ObjectRef): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the operator of a folder. Resolves when the relay has listed all its kinds once.
 *
 *   const operator = await startOperator()
 *   await operator.create(website)
 *   await operator.until(website, object => isTrue(conditionOf(object, 'Ready')))
 *   await operator.stop()
 */
export const startOperator = async ({
  folder = process.cwd(),
  patienceSeconds,
}: OperatorOptions = {}): Promise<Operator> => {
  const landscape = leadingTo(loopback, await landscapeIn(folder))
  // Faults of functions and settings are reported before a server starts, because a running server would keep the test alive.
  await functionSettingsHere(await servedFunctions(Object.keys(landscape.functions), landscape, folder), landscape)
  const { namespace } = landscape.provider
  const services = webhookServices([namespace])
  const cluster = await startEmbeddedCluster({ node: { stepMilliseconds: 0 }, resolveService: services.resolve })
  const access = accessHere(cluster)
  const client = createClient(access)
  await install(client, await ownInstallation({ folder, landscape }, { withWebhooks: true }))
  const accessOf = (name: string) => accountAccess(access, client, { namespace, name })
  const clients = await accountClients(Object.keys(landscape.functions), accessOf)
  const running = await startInProcess({ landscape, clients, log: hostLog('silent'), hostFlags: [], folder })
  services.lead(namespace, running.webhooks?.port)
  const untilFound = async (object: KubeObject | ObjectRef, isFound: (found: KubeObject | undefined) => boolean) => {
    const ref = refTo(object)
    let last: KubeObject | undefined
    const look = async (): Promise<boolean> => {
      last = await client.get(ref)
      return isFound(last)
    }
    const found = () => `: ${last ? JSON.stringify(last.status ?? 'it has no status') : 'it does not exist'}`
    await eventually(`${refText(ref)} is as expected`, look, { seconds: patienceSeconds, found })
    return last
  }
  return {
    cluster,
    ...peopleWith(client),
    until: async (object, isExpected = () => true) =>
      (await untilFound(object, found => found !== undefined && isExpected(found))) as KubeObject,
    untilGone: async object => {
      await untilFound(object, found => found === undefined)
    },
    stop: async () => {
      await running.stop()
      await Promise.all([client.close(), clients.close()])
      await cluster.stop()
    },
  }
}

const person = { fieldManager: 'test' }

export const peopleWith = (client: Client): People => ({
  client,
  create: object => client.create(object, person),
  change: (object, body) => client.patch(refTo(object), { type: 'merge', body }, person),
  delete: async object => {
    await client.delete(refTo(object), {})
  },
})

export const refTo = (object: KubeObject | ObjectRef): ObjectRef =>
  'metadata' in object ? refOf(object as KubeObject) : (object as ObjectRef)

const lookMilliseconds = 25

/** Checks until `isSo` is true. If this takes too long, rejects with the sentence and the result of `found`. */
export const eventually = async (
  sentence: string,
  isSo: () => Promise<boolean>,
  { seconds = 30, found = () => '' }: { seconds?: number; found?: () => string } = {},
): Promise<void> => {
  const until = performance.now() + seconds * 1_000
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`${sentence}: not after ${seconds} s${found()}`)
    await wait(lookMilliseconds)
  }
}
