// Where fault tests take place: a cluster of their own (functions act on all of it), the fault proxy in front of it, and every function
// under the ServiceAccount and the roles that are generated for it.
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { KubeObject } from '../../shared/core/objects/object.ts'
import type { Client } from '../../shared/kube/client-types.ts'
import type { FunctionDefinition } from '../../shared/runtime/definition.ts'
import type { Credentials } from '../harness/clients/kubeconfig.ts'
import { anyCluster, isRealCluster } from '../harness/clusters/any-cluster.ts'
import { ownControlPlane } from '../harness/clusters/cluster.ts'
import { nearClientTo, type Way } from './clients.ts'
import { documents } from './documents.ts'
import { type FaultProxy, faultProxy } from './proxy/proxy.ts'
import { make, type World, worldOf } from './world.ts'

/** A ServiceAccount's way to prove who it is. */
export type Account = { readonly token: string }

export type Ground = {
  readonly cluster: Way & { readonly admin: Credentials }
  readonly proxy: FaultProxy
  readonly world: World
  /** Past the proxy, with all rights. */
  readonly admin: Client
  /** Through the proxy, with the function's own rights; a new client each time, like that of another replica. */
  clientOf(definition: FunctionDefinition): Promise<Client>
  /** Through the proxy, with all rights: what lies behind an access Secret. */
  readonly far: Client
  /** The ServiceAccount of a function or of the relay, with the roles that are generated for it. */
  identityOf(name: string): Promise<Account>
  /** An identity that may do what every function does. */
  allRights(): Promise<Account>
}

/** Where the grounds of a test lie. */
export type NewCluster = (t: Test) => Promise<Ground['cluster']>

/** One control plane is enough for a file: whoever tells a story there takes it back. Embedded clusters are as many as grounds. */
export const clustersOf = async (file: Test): Promise<NewCluster> => {
  if (!isRealCluster)
    return async t => {
      const cluster = await anyCluster(t)
      return { ...cluster, answer: cluster.embedded?.answer }
    }
  const one = await ownControlPlane(file)
  return async () => one
}

/** Lasts as long as the test. */
export const newGround = async (t: Test, newCluster: NewCluster): Promise<Ground> => {
  const cluster = await newCluster(t)
  const proxy = await faultProxy(cluster)
  const admin = nearClientTo(cluster, cluster.admin)
  const clients: Client[] = [admin]
  t.teardown(async () => {
    await Promise.all(clients.map(client => client.close()))
    await proxy.close()
  })
  const identityOf = (name: string) => newIdentity(name, admin)
  const clientOf = async (definition: FunctionDefinition): Promise<Client> => {
    const client = nearClientTo(proxy, await identityOf(definition.name))
    clients.push(client)
    return client
  }
  const far = nearClientTo(proxy, await newAdministrator(admin))
  clients.push(far)
  return {
    cluster,
    proxy,
    admin,
    far,
    world: worldOf(admin),
    clientOf,
    identityOf,
    allRights: () => newAdministrator(admin),
  }
}

const manifestsFolder = join(import.meta.dirname, '..', '..', 'manifests')

/** The account of a function, with its rights in namespaces of others too. */
const rightsOf = async (name: string): Promise<readonly KubeObject[]> => {
  const files = globSync('namespaces/*.yaml', { cwd: manifestsFolder }).sort()
  const elsewhere = await Promise.all(files.map(file => documents(join(manifestsFolder, file))))
  const own = await documents(join(manifestsFolder, 'rbac', `${name}.yaml`))
  return [...own, ...elsewhere.flat().filter(({ metadata }) => metadata.name === `espalier-${name}`)]
}

const newIdentity = async (name: string, admin: Client): Promise<Account> => {
  const objects = await rightsOf(name)
  const account = objects.find(({ kind }) => kind === 'ServiceAccount')
  if (!account) throw new Error(`manifests/rbac/${name}.yaml has no ServiceAccount`)
  for (const { metadata } of objects) if (metadata.namespace) await make(admin, namespaceNamed(metadata.namespace))
  for (const object of objects) await make(admin, object)
  return { token: await tokenFor(account, admin) }
}

const newAdministrator = async (admin: Client): Promise<Account> => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'anyone', namespace: 'default' } }
  await make(admin, account)
  await make(admin, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'faults-anyone' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', ...account.metadata }],
  })
  return { token: await tokenFor(account, admin) }
}

const tokenFor = async ({ metadata: { namespace, name } }: KubeObject, admin: Client): Promise<string> => {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const answer = await admin.raw({ method: 'POST', path, body: request })
  return (answer as { status: { token: string } }).status.token
}

const namespaceNamed = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
