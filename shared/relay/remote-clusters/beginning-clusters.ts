// Remembers which remote clusters the relay has not listed yet after its start. A key that the first lists found waits for the lists of its
// own remote cluster. Example: the relay finds Kyma `a` and the objects in its runtime at the start. Without the wait, Kyma `a` is called
// once for itself and again for these objects, and each call reads everything.
import type { ClusterName } from '../../core/objects/object.ts'
import type { RelayClock } from '../time/clock.ts'

/** A silent cluster delays its keys by this time at most. */
const listingMilliseconds = 20_000

/** Thousands of clusters in front of a cluster, or hundreds of silent ones, delay its keys by this time at most. */
const waitingMilliseconds = 300_000

export class BeginningClusters {
  readonly #clock: RelayClock
  readonly #groups: readonly string[]
  readonly #opened: () => void
  readonly #beginning = new Map<ClusterName, () => void>()
  #isLocalListed = false

  /** `groups`: names of the groups of remote clusters. `opened`: called when the keys of a cluster need not wait any more. */
  constructor(clock: RelayClock, groups: readonly string[], opened: () => void) {
    this.#clock = clock
    this.#groups = groups
    this.#opened = opened
  }

  /** Before the local lists are read, the relay knows no remote cluster, so all remote clusters count. */
  has(home: string): boolean {
    if (this.#isLocalListed) return this.#beginning.has(home)
    return this.#groups.some(group => home.startsWith(`${group}/`))
  }

  localListed(): void {
    this.#isLocalListed = true
    this.#opened()
  }

  /** The cluster waits for its turn. */
  begins(cluster: ClusterName): void {
    if (!this.#beginning.has(cluster)) this.#endsAfter(waitingMilliseconds, cluster)
  }

  /** The lists of the cluster begin. */
  hasTurn(cluster: ClusterName): void {
    const callOff = this.#beginning.get(cluster)
    if (callOff === undefined) return
    callOff()
    this.#endsAfter(listingMilliseconds, cluster)
  }

  ends(cluster: ClusterName): void {
    this.#beginning.get(cluster)?.()
    if (this.#beginning.delete(cluster)) this.#opened()
  }

  #endsAfter(milliseconds: number, cluster: ClusterName): void {
    this.#beginning.set(
      cluster,
      this.#clock.after(milliseconds, () => this.ends(cluster)),
    )
  }

  stop(): void {
    for (const callOff of this.#beginning.values()) callOff()
  }
}
