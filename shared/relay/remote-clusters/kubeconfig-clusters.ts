// Connects to clusters of kubeconfig Secrets in objects, such as `spec.kubeConfig` of a Component, with the Secret's current credentials. A
// connection exists as long as an inventory needs the cluster.
import type { ClusterName } from '../../core/objects/object.ts'
import type { Client, ClientOptions } from '../../kube/client-types.ts'
import { kubeconfigIn, kubeconfigKeys } from '../../kube/clusters/clusters.ts'
import { AccessError } from '../../kube/errors.ts'
import { type KubeconfigClients, kubeconfigClients } from '../../kube/kubeconfigs/clients.ts'
import { type KubeConfigSecret, secretOf } from '../dependents/needs.ts'
import { startWatch, type Watch, type WatchSurroundings } from '../watches/watch.ts'
import { RemoteCluster } from './remote-cluster.ts'

type KubeConfigOptions = {
  local: Client
  hosts: readonly string[]
  clientOptions: ClientOptions | undefined
  began(cluster: ClusterName, client: Client): void
  ended(cluster: ClusterName): Promise<void>
}

type Reached = { readonly remote: RemoteCluster; readonly watch: Watch }

export class KubeConfigClusters {
  readonly #options: KubeConfigOptions
  readonly #surroundings: WatchSurroundings
  readonly #clients: KubeconfigClients
  readonly #reached = new Map<ClusterName, Reached>()

  constructor(options: KubeConfigOptions, surroundings: WatchSurroundings) {
    this.#options = options
    this.#clients = kubeconfigClients(options.clientOptions)
    this.#surroundings = surroundings
  }

  /** Watches the Secret, and connects to the cluster. Ignores clusters without a kubeconfig. */
  need(cluster: ClusterName): void {
    const secret = secretOf(cluster)
    if (!secret || this.#reached.has(cluster)) return
    const remote = this.#remoteFor(cluster, secret)
    const { namespace, name } = secret
    const watch = startWatch({
      ...this.#surroundings,
      client: this.#options.local,
      cluster: 'local',
      watched: {
        apiVersion: 'v1',
        kind: 'Secret',
        namespace,
        fieldSelector: `metadata.name=${name}`,
        metadataOnly: true,
      },
      filters: ['any'],
      changed: () => remote.look(),
    })
    this.#reached.set(cluster, { remote, watch })
  }

  async release(cluster: ClusterName): Promise<void> {
    const reached = this.#reached.get(cluster)
    this.#reached.delete(cluster)
    await Promise.all([reached?.watch.stop(), reached?.remote.end()])
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#reached.keys()].map(cluster => this.release(cluster)))
  }

  #remoteFor(cluster: ClusterName, secret: KubeConfigSecret): RemoteCluster {
    const { local, hosts, began, ended } = this.#options
    const reach = reaching(secret, { local, hosts, clients: this.#clients })
    const begin = (_cluster: unknown, client: Client) => {
      began(cluster, client)
      return () => ended(cluster)
    }
    const { namespace, name } = secret
    return new RemoteCluster(
      { name: cluster, group: 'kubeconfig', owner: { namespace, name } },
      { local, clusters: { of: reach }, begin, reached: () => undefined },
      this.#surroundings,
    )
  }
}

type Reaching = Pick<KubeConfigOptions, 'local' | 'hosts'> & { clients: KubeconfigClients }

const reaching =
  ({ namespace, name, key }: KubeConfigSecret, { local, hosts: allowedHosts, clients }: Reaching) =>
  async (): Promise<Client> => {
    const object = await local.get({ apiVersion: 'v1', kind: 'Secret', namespace, name })
    const text = object && kubeconfigIn(object, kubeconfigKeys(key))
    if (text === undefined) throw new AccessError('Missing', `the Secret ${namespace}/${name} contains no kubeconfig`)
    return clients({ text, allowedHosts, called: `the kubeconfig in ${namespace}/${name}` })
  }
