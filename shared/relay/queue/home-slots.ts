// Decides whether another call may start for a home, so that a slow home does not delay the calls for others. The home of a key is the
// remote cluster that its call reaches, or else its namespace. Each home has at most half as many running calls as the function has places,
// and all clusters whose kubeconfigs are in one namespace have as many as there are places. All homes whose last call was slow get half of
// the places together, because one attacker may have ten clusters and namespaces. The caller passes the time.
import type { ClusterName } from '../../core/objects/object.ts'
import { secretOf } from '../remote-clusters/kubeconfig-cluster-name.ts'

type HomeSlotsOptions = {
  concurrency: number
  /** undefined: calls for the id have no limit but `concurrency`. */
  homeOf(id: string): string | undefined
}

/** A home is slow after a call that had a place for longer. */
const slowMilliseconds = 5_000

/** A home stays slow for so long, or until a quick call; longer than the longest wait between two failed calls. */
const slowForMilliseconds = 3_600_000

/** `hadPlace`: the call kept its place to the end. */
type Ending = { since: number; now: number; hadPlace: boolean }

export class HomeSlots {
  readonly homeOf: HomeSlotsOptions['homeOf']
  readonly #concurrency: number
  readonly #share: number
  readonly #underWay = new Map<string, number>()
  /** Calls under way to clusters of kubeconfigs, by the namespace of the kubeconfigs. */
  readonly #behind = new Map<string, number>()
  /** Until when each home counts as slow; the earliest first. */
  readonly #slow = new Map<string, number>()

  constructor({ concurrency, homeOf }: HomeSlotsOptions) {
    this.homeOf = homeOf
    this.#concurrency = concurrency
    this.#share = Math.max(1, Math.floor(concurrency / 2))
  }

  get slowHomes(): number {
    return this.#slow.size
  }

  /** Whether another call for a home may begin now; a call without a home always may. `placed`: the homes of the calls that have a place. */
  roomAt(now: number, placed: readonly (string | undefined)[]): (home: string | undefined) => boolean {
    const isSlowFull = placed.filter(home => home !== undefined && this.#isSlow(home, now)).length >= this.#share
    return home =>
      home === undefined ||
      ((this.#underWay.get(home) ?? 0) < this.#share &&
        (this.#behind.get(namespaceOf(home)) ?? 0) < this.#concurrency &&
        !(isSlowFull && this.#isSlow(home, now)))
  }

  begins(home: string | undefined): void {
    if (home !== undefined) this.#counts(home, 1)
  }

  /** A call that began at `since` has ended. A call that waited for a registry or another cluster does not show how slow its home is. */
  ends(home: string | undefined, { since, now, hadPlace }: Ending): void {
    if (home === undefined) return
    this.#counts(home, -1)
    if (!hadPlace) return
    this.#slow.delete(home)
    if (now - since > slowMilliseconds) this.#slow.set(home, now + slowForMilliseconds)
    this.#forgetOld(now)
  }

  #counts(home: string, more: number): void {
    count(this.#underWay, home, more)
    if (namespaceOf(home)) count(this.#behind, namespaceOf(home), more)
  }

  #isSlow(home: string, now: number): boolean {
    return now < (this.#slow.get(home) ?? 0)
  }

  #forgetOld(now: number): void {
    for (const [home, until] of this.#slow) {
      if (now < until) return
      this.#slow.delete(home)
    }
  }
}

/** Of the kubeconfig that leads to the home; empty when none does. */
const namespaceOf = (home: ClusterName): string => secretOf(home)?.namespace ?? ''

/** Adds to the count of the key; a key that counts none is not kept. */
export const count = <Key>(counts: Map<Key, number>, key: Key, more: number): void => {
  const after = (counts.get(key) ?? 0) + more
  if (after > 0) counts.set(key, after)
  else counts.delete(key)
}
