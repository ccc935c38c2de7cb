// Limits the running calls per home, so that a slow home does not delay other homes. The home of a key is the remote cluster of its call,
// or else its namespace. A home may use half of the function's places. All clusters with kubeconfigs in one namespace together may have as
// many calls as the function has places. All slow homes share half of the places, because an attacker may have ten clusters and namespaces.
import type { ClusterName } from '../../core/objects/object.ts'
import { secretOf } from '../dependents/needs.ts'

type HomeSlotsOptions = {
  concurrency: number
  /** If undefined, only `concurrency` limits the id. */
  homeOf(id: string): string | undefined
  /** Whether the home is a remote cluster that is not listed yet. Keys without news wait for its lists. Default: false. */
  isBeginning?(home: string): boolean
}

/** A home is slow after a call that occupied a place longer than this time. */
const slowMilliseconds = 5_000

/** A home stays slow for this time, or until a quick call. The value is longer than the longest wait between two failed calls. */
const slowForMilliseconds = 3_600_000

/** `hadPlace`: the call kept its place until its end. */
type Ending = { since: number; now: number; hadPlace: boolean }

export class HomeSlots {
  readonly homeOf: HomeSlotsOptions['homeOf']
  readonly #isBeginning: NonNullable<HomeSlotsOptions['isBeginning']>
  readonly #concurrency: number
  readonly #share: number
  readonly #underWay = new Map<string, number>()
  /** Running calls to clusters of kubeconfigs, by the kubeconfigs' namespace. */
  readonly #behind = new Map<string, number>()
  /** The time until each home is slow, earliest first. */
  readonly #slow = new Map<string, number>()

  constructor({ concurrency, homeOf, isBeginning = () => false }: HomeSlotsOptions) {
    this.homeOf = homeOf
    this.#isBeginning = isBeginning
    this.#concurrency = concurrency
    this.#share = Math.max(1, Math.floor(concurrency / 2))
  }

  get slowHomes(): number {
    return this.#slow.size
  }

  isListed(home: string): boolean {
    return !this.#isBeginning(home)
  }

  /** Whether another call for a home may start now; always true without a home. `placed`: the homes of calls that have a place. */
  roomAt(now: number, placed: readonly (string | undefined)[]): (home: string | undefined) => boolean {
    const isSlowFull = placed.filter(home => home !== undefined && this.#isSlow(home, now)).length >= this.#share
    return home =>
      home === undefined ||
      (this.freeOf(home) > 0 &&
        (this.#behind.get(namespaceOf(home)) ?? 0) < this.#concurrency &&
        !(isSlowFull && this.#isSlow(home, now)))
  }

  /** How many more calls a home may have. */
  freeOf(home: string): number {
    return this.#share - (this.#underWay.get(home) ?? 0)
  }

  begins(home: string | undefined): void {
    if (home !== undefined) this.#counts(home, 1)
  }

  /** Call at the end of a call. If a call waited for a registry or a remote cluster, it does not show whether its home is slow. */
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

/** The namespace of the home's kubeconfig; '' without a kubeconfig. */
const namespaceOf = (home: ClusterName): string => secretOf(home)?.namespace ?? ''

/** Adds to the count of the key, and drops the key at zero. */
export const count = <Key>(counts: Map<Key, number>, key: Key, more: number): void => {
  const after = (counts.get(key) ?? 0) + more
  if (after > 0) counts.set(key, after)
  else counts.delete(key)
}
