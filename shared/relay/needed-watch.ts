// A watch that exists because objects of a function name its kind, and the owners it is kept for. Where the relay may
// not watch, the owners are called every now and then instead.
import type { InventorySettings } from '../api/serverless.ts'
import type { ClusterName, GroupVersionKind, Key } from '../core/object.ts'
import type { ClientOptions } from '../kube/client.ts'
import type { Client } from '../kube/client-types.ts'
import { keyIn } from './key-text.ts'
import { asNamed } from './known-states.ts'
import { mappedKey, type Target } from './mapping.ts'
import type { Change } from './sightings.ts'
import { Trail } from './trail.ts'
import type { Trouble } from './troubles.ts'
import { type Listed, startWatch, type Watch, type WatchSurroundings } from './watch.ts'

export type NeededOptions = {
  functionName: string
  settings: InventorySettings
  target(): Target
  /** `version`: what leads there is no more than this state of an object. */
  enqueue(key: Key, version?: string): void
  /** The local cluster's, where Secrets with kubeconfigs lie. */
  local: Client
  /** For clients of the clusters that those lead to. */
  clientOptions?: ClientOptions
  /** How often owners are called whose dependents may not be watched. */
  pollSeconds: number
}

export type Needed = GroupVersionKind & { cluster: ClusterName; namespace?: string }

export class NeededWatch {
  readonly needed: Needed
  readonly #options: NeededOptions
  readonly #surroundings: WatchSurroundings
  /** Owner → names of the items it needs; none when the watch goes by label. */
  readonly #owners = new Map<string, ReadonlySet<string>>()
  #watch: Watch | undefined
  #endPolling: (() => void) | undefined

  constructor(needed: Needed, options: NeededOptions, surroundings: WatchSurroundings) {
    this.needed = needed
    this.#options = options
    this.#surroundings = surroundings
  }

  get isNeeded(): boolean {
    return this.#owners.size > 0
  }

  need(owner: string, names: ReadonlySet<string>): void {
    this.#owners.set(owner, names)
  }

  release(owner: string): void {
    this.#owners.delete(owner)
  }

  begin(client: Client): void {
    const { apiVersion, kind, namespace, cluster } = this.needed
    const labelSelector = this.#options.settings.ownerLabel
    this.#watch = startWatch({
      ...this.#surroundings,
      client,
      cluster,
      watched: { apiVersion, kind, namespace, labelSelector, metadataOnly: true },
      filters: ['any'],
      tell:
        labelSelector === undefined ? change => this.#tellByName(change) : tellByLabel(labelSelector, this.#options),
      listed: list => this.#tellOfAbsent(list),
      state: trouble => this.#stateIs(trouble),
    })
  }

  async end(): Promise<void> {
    this.#stopPolling()
    await this.#watch?.stop()
  }

  /** Of what is named its state is all that counts. */
  #tellByName({ ref, version, line = version }: Change): void {
    const state = line === undefined ? undefined : asNamed(line)
    for (const [owner, names] of this.#owners) if (names.has(ref.name)) this.#options.enqueue(keyIn(owner), state)
  }

  /** What its owner's call read or made may have ended since: no line of the list tells of that. */
  #tellOfAbsent({ isThere, followsTrouble }: Listed): void {
    const { namespace = '' } = this.needed
    const isMissed = (names: ReadonlySet<string>) =>
      names.size > 0 ? [...names].some(name => !isThere({ namespace, name })) : followsTrouble
    for (const [owner, names] of this.#owners) if (isMissed(names)) this.#options.enqueue(keyIn(owner))
  }

  /** The watch goes on trying by itself: polling ends as soon as it may be watched after all. */
  #stateIs(trouble: Trouble | undefined): void {
    const isRefused = trouble?.cause === 'refused'
    if (!isRefused) this.#stopPolling()
    else if (!this.#endPolling) this.#beginPolling()
  }

  #stopPolling(): void {
    this.#endPolling?.()
    this.#endPolling = undefined
  }

  #beginPolling(): void {
    const { functionName, pollSeconds } = this.#options
    const { log } = this.#surroundings
    log.warn(
      { function: functionName, ...this.needed, pollSeconds },
      'may not be watched: its owners are polled instead',
    )
    this.#pollLater()
  }

  #pollLater(): void {
    this.#endPolling = this.#surroundings.clock.after(this.#options.pollSeconds * 1000, () => {
      for (const owner of this.#owners.keys()) this.#options.enqueue(keyIn(owner))
      this.#pollLater()
    })
  }
}

/** The annotation spells the whole key, the label a name at most. */
const tellByLabel = (ownerLabel: string, { settings, target, enqueue }: NeededOptions): ((change: Change) => void) => {
  const trail = new Trail()
  const { ownerAnnotation } = settings
  const map = ownerAnnotation === undefined ? { label: ownerLabel } : { annotation: ownerAnnotation }
  return change => {
    const key = change.object && mappedKey(map, { object: change.object, target: target() })
    for (const owner of trail.follow(change, key ? [key] : [])) enqueue(owner, change.version)
  }
}
