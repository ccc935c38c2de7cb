// One remote cluster. A changed Secret makes the relay read the credentials again; new credentials restart the watches, a deleted Secret
// ends them.
import type { ClusterName, Key } from '../../core/object.ts'
import type { Client, Clusters } from '../../kube/client-types.ts'
import { AccessError } from '../../kube/errors.ts'
import { createBackoff } from '../time/backoff.ts'
import { pause } from '../time/clock.ts'
import type { WatchSurroundings } from '../watches/watch.ts'

/** `owner`: whom the cluster belongs to, as the Secret says. */
export type RemoteIdentity = { name: ClusterName; group: string; owner: Key }

/** `ended`: the cluster is no concern of ours any more. */
export type ClusterReach = 'up' | 'down' | 'ended'

export type RemotesOptions = {
  local: Client
  clusters: Clusters
  /** Begins all that is to run in the cluster; the answer ends it. */
  begin(cluster: RemoteIdentity, client: Client): () => Promise<void>
  reached(cluster: ClusterName, reach: ClusterReach): void
}

export class RemoteCluster {
  readonly cluster: RemoteIdentity
  readonly #options: RemotesOptions
  readonly #surroundings: WatchSurroundings
  readonly #backoff = createBackoff({ baseSeconds: 1, maxSeconds: 300 })
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

  /** Its Secret appeared or changed. */
  look(): void {
    this.#mustLook = true
    this.#wakeUp.abort()
    this.#settling ??= this.#settle()
  }

  /** Its Secret is gone. All is told at once, not after what is under way: the same cluster may begin anew meanwhile. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#wakeUp.abort()
    const stopped = this.#stopRunning()
    this.#options.reached(this.cluster.name, 'ended')
    await Promise.all([stopped, this.#settling])
  }

  /** One step at a time, until there is nothing new to look at. */
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

  /** The same client again means the same credentials. */
  async #moveTo(client: Client): Promise<void> {
    this.#backoff.reset()
    if (this.#running?.client === client) return
    await this.#stopRunning()
    if (!this.#isEnded) this.#running = { client, end: this.#options.begin(this.cluster, client) }
  }

  /**
   * For now: it is looked at again after a while, or when its Secret changes. What runs needs its Secret no more, so only
   * one that leads nowhere ends it, not an API server that cannot show it.
   */
  async #giveUp(error: unknown): Promise<void> {
    if (this.#isEnded) return
    const { clock, log } = this.#surroundings
    log.warn({ cluster: this.cluster.name, err: error }, 'access to a remote cluster is not known')
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
