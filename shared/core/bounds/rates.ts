// Limits the rate of each key with a token bucket. Example: a runtime may send 20 callbacks a second, or 100 at once after a pause of five
// seconds.
import { BoundedCache } from '../memory/bounded-cache.ts'

type Rate = { readonly perSecond: number; readonly burst: number }

/** Takes a token of the key. Returns undefined when there was one, otherwise the seconds until the next token. */
export type Rates = (key: string) => number | undefined

type Bucket = { readonly left: number; readonly at: number }

/** A dropped key starts again with a full burst. */
const keysMost = 10_000

/** `now`: a monotonic time in milliseconds. */
export const rates = ({ perSecond, burst }: Rate, now: () => number): Rates => {
  const buckets = new BoundedCache<string, Bucket>(keysMost)
  return key => {
    const at = now()
    const last = buckets.get(key) ?? { left: burst, at }
    const left = Math.min(burst, last.left + ((at - last.at) / 1_000) * perSecond)
    const isAllowed = left >= 1
    buckets.set(key, { left: isAllowed ? left - 1 : left, at })
    return isAllowed ? undefined : (1 - left) / perSecond
  }
}
