// Decides whether another call may start that reaches a remote cluster, so that a slow cluster does not delay the calls for others. Each
// cluster gets half of the function's places at most, and so do all clusters together whose last call was slow: whoever has one hostile
// cluster may have ten. The time is always handed in.
import type { ClusterName } from '../../core/object.ts'

type ClusterSlotsOptions = {
  /** Of the function. */
  concurrency: number
  /** The remote cluster that work on the id reaches, if it is known to reach one. */
  homeOf(id: string): ClusterName | undefined
}

/** A call that takes longer makes its cluster a slow one. */
const slowMilliseconds = 5_000

/** For so long, if no call shows otherwise: longer than the longest wait between two calls that fail. */
const slowForMilliseconds = 3_600_000

export class ClusterSlots {
  readonly homeOf: ClusterSlotsOptions['homeOf']
  readonly #share: number
  /** Calls under way by cluster; no more entries than the function has slots. */
  readonly #running = new Map<ClusterName, number>()
  /** Until when; those whose time is up first come first. */
  readonly #slow = new Map<ClusterName, number>()

  constructor({ concurrency, homeOf }: ClusterSlotsOptions) {
    this.homeOf = homeOf
    this.#share = Math.max(1, Math.floor(concurrency / 2))
  }

  /** Whether another call may begin that reaches this cluster; one that reaches none always may. */
  hasRoom(cluster: ClusterName | undefined, now: number): boolean {
    if (cluster === undefined) return true
    if ((this.#running.get(cluster) ?? 0) >= this.#share) return false
    return !this.#isSlow(cluster, now) || this.#runningSlow(now) < this.#share
  }

  begins(cluster: ClusterName | undefined): void {
    if (cluster !== undefined) this.#running.set(cluster, (this.#running.get(cluster) ?? 0) + 1)
  }

  /** It began at `since`. */
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
