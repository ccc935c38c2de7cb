// Who has used the renderers, and for how long: half of it is forgotten every ten minutes. Losing it costs turns, no answer.
import { BoundedCache } from '../../core/bounded-cache.ts'
import type { Turn } from './renderer.ts'
import type { Clock } from './run.ts'

type Whose = Pick<Turn, 'tenant' | 'id'>

const halfLife = 600_000

/** Those longest not asked for are forgotten beyond. */
const rememberedMost = 10_000

type Used = { readonly seconds: number; readonly latestSeconds: number; readonly at: number }

export class Use {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #used = new BoundedCache<string, Used>(rememberedMost)

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  note({ tenant, id }: Whose, latestSeconds: number): void {
    const at = this.#clock.monotonic()
    for (const who of [tenant, id]) {
      this.#used.set(who, { seconds: this.#of(who) + latestSeconds, latestSeconds, at })
    }
  }

  /** How long its last rendering took. */
  latestSeconds({ id }: Whose): number {
    return this.#used.get(id)?.latestSeconds ?? 0
  }

  seconds({ id }: Whose): number {
    return this.#of(id)
  }

  /** By how much one has used more than another: their tenants, or where that is the same one, they themselves. */
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
