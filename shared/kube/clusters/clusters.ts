// Provides clients of clusters by name. The access Secret of a remote cluster is read in each call, so that a new, rotated or deleted
// Secret takes effect at once. Calls at the same time share a read. Clients are cached between calls only to save connections.
import type { RemoteSettings } from '../../api/serverless.ts'
import type { BindableClusters, Client, ClientOptions } from '../client-types.ts'
import type { KubeconfigClients } from '../kubeconfigs/clients.ts'
import { fleetConnections } from '../limits.ts'
import { KeyedReads } from '../shared-reads.ts'
import { accessSecret } from './access-secret.ts'

type ClustersOptions = {
  local: Client
  remotes?: Readonly<Record<string, RemoteSettings>>
  client?: ClientOptions
}

/** The cluster `local` uses the given client. A cluster `<group>/<name>` uses the access Secret with this name in the group. */
export const clusters = ({ local, remotes = {}, client }: ClustersOptions): BindableClusters => {
  let clients: Promise<KubeconfigClients> | undefined
  const secrets = new KeyedReads()
  const of = async (name: string, home: Client): Promise<Client> => {
    if (name === 'local') return home
    const { kubeconfig: text, allowedHosts } = await secrets.of(name, undefined, () =>
      accessSecret(home, remotes, name),
    )
    clients ??= newClients(client)
    return (await clients)({ text, allowedHosts, called: `the kubeconfig of the cluster ${name}` })
  }
  return {
    clientOptions: client,
    of: name => of(name, local),
    bound: call => {
      const found = new Map<string, Promise<Client>>()
      const home = local.bound(call)
      const look = (name: string): Promise<Client> => {
        const client = of(name, home).then(far => far.bound(call))
        found.set(name, client)
        return client
      }
      return { of: name => found.get(name) ?? look(name) }
    },
  }
}

/** Loads the code on demand, because the code is large and most hosts never need it. */
const newClients = async (options: ClientOptions | undefined): Promise<KubeconfigClients> => {
  const { kubeconfigClients } = await import('../kubeconfigs/clients.ts')
  return kubeconfigClients({ connections: fleetConnections, ...options })
}
