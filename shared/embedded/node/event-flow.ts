// Limits Events: of many similar ones only the first are written singly, and an object that changes all the time writes one now
// and then. Kept in memory, as the senders of Kubernetes keep it; losing it costs a few Events more.
import { type Rates, rates } from '../../core/bounds/rates.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Happening } from './happenings.ts'

const mostAlone = 10
const similarMilliseconds = 600_000
/** 25 at once, then one every five minutes. */
const rate = { perSecond: 1 / 300, burst: 25 }
const mostKept = 4096

type Similar = { at: number; readonly messages: Set<string> }

export class EventFlow {
  readonly #similar = new BoundedCache<string, Similar>(mostKept)
  readonly #now: () => number
  readonly #rates: Rates

  /** `now` in milliseconds, monotonic. */
  constructor(now = (): number => performance.now()) {
    this.#now = now
    this.#rates = rates(rate, now)
  }

  /** The happening as it is told of the object with that uid, maybe as one of many; undefined: not told at all. */
  passed(uid: string, happening: Happening): Happening | undefined {
    const told = this.#combined(uid, happening)
    return this.#rates(`${uid} ${happening.type}`) === undefined ? told : undefined
  }

  #combined(uid: string, happening: Happening): Happening {
    const now = this.#now()
    const key = `${uid} ${happening.type} ${happening.reason}`
    const known = this.#similar.get(key)
    const similar = known && now - known.at <= similarMilliseconds ? known : { at: now, messages: new Set<string>() }
    similar.at = now
    this.#similar.set(key, similar)
    if (similar.messages.has(happening.message)) return happening
    if (similar.messages.size + 1 >= mostAlone) return combined(happening)
    similar.messages.add(happening.message)
    return happening
  }
}

const combined = (happening: Happening): Happening => ({
  ...happening,
  message: `(combined from similar events): ${happening.message}`,
  isCombined: true,
})
