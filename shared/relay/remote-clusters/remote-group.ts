// The clusters of one group of serverless.yml: one per access Secret, for as long as the Secret exists. A cluster that does not answer
// delays no other.
import type { RemoteSettings } from '../../api/serverless.ts'
import { labelSelectorText } from '../../core/objects/label-selector.ts'
import type { ClusterName, KubeObject } from '../../core/objects/object.ts'
import type { ObjectChange } from '../watches/seen-objects.ts'
import { startWatch, type Watch, type WatchedKind, type WatchSurroundings } from '../watches/watch.ts'
import { RemoteCluster, type RemoteIdentity, type RemotesOptions } from './remote-cluster.ts'

export class RemoteGroup {
  readonly #name: string
  readonly #settings: RemoteSettings
  readonly #options: RemotesOptions
  readonly #surroundings: WatchSurroundings
  /** By the name of the Secret. */
  readonly #remotes = new Map<string, RemoteCluster>()
  /** The watch of the access Secrets. */
  readonly watch: Watch

  /** Begins at once. */
  constructor(
    { name, settings }: { name: string; settings: RemoteSettings },
    options: RemotesOptions,
    surroundings: WatchSurroundings,
  ) {
    this.#name = name
    this.#settings = settings
    this.#options = options
    this.#surroundings = surroundings
    this.watch = startWatch({
      ...surroundings,
      client: options.local,
      cluster: 'local',
      watched: accessSecrets(settings),
      filters: ['any'],
      changed: change => this.#notice(change),
    })
  }

  async stop(): Promise<void> {
    await this.watch.stop()
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
    const remote = this.#remotes.get(ref.name) ?? new RemoteCluster(cluster, this.#options, this.#surroundings)
    this.#remotes.set(ref.name, remote)
    this.#lookAt(cluster.name)
  }

  /** With two Secrets neither is used: the second one, and the end of either, concern both. */
  #lookAt(cluster: ClusterName): void {
    for (const remote of this.#remotes.values()) if (remote.cluster.name === cluster) remote.look()
  }

  #end(secret: string, remote: RemoteCluster): void {
    this.#remotes.delete(secret)
    void remote.end()
  }

  #clusterBehind({ metadata }: KubeObject): RemoteIdentity | undefined {
    const { nameLabel, namespace } = this.#settings
    const name = metadata.labels?.[nameLabel]
    return name ? { name: `${this.#name}/${name}`, group: this.#name, owner: { namespace, name } } : undefined
  }
}

/** Metadata only: shared/kube reads the credentials when a client of the cluster is asked for. */
const accessSecrets = ({ namespace, labels }: RemoteSettings): WatchedKind => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace,
  labelSelector: labelSelectorText(labels),
  metadataOnly: true,
})
