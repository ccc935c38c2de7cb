// Counts the seconds that tenants and Components have used the renderers; the counts halve every ten minutes. When they are lost, turns
// change, but no answer does.
import { BoundedCache } from '../../core/bounded-cache.ts'
import type { Turn } from './renderer.ts'
import type { Clock } from './run.ts'

type Whose = Pick<Turn, 'tenant' | 'id'>

const halfLife = 600_000

/** Beyond so many, those asked for longest ago are forgotten. */
const rememberedMost = 10_000

type Used = { readonly seconds: number; readonly latestSeconds: number; readonly at: number }

export class Use {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #used = new BoundedCache<string, Used>(rememberedMost)

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  /** A rendering has taken `seconds` more, and `latestSeconds` since it began; it has ended or goes on. */
  note({ tenant, id }: Whose, { seconds, latestSeconds }: Omit<Used, 'at'>): void {
    const at = this.#clock.monotonic()
    for (const who of [tenant, id]) this.#used.set(who, { seconds: this.#of(who) + seconds, latestSeconds, at })
  }

  isKnown({ id }: Whose): boolean {
    return this.#used.get(id) !== undefined
  }

  /** How long the next rendering is likely to take: as long as the last one of the same id, else of its tenant. */
  likelySeconds({ tenant, id }: Whose): number {
    return (this.#used.get(id) ?? this.#used.get(tenant))?.latestSeconds ?? 0
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
