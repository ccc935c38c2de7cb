// Limits Events: of many similar ones only the first are written singly, and an object that changes all the time writes one now
// and then. Kept in memory, as the senders of Kubernetes keep it; losing it costs a few Events more.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { Happening } from './happenings.ts'

const mostAlone = 10
const similarMilliseconds = 600_000
const mostAtOnce = 25
const refillMilliseconds = 300_000
const mostKept = 4096

type Similar = { at: number; readonly messages: Set<string> }
type Budget = { at: number; left: number }

export class EventFlow {
  readonly #similar = new BoundedCache<string, Similar>(mostKept)
  readonly #budgets = new BoundedCache<string, Budget>(mostKept)

  /** The happening as it is told of the object with that uid, maybe as one of many; undefined: not told at all. */
  passed(uid: string, happening: Happening, now: number): Happening | undefined {
    const told = this.#combined(uid, happening, now)
    return this.#isAffordable(`${uid} ${happening.type}`, now) ? told : undefined
  }

  #combined(uid: string, happening: Happening, now: number): Happening {
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

  #isAffordable(key: string, now: number): boolean {
    const { at, left } = this.#budgets.get(key) ?? { at: now, left: mostAtOnce }
    const grown = Math.min(mostAtOnce, left + (now - at) / refillMilliseconds)
    this.#budgets.set(key, { at: now, left: grown < 1 ? grown : grown - 1 })
    return grown >= 1
  }
}

const combined = (happening: Happening): Happening => ({
  ...happening,
  message: `(combined from similar events): ${happening.message}`,
  isCombined: true,
})
