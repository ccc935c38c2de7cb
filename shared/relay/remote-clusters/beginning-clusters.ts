// Remembers which remote clusters the relay has not listed yet after its start. A key that the first lists found waits for the lists of its
// own remote cluster. Example: the relay finds Kyma `a` and the objects in its runtime at the start. Without the wait, Kyma `a` is called
// once for itself and again for these objects, and each call reads everything.
import type { ClusterName } from '../../core/objects/object.ts'
import type { RelayClock } from '../time/clock.ts'

/** A silent cluster, or hundreds of clusters in front of a cluster, delay a key by this time at most. */
const beginningMilliseconds = 20_000

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

  begins(cluster: ClusterName): void {
    if (this.#beginning.has(cluster)) return
    this.#beginning.set(
      cluster,
      this.#clock.after(beginningMilliseconds, () => this.ends(cluster)),
    )
  }

  ends(cluster: ClusterName): void {
    this.#beginning.get(cluster)?.()
    if (this.#beginning.delete(cluster)) this.#opened()
  }

  stop(): void {
    for (const callOff of this.#beginning.values()) callOff()
  }
}
