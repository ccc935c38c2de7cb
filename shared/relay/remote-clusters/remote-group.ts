// The clusters of one group of serverless.yml, one per access Secret. A silent cluster does not delay other clusters.
import type { RemoteSettings } from '../../api/serverless.ts'
import { keptOrMade } from '../../core/memory/remembered.ts'
import type { ClusterName, KubeObject } from '../../core/objects/object.ts'
import { isForUs } from '../../kube/clusters/clusters.ts'
import type { ObjectChange } from '../watches/seen-objects.ts'
import type { Subscription } from '../watches/subscription.ts'
import type { WatchSurroundings } from '../watches/watch.ts'
import { RemoteCluster, type RemoteIdentity, type RemotesOptions } from './remote-cluster.ts'

type GroupOptions = RemotesOptions & {
  /** Called before the first look at a cluster. */
  begins(cluster: ClusterName): void
}

export class RemoteGroup {
  readonly #name: string
  readonly #settings: RemoteSettings
  readonly #options: GroupOptions
  readonly #surroundings: WatchSurroundings
  readonly #remotes = new Map<string, RemoteCluster>()
  readonly subscription: Subscription

  constructor(
    { name, settings }: { name: string; settings: RemoteSettings },
    options: GroupOptions,
    surroundings: WatchSurroundings,
  ) {
    this.#name = name
    this.#settings = settings
    this.#options = options
    this.#surroundings = surroundings
    this.subscription = { settings: accessSecrets(settings), notice: change => this.#notice(change) }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#remotes.values()].map(remote => remote.end()))
  }

  #notice({ type, ref, object }: ObjectChange): void {
    const cluster = object && type !== 'DELETED' ? this.#clusterBehind(object) : undefined
    const known = this.#remotes.get(ref.name)
    if (known && known.cluster.name !== cluster?.name) {
      this.#end(ref.name, known)
      this.#lookAt(known.cluster.name)
    }
    if (!cluster) return
    keptOrMade(this.#remotes, ref.name, () => this.#begun(cluster))
    this.#lookAt(cluster.name)
  }

  #begun(cluster: RemoteIdentity): RemoteCluster {
    this.#options.begins(cluster.name)
    return new RemoteCluster(cluster, this.#options, this.#surroundings)
  }

  /** Two Secrets for one cluster are an error, so a change of either Secret may change the state of the cluster. */
  #lookAt(cluster: ClusterName): void {
    for (const remote of this.#remotes.values()) if (remote.cluster.name === cluster) remote.look()
  }

  #end(secret: string, remote: RemoteCluster): void {
    this.#remotes.delete(secret)
    void remote.end()
  }

  #clusterBehind({ metadata }: KubeObject): RemoteIdentity | undefined {
    const { nameLabel, namespace } = this.#settings
    const name = isForUs(metadata.labels, this.#settings) && metadata.labels?.[nameLabel]
    return name ? { name: `${this.#name}/${name}`, group: this.#name, owner: { namespace, name } } : undefined
  }
}

/** Metadata only, because shared/kube reads the credentials when it makes a client. */
const accessSecrets = ({ namespace, nameLabel }: RemoteSettings): Subscription['settings'] => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace,
  labelSelector: nameLabel,
  metadataOnly: true,
  on: ['any'],
})
