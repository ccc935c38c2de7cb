// Limits Events. Of many similar Events only the first Events are written separately. An object that changes all the time gets few Events.
// As in Kubernetes' clients, the state is in memory; if it is lost, some more Events are written.
import { type Rates, rates } from '../../core/bounds/rates.ts'
import { BoundedCache } from '../../core/memory/bounded-cache.ts'
import type { EventContent } from './node-events.ts'

const mostAlone = 10
const similarMilliseconds = 600_000
/** The rate: 25 Events at once, then one Event every five minutes. */
const rate = { perSecond: 1 / 300, burst: 25 }
const mostKept = 4096

type Similar = { at: number; readonly messages: Set<string> }

export class EventFlow {
  readonly #similar = new BoundedCache<string, Similar>(mostKept)
  readonly #now: () => number
  readonly #rates: Rates

  /** `now`: a monotonic time in milliseconds. */
  constructor(now = (): number => performance.now()) {
    this.#now = now
    this.#rates = rates(rate, now)
  }

  /** The content to record, perhaps combined with similar Events; undefined if no Event must be recorded. */
  passed(uid: string, content: EventContent): EventContent | undefined {
    const combined = this.#combined(uid, content)
    return this.#rates(`${uid} ${content.type}`) === undefined ? combined : undefined
  }

  #combined(uid: string, content: EventContent): EventContent {
    const now = this.#now()
    const key = `${uid} ${content.type} ${content.reason}`
    const known = this.#similar.get(key)
    const similar = known && now - known.at <= similarMilliseconds ? known : { at: now, messages: new Set<string>() }
    similar.at = now
    this.#similar.set(key, similar)
    if (similar.messages.has(content.message)) return content
    if (similar.messages.size + 1 >= mostAlone) return combined(content)
    similar.messages.add(content.message)
    return content
  }
}

const combined = (content: EventContent): EventContent => ({
  ...content,
  message: `(combined from similar events): ${content.message}`,
  isCombined: true,
})
