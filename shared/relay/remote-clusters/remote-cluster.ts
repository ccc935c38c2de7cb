// One remote cluster. A changed Secret makes the relay read the credentials again. New credentials restart the watches. A deleted Secret
// ends the watches.
import type { ClusterName, Key } from '../../core/objects/object.ts'
import type { Client, Clusters } from '../../kube/client-types.ts'
import { AccessError } from '../../kube/errors.ts'
import { Backoff, pause } from '../time/clock.ts'
import type { WatchSurroundings } from '../watches/watch.ts'

/** `owner`: the key of the cluster's owner, from its Secret. */
export type RemoteIdentity = { name: ClusterName; group: string; owner: Key }

/** `ended`: the Secret is gone, or no object needs the cluster. */
export type ClusterReach = 'up' | 'down' | 'ended'

export type RemotesOptions = {
  local: Client
  clusters: Clusters
  /** Starts the watches in the cluster. The returned function ends them. */
  begin(cluster: RemoteIdentity, client: Client): () => Promise<void>
  reached(cluster: ClusterName, reach: ClusterReach): void
}

export class RemoteCluster {
  readonly cluster: RemoteIdentity
  readonly #options: RemotesOptions
  readonly #surroundings: WatchSurroundings
  readonly #backoff = new Backoff({ baseSeconds: 1, maxSeconds: 300 })
  #running: { client: Client; end(): Promise<void> } | undefined
  #mustLook = false
  #isEnded = false
  #wakeUp = new AbortController()
  #settling: Promise<void> | undefined

  constructor(cluster: RemoteIdentity, options: RemotesOptions, surroundings: WatchSurroundings) {
    this.cluster = cluster
    this.#options = options
    this.#surroundings = surroundings
  }

  look(): void {
    this.#mustLook = true
    this.#wakeUp.abort()
    this.#settling ??= this.#settle()
  }

  /** Call when the Secret is gone. Calls `reached` before any await, because the same cluster may start again during the await. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#wakeUp.abort()
    const stopped = this.#stopRunning()
    this.#options.reached(this.cluster.name, 'ended')
    await Promise.all([stopped, this.#settling])
  }

  /** Reads the access until the Secret does not change during the read. */
  async #settle(): Promise<void> {
    while (this.#mustLook && !this.#isEnded) {
      this.#mustLook = false
      this.#wakeUp = new AbortController()
      try {
        await this.#moveTo(await this.#options.clusters.of(this.cluster.name))
      } catch (error) {
        await this.#giveUp(error)
      }
    }
    this.#settling = undefined
  }

  /** The same client means the same credentials. */
  async #moveTo(client: Client): Promise<void> {
    this.#backoff.reset()
    if (this.#running?.client === client) return
    await this.#stopRunning()
    if (!this.#isEnded) this.#running = { client, end: this.#options.begin(this.cluster, client) }
  }

  /** Retries later, or when the Secret changes. Running watches end only if the Secret itself is wrong (AccessError). */
  async #giveUp(error: unknown): Promise<void> {
    if (this.#isEnded) return
    const { clock, log } = this.#surroundings
    log.warn({ cluster: this.cluster.name, err: error }, 'the access to a remote cluster cannot be determined')
    const stopped = error instanceof AccessError ? this.#stopRunning() : undefined
    if (!this.#running) this.#options.reached(this.cluster.name, 'down')
    await stopped
    this.#mustLook = true
    await pause(clock, this.#backoff.nextMilliseconds(), this.#wakeUp.signal)
  }

  async #stopRunning(): Promise<void> {
    const before = this.#running
    this.#running = undefined
    await before?.end()
  }
}
