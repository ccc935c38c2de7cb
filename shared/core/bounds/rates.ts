// How often each of many may do something: so many times a second, and more at once if it was quiet before. Whoever asks more often learns
// when to come again, and no other notices. Example: a runtime may send 20 callbacks a second, or 100 after a pause of five.
import { BoundedCache } from '../memory/bounded-cache.ts'

type Rate = { readonly perSecond: number; readonly burst: number }

/** After how many seconds the one of this key may again; undefined: it may now, and has. */
export type Rates = (key: string) => number | undefined

type Bucket = { readonly left: number; readonly at: number }

/** Whoever is dropped begins anew, with all that it may at once. */
const keysMost = 10_000

/** `now` in milliseconds, monotonic. */
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
