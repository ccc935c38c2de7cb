// How often each caller may ask: so many times a second, and more at once if it was quiet before. Who asks more often is told when
// to come again, and nobody else notices.
import { BoundedCache } from '../../core/memory/bounded-cache.ts'

type CallerRate = { readonly perSecond: number; readonly burst: number }

/** After how many seconds the caller may ask again; undefined when it may ask now. */
export type CallerRates = (caller: string) => number | undefined

type Bucket = { readonly left: number; readonly at: number }

/** Only callers that proved who they are have an entry. One that is dropped begins anew, with all it may ask at once. */
const callersMost = 10_000

/** `now` in milliseconds, monotonic. */
export const callerRates = ({ perSecond, burst }: CallerRate, now = (): number => performance.now()): CallerRates => {
  const buckets = new BoundedCache<string, Bucket>(callersMost)
  return caller => {
    const at = now()
    const last = buckets.get(caller) ?? { left: burst, at }
    const left = Math.min(burst, last.left + ((at - last.at) / 1_000) * perSecond)
    const isAllowed = left >= 1
    buckets.set(caller, { left: isAllowed ? left - 1 : left, at })
    return isAllowed ? undefined : (1 - left) / perSecond
  }
}
