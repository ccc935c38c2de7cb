// Decides whether another call may start that reaches a remote cluster, so that a slow cluster does not delay the calls for others. Each
// cluster gets at most half of the function's places. All clusters whose last call was slow get half together, because an attacker with
// one cluster may have ten. The caller passes the time.
import type { ClusterName } from '../../core/objects/object.ts'

type ClusterSlotsOptions = {
  /** The function's places. */
  concurrency: number
  /** The remote cluster that a call for the id reaches, if one is known. */
  homeOf(id: string): ClusterName | undefined
}

/** A cluster is slow after a call that took longer. */
const slowMilliseconds = 5_000

/** A cluster stays slow for so long, or until a quick call; longer than the longest wait between two failed calls. */
const slowForMilliseconds = 3_600_000

export class ClusterSlots {
  readonly homeOf: ClusterSlotsOptions['homeOf']
  readonly #share: number
  /** Calls under way by cluster; no more entries than the function has slots. */
  readonly #running = new Map<ClusterName, number>()
  /** Until when each cluster counts as slow; the earliest first. */
  readonly #slow = new Map<ClusterName, number>()

  constructor({ concurrency, homeOf }: ClusterSlotsOptions) {
    this.homeOf = homeOf
    this.#share = Math.max(1, Math.floor(concurrency / 2))
  }

  /** How many clusters are remembered as slow. */
  get slowClusters(): number {
    return this.#slow.size
  }

  /**
   * Tells of a cluster whether another call that reaches it may begin now. A call that reaches no remote cluster always may. Until a call
   * begins or ends, the answers count for any number of clusters.
   */
  roomAt(now: number): (cluster: ClusterName | undefined) => boolean {
    const isSlowFull = this.#runningSlow(now) >= this.#share
    return cluster =>
      cluster === undefined ||
      ((this.#running.get(cluster) ?? 0) < this.#share && !(isSlowFull && this.#isSlow(cluster, now)))
  }

  begins(cluster: ClusterName | undefined): void {
    if (cluster !== undefined) this.#running.set(cluster, (this.#running.get(cluster) ?? 0) + 1)
  }

  /** A call that began at `since` has ended. */
  ends(cluster: ClusterName | undefined, { since, now }: { since: number; now: number }): void {
    if (cluster === undefined) return
    const left = (this.#running.get(cluster) ?? 0) - 1
    if (left > 0) this.#running.set(cluster, left)
    else this.#running.delete(cluster)
    this.#slow.delete(cluster)
    if (now - since > slowMilliseconds) this.#slow.set(cluster, now + slowForMilliseconds)
    this.#forgetOld(now)
  }

  #isSlow(cluster: ClusterName, now: number): boolean {
    return now < (this.#slow.get(cluster) ?? 0)
  }

  #runningSlow(now: number): number {
    return [...this.#running].reduce((sum, [cluster, count]) => sum + (this.#isSlow(cluster, now) ? count : 0), 0)
  }

  #forgetOld(now: number): void {
    for (const [cluster, until] of this.#slow) {
      if (now < until) return
      this.#slow.delete(cluster)
    }
  }
}
