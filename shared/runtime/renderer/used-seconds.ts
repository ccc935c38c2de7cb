// Counts the seconds that tenants and Components have used the renderers; the counts halve every ten minutes. When they are lost, turns
// change, but no answer does.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Turn } from './renderer.ts'
import type { Clock } from './run.ts'

type Whose = Pick<Turn, 'tenant' | 'id'>

const halfLife = 600_000

/** Beyond so many, those asked for longest ago are forgotten. */
const rememberedMost = 10_000

type Used = {
  readonly seconds: number
  readonly latestSeconds: number
  /** The latest rendering ended by itself: it was not broken off. */
  readonly isOver: boolean
  readonly at: number
}

export class Use {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #used = new BoundedCache<string, Used>(rememberedMost)
  /** How long the first rendering of the newest tenant took, as far as it got at once. */
  #newestSeconds = 0

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** A rendering has taken `seconds` more, and `latestSeconds` since it began; it has ended or goes on. */
  note({ tenant, id }: Whose, { seconds, ...latest }: Omit<Used, 'at'>): void {
    const at = this.#clock.monotonic()
    if (!this.#used.get(tenant)) this.#newestSeconds = latest.latestSeconds
    for (const who of [tenant, id]) this.#used.set(who, { ...latest, seconds: this.#of(who) + seconds, at })
  }

  isKnown({ id }: Whose): boolean {
    return this.#used.get(id) !== undefined
  }

  /** How long the last rendering of the same id took, else of its tenant; undefined when there was none. */
  latestSeconds({ tenant, id }: Whose): number | undefined {
    return (this.#used.get(id) ?? this.#used.get(tenant))?.latestSeconds
  }

  /** How long the next rendering is likely to take: as long as the last one, and of a new tenant as long as that of the newest. */
  likelySeconds(whose: Whose): number {
    return this.latestSeconds(whose) ?? this.#newestSeconds
  }

  /** How many seconds more `one` is likely to have used after its next rendering than `other` after its own. */
  likelyDifference(one: Whose, other: Whose): number {
    const difference = this.difference(one, other)
    return one.tenant === other.tenant ? difference : difference + this.likelySeconds(one) - this.likelySeconds(other)
  }

  /** The same where a rendering may take `mostSeconds`: one whose last did not end by itself is likely to take them all. */
  likelyLongDifference(one: Whose, other: Whose, mostSeconds: number): number {
    const likely = ({ id }: Whose) => {
      const last = this.#used.get(id)
      return last?.isOver ? last.latestSeconds : mostSeconds
    }
    return this.difference(one, other) + likely(one) - likely(other)
  }

  /** The seconds of all renderings of its tenant. */
  tenantSeconds({ tenant }: Whose): number {
    return this.#of(tenant)
  }

  /** How many seconds more `one` has used than `other`: their tenants, or they themselves when the tenant is the same. */
  difference(one: Whose, other: Whose): number {
    return one.tenant === other.tenant
      ? this.#of(one.id) - this.#of(other.id)
      : this.#of(one.tenant) - this.#of(other.tenant)
  }

  #of(who: string): number {
    const used = this.#used.get(who)
    return used ? used.seconds * 0.5 ** ((this.#clock.monotonic() - used.at) / halfLife) : 0
  }
}
