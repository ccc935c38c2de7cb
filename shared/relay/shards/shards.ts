// Decides which keys this relay serves, by the shards that it holds. The relay holds no shards when its last renewal is older than
// `leaseSeconds`. So a relay that was paused for a minute serves no keys until its next renewal.
import { evenFraction } from '../../core/digest.ts'
import type { Log } from '../../core/log.ts'
import { pause, type RelayClock } from '../time/clock.ts'
import { type Leases, LiveRelays, type ShardLease } from './leases.ts'
import { sharesOf } from './shares.ts'

export type Shards = {
  holds(text: string): boolean
  /** The address of the relay with this shard; undefined when no living relay is known. */
  addressOf(text: string): string | undefined
  readonly held: number
  /** Resolves after the first round. `gained` gets the shards of later rounds. */
  join(): Promise<void>
  leave(): Promise<void>
}

export const allShards: Shards = {
  holds: () => true,
  addressOf: () => undefined,
  held: 1,
  join: async () => {},
  leave: async () => {},
}

export type ShardsOptions = {
  me: string
  count: number
  leases: Leases
  clock: RelayClock
  log: Log
  leaseSeconds: number
  renewSeconds: number
  gained(shards: readonly number[], isGained: (text: string) => boolean): void
}

/** The Lease of a dead relay is deleted after this many `leaseSeconds`. */
const buriedAfterLeases = 20

export class SharedShards implements Shards {
  readonly #options: ShardsOptions
  readonly #roll: LiveRelays
  readonly #stopped = new AbortController()
  #leases: readonly ShardLease[] = []
  #held: ReadonlySet<number> = new Set()
  #renewedAt = Number.NEGATIVE_INFINITY
  #rounds: Promise<void> | undefined

  constructor(options: ShardsOptions) {
    this.#options = options
    this.#roll = new LiveRelays(options.clock, options.leaseSeconds)
  }

  get held(): number {
    return this.#isOutdated() ? 0 : this.#held.size
  }

  holds(text: string): boolean {
    return !this.#isOutdated() && this.#held.has(this.#shardOf(text))
  }

  addressOf(text: string): string | undefined {
    const holder = this.#leaseOf(this.#shardOf(text))?.holder
    return holder === undefined || holder === this.#options.me ? undefined : this.#roll.addressOf(holder)
  }

  async join(): Promise<void> {
    await this.#tryRound()
    this.#rounds = this.#goOn()
  }

  async leave(): Promise<void> {
    this.#stopped.abort()
    await this.#rounds
    this.#leases = (await this.#options.leases.read()).shards
    await this.#giveBack([...this.#held])
    await this.#options.leases.bury(this.#options.me)
  }

  async #goOn(): Promise<void> {
    const { clock, renewSeconds, gained } = this.#options
    for (;;) {
      await pause(clock, renewSeconds * 1000, this.#stopped.signal)
      if (this.#stopped.signal.aborted) return
      const won = await this.#tryRound()
      if (won.length > 0) gained(won, text => won.includes(this.#shardOf(text)))
      await this.#buryDead()
    }
  }

  async #tryRound(): Promise<number[]> {
    const { me, log } = this.#options
    try {
      const won = await this.#round()
      if (won.length > 0) log.info({ relay: me, won, held: this.#held.size }, 'shards taken')
      return won
    } catch (error) {
      log.warn({ relay: me, err: error }, 'leases cannot be renewed')
      return []
    }
  }

  /** Renews the Lease, reads all Leases, gives shards back and takes other shards. Returns the gained shards. */
  async #round(): Promise<number[]> {
    const { me, count, leases } = this.#options
    await this.#renew()
    const { relays, shards } = await leases.read()
    this.#roll.observe(relays)
    this.#leases = shards
    const holders = Array.from({ length: count }, (_, shard) => this.#leaseOf(shard)?.holder)
    this.#held = new Set([...this.#held].filter(shard => holders[shard] === me))
    const { take, giveBack } = sharesOf({ me, live: new Set([me, ...this.#roll.live()]), holders, held: this.#held })
    await this.#giveBack(giveBack)
    return this.#take(take)
  }

  /** Deletes Leases of dead relays. A failure is only logged, because the next round tries again. */
  async #buryDead(): Promise<void> {
    const { me, leases, log } = this.#options
    const failed = (error: unknown) =>
      log.warn({ relay: me, err: error }, 'the Lease of a dead relay cannot be removed')
    await Promise.all(this.#roll.silentFor(buriedAfterLeases).map(relay => leases.bury(relay).catch(failed)))
  }

  async #renew(): Promise<void> {
    const begun = this.#options.clock.monotonic()
    await this.#options.leases.renew()
    // Our Lease had expired, so other relays may have taken our shards. Each shard must be taken again.
    if (this.#isOutdated()) this.#held = new Set()
    this.#renewedAt = begun
  }

  async #take(shards: readonly number[]): Promise<number[]> {
    const { leases } = this.#options
    const isWon = await Promise.all(shards.map(shard => leases.take(shard, this.#leaseOf(shard))))
    const won = shards.filter((_, at) => isWon[at])
    this.#held = new Set([...this.#held, ...won])
    return won
  }

  async #giveBack(shards: readonly number[]): Promise<void> {
    this.#held = new Set([...this.#held].filter(shard => !shards.includes(shard)))
    const known = shards.flatMap(shard => this.#leaseOf(shard) ?? [])
    await Promise.all(known.map(lease => this.#options.leases.giveBack(lease)))
  }

  #isOutdated(): boolean {
    return this.#options.clock.monotonic() - this.#renewedAt >= this.#options.leaseSeconds * 1000
  }

  #shardOf(text: string): number {
    return Math.floor(evenFraction(text) * this.#options.count)
  }

  #leaseOf(shard: number): ShardLease | undefined {
    return this.#leases.find(lease => lease.shard === shard)
  }
}
