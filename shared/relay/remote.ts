// One remote cluster: asked for anew whenever its access Secret changed, begun when it is found, begun again when its
// credentials are others, ended with its Secret. What runs in it is the business of whoever is told.
import type { Client } from '../kube/client-types.ts'
import { createBackoff } from './backoff.ts'
import { pause } from './clock.ts'
import type { RemoteCluster, RemotesOptions } from './remotes.ts'
import type { WatchSurroundings } from './watch.ts'

export class Remote {
  readonly cluster: RemoteCluster
  readonly #options: RemotesOptions
  readonly #surroundings: WatchSurroundings
  readonly #backoff = createBackoff({ baseSeconds: 1, maxSeconds: 300 })
  #running: { client: Client; end(): Promise<void> } | undefined
  #mustLook = false
  #isEnded = false
  #wakeUp = new AbortController()
  #settling: Promise<void> | undefined

  constructor(cluster: RemoteCluster, options: RemotesOptions, surroundings: WatchSurroundings) {
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

  /** Its Secret is gone. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#wakeUp.abort()
    await this.#settling
    await this.#stopRunning()
    this.#options.reached(this.cluster.name, 'ended')
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

  /** For now: it is looked at again after a while, or when its Secret changes. */
  async #giveUp(error: unknown): Promise<void> {
    const { clock, log } = this.#surroundings
    this.#options.reached(this.cluster.name, 'down')
    log.warn({ cluster: this.cluster.name, err: error }, 'remote cluster cannot be reached')
    await this.#stopRunning()
    this.#mustLook = true
    await pause(clock, this.#backoff.nextMilliseconds(), this.#wakeUp.signal)
  }

  async #stopRunning(): Promise<void> {
    const before = this.#running
    this.#running = undefined
    await before?.end()
  }
}
