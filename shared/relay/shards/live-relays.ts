// Tells which relays are alive, by our own monotonic clock: a relay is dead when its Lease did not change for `leaseSeconds`. The times
// written in Leases come from other clocks and are for people only.
import type { RelayClock } from '../time/clock.ts'
import type { RelayLease } from './leases.ts'

type Seen = { lease: RelayLease; at: number }

export class LiveRelays {
  readonly #clock: RelayClock
  readonly #leaseMilliseconds: number
  readonly #seen = new Map<string, Seen>()

  constructor(clock: RelayClock, leaseSeconds: number) {
    this.#clock = clock
    this.#leaseMilliseconds = leaseSeconds * 1000
  }

  /** Takes the current Leases. A relay that is seen for the first time counts as alive for `leaseSeconds`. */
  observe(leases: readonly RelayLease[]): void {
    const at = this.#clock.monotonic()
    const there = new Set(leases.map(({ relay }) => relay))
    for (const relay of this.#seen.keys()) if (!there.has(relay)) this.#seen.delete(relay)
    for (const lease of leases) {
      if (this.#seen.get(lease.relay)?.lease.stamp !== lease.stamp) this.#seen.set(lease.relay, { lease, at })
    }
  }

  live(): string[] {
    return [...this.#seen.keys()].filter(relay => this.#age(relay) < this.#leaseMilliseconds)
  }

  /** The relays whose Lease did not change for so many times `leaseSeconds`. */
  silentFor(leases: number): string[] {
    return [...this.#seen.keys()].filter(relay => this.#age(relay) >= leases * this.#leaseMilliseconds)
  }

  /** The address of the relay; undefined when it is dead. */
  addressOf(relay: string): string | undefined {
    return this.#age(relay) < this.#leaseMilliseconds ? this.#seen.get(relay)?.lease.address : undefined
  }

  #age(relay: string): number {
    return this.#clock.monotonic() - (this.#seen.get(relay)?.at ?? Number.NEGATIVE_INFINITY)
  }
}
