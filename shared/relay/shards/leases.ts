// Reads and writes Leases by which relays share the keys. Each relay has a Lease and renews it while the relay lives. Each shard has a
// Lease with its relay. Writes are bound to the resourceVersion that was read, so only one relay can take a shard.
import { isMap } from '../../core/json/json.ts'
import type { KubeObject, ObjectRef } from '../../core/objects/object.ts'
import { kubeMicroTime } from '../../core/time/kube-time.ts'
import type { Client } from '../../kube/client-types.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../kube/errors.ts'
import type { RelayClock } from '../time/clock.ts'

type RelayLease = {
  relay: string
  /** The Lease's resourceVersion, which changes at each renewal. */
  stamp: string
  address: string | undefined
}

export type ShardLease = { shard: number; holder: string | undefined; resourceVersion: string }

type LeasesOptions = {
  client: Client
  namespace: string
  me: string
  address: string
  leaseSeconds: number
  today(): Date
}

const kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
const roleLabel = 'espalier.dev/relay-lease'
const addressAnnotation = 'espalier.dev/relay-address'
const shardPrefix = 'espalier-relay-shard-'
const relayPrefix = 'espalier-relay-'
const byRelay = { fieldManager: 'espalier-relay' }

export class Leases {
  readonly #options: LeasesOptions

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  async renew(): Promise<void> {
    const name = relayPrefix + this.#options.me
    try {
      await this.#client().patch(this.#at(name), { type: 'merge', body: { spec: this.#spec() } }, byRelay)
    } catch (error) {
      if (!isNotFound(error)) throw error
      const annotations = { [addressAnnotation]: this.#options.address }
      await this.#create(name, { labels: { [roleLabel]: 'relay' }, annotations })
    }
  }

  async read(): Promise<{ relays: RelayLease[]; shards: ShardLease[] }> {
    const { namespace } = this.#options
    const leases = await this.#client().list({ ...kind, namespace, labelSelector: roleLabel })
    return { relays: leases.flatMap(relayIn), shards: leases.flatMap(shardIn) }
  }

  /** Takes the shard. Returns false when another relay was faster. */
  async take(shard: number, known: ShardLease | undefined): Promise<boolean> {
    try {
      if (known) await this.#change(known, { ...this.#spec(), acquireTime: kubeMicroTime(this.#options.today()) })
      else await this.#create(shardPrefix + shard, { labels: { [roleLabel]: 'shard' } })
      return true
    } catch (error) {
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return false
      throw error
    }
  }

  async giveBack(known: ShardLease): Promise<void> {
    try {
      await this.#change(known, { holderIdentity: null })
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
  }

  async bury(relay: string): Promise<void> {
    await this.#client().delete(this.#at(relayPrefix + relay), {})
  }

  /** Aborts requests after `leaseSeconds`, because an answer after this time would be too late. */
  #client(): Client {
    const { client, leaseSeconds } = this.#options
    return client.bound({ signal: AbortSignal.timeout(leaseSeconds * 1000) })
  }

  #at(name: string): ObjectRef {
    return { ...kind, namespace: this.#options.namespace, name }
  }

  #spec(): Record<string, unknown> {
    const { me, leaseSeconds, today } = this.#options
    return { holderIdentity: me, leaseDurationSeconds: Math.ceil(leaseSeconds), renewTime: kubeMicroTime(today()) }
  }

  async #create(name: string, metadata: { labels: Record<string, string>; annotations?: Record<string, string> }) {
    const { namespace } = this.#options
    await this.#client().create({ ...kind, metadata: { namespace, name, ...metadata }, spec: this.#spec() }, byRelay)
  }

  async #change({ shard, resourceVersion }: ShardLease, spec: object): Promise<void> {
    const body = { metadata: { resourceVersion }, spec }
    await this.#client().patch(this.#at(shardPrefix + shard), { type: 'merge', body }, byRelay)
  }
}

const relayIn = ({ metadata }: KubeObject): RelayLease[] => {
  if (metadata.labels?.[roleLabel] !== 'relay') return []
  const address = metadata.annotations?.[addressAnnotation]
  return [{ relay: metadata.name.slice(relayPrefix.length), stamp: metadata.resourceVersion ?? '', address }]
}

const shardIn = ({ metadata, spec }: KubeObject): ShardLease[] => {
  if (metadata.labels?.[roleLabel] !== 'shard') return []
  const holder = isMap(spec) && typeof spec.holderIdentity === 'string' ? spec.holderIdentity : ''
  const shard = Number(metadata.name.slice(shardPrefix.length))
  return [{ shard, holder: holder || undefined, resourceVersion: metadata.resourceVersion ?? '' }]
}

// Finds living relays by our own monotonic clock: a relay is dead when its Lease did not change for `leaseSeconds`. Times in Leases come
// from other clocks and are only for display.
type Seen = { lease: RelayLease; at: number }

export class LiveRelays {
  readonly #clock: RelayClock
  readonly #leaseMilliseconds: number
  readonly #seen = new Map<string, Seen>()

  constructor(clock: RelayClock, leaseSeconds: number) {
    this.#clock = clock
    this.#leaseMilliseconds = leaseSeconds * 1000
  }

  /** Call with the current Leases. A new relay counts as alive for `leaseSeconds`. */
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

  /** Relays whose Lease did not change for this many `leaseSeconds`. */
  silentFor(leases: number): string[] {
    return [...this.#seen.keys()].filter(relay => this.#age(relay) >= leases * this.#leaseMilliseconds)
  }

  addressOf(relay: string): string | undefined {
    return this.#age(relay) < this.#leaseMilliseconds ? this.#seen.get(relay)?.lease.address : undefined
  }

  #age(relay: string): number {
    return this.#clock.monotonic() - (this.#seen.get(relay)?.at ?? Number.NEGATIVE_INFINITY)
  }
}
