// A kind that exists only as long as its APIService is served. The aggregator of the real API server asks a second API server for it: an embedded
// one, which stands for servers like metrics-server, through a Service that leads to this machine. The embedded API server asks nobody. There, a
// definition serves the kind, and a status written here makes it available.
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import { type KubeObject, refOf } from '../../../shared/core/objects/object.ts'
import { startEmbeddedCluster } from '../../../shared/embedded/start.ts'
import type { Client } from '../../../shared/kube/client-types.ts'
import { isNotFound } from '../../../shared/kube/errors.ts'
import type { ApiClient, Fields } from '../clients/api.ts'
import { crd, established } from '../component/orchards.ts'
import type { AnyCluster } from './any-cluster.ts'
import { clientTo } from './cluster-client.ts'
import { served } from './test-definitions.ts'

export type AggregatedApi = {
  /** The APIService as an operator ships it. The test creates it. */
  readonly apiService: KubeObject
  /** An object of the kind in the cluster's namespace. */
  instance(name: string, metadata?: object): KubeObject
  /** Starts the server. Resolves when the APIService, which must have been created, is available. */
  available(): Promise<void>
  /** Stops the server. Resolves when the APIService says so. */
  away(): Promise<unknown>
}

type Ground = { readonly cluster: AnyCluster; readonly client: Client }

/** The kind has a group of its own. Controllers of a real cluster would complain when the group disappears: use a cluster without them. */
export const aggregatedApi = async (t: Test, ground: Ground): Promise<AggregatedApi> => {
  const { client, cluster } = ground
  const definition = crd(`harvests-${randomBytes(4).toString('hex')}.example`, 'Harvest', 'harvests')
  const { group } = definition.spec as { group: string }
  const kind = { apiVersion: `${group}/v1`, kind: 'Harvest' }
  const behind = await (cluster.isReal ? secondServer(t, ground, definition) : ownDefinition(t, ground, definition))
  const apiService = apiServiceOf(group, behind.service)
  t.teardown(() => removed(client, apiService))
  return {
    apiService,
    instance: (name, metadata) => ({ ...kind, metadata: { name, namespace: cluster.namespace, ...metadata } }),
    available: async () => {
      await behind.comes(apiService)
      await served(client, kind)
    },
    away: () => behind.goes(apiService),
  }
}

const person = { fieldManager: 'person' }

const apiServiceOf = (group: string, service: ServicePort): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `v1.${group}` },
  spec: { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service },
})

/** The server behind the kind. */
type Behind = {
  readonly service: ServicePort
  comes(apiService: KubeObject): Promise<unknown>
  goes(apiService: KubeObject): Promise<unknown>
}
type ServicePort = { readonly namespace: string; readonly name: string; readonly port: number }

/** The aggregator names the user only in headers, which an embedded API server does not read. So this one allows everything to everybody. */
const secondServer = async (t: Test, { client, cluster }: Ground, definition: KubeObject): Promise<Behind> => {
  const { namespace, api } = cluster
  const server = await startEmbeddedCluster()
  t.teardown(() => server.stop())
  const there = clientTo(t, server)
  await there.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, person)
  await there.create(everybodyMayAll, person)
  await established(there, definition)
  const port = Number(new URL(server.url).port)
  const toThisMachine = externalService(`port-${port}`, namespace)
  const unreachable = () => client.delete(refOf(toThisMachine), {})
  t.teardown(unreachable)
  return {
    service: { namespace, name: toThisMachine.metadata.name, port },
    comes: async apiService => {
      await client.create(toThisMachine, person)
      await reported(api, apiService, 'True')
    },
    goes: async apiService => {
      await unreachable()
      await reported(api, apiService, 'False')
    },
  }
}

const everybodyMayAll: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'everybody' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:unauthenticated' }],
}

const externalService = (name: string, namespace: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace },
  spec: { type: 'ExternalName', externalName: 'localhost' },
})

const reported = (api: ApiClient, { metadata: { name } }: KubeObject, status: string) => {
  const until = (found: Fields | undefined) => availabilityOf(found) === status
  return api.waitFor({ in: '/apis/apiregistration.k8s.io/v1/apiservices', name, until })
}

const availabilityOf = (apiService: Fields | undefined): string | undefined => {
  const { conditions = [] } = (apiService?.status ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.find(({ type }) => type === 'Available')?.status
}

const ownDefinition = async (t: Test, { client, cluster }: Ground, definition: KubeObject): Promise<Behind> => {
  await established(client, definition)
  t.teardown(() => client.delete(refOf(definition), {}))
  const says = (status: string) => (apiService: KubeObject) => {
    const body = { status: { conditions: [{ type: 'Available', status }] } }
    return client.patch(refOf(apiService), { type: 'merge', body }, { ...person, subresource: 'status' })
  }
  const service = { namespace: cluster.namespace, name: 'nobody', port: 443 }
  return { service, comes: says('True'), goes: says('False') }
}

/** Also after a failed test, because an APIService without its server disturbs everybody. */
const removed = async (client: Client, object: KubeObject): Promise<void> => {
  const body = { metadata: { finalizers: null } }
  await client.patch(refOf(object), { type: 'merge', body }, person).catch(error => {
    if (!isNotFound(error)) throw error
  })
  await client.delete(refOf(object), {})
}
