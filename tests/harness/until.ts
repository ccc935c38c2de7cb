// Waits by asking again, for what no event reports.
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Far more than anything takes, to end what hangs. Kubernetes itself takes minutes: one until it looks again at a Namespace in deletion, five for a
 * definition (tests/stories/istio/removal.test.ts).
 */
export const usualSeconds = 600
/** The pause as a share of the time that was waited already, so that long waits take little processor time from others. */
const pauseShare = 0.05
const leastPauseMilliseconds = 20

/** Looks until `isDesired` or the end of the time. Returns what the last look saw. */
export const until = async <T>(
  look: () => Promise<T> | T,
  isDesired: (seen: T) => boolean,
  seconds = usualSeconds,
): Promise<T> => {
  const began = performance.now()
  for (;;) {
    const seen = await look()
    const waited = performance.now() - began
    if (isDesired(seen) || waited > seconds * 1000) return seen
    await wait(Math.max(leastPauseMilliseconds, pauseShare * waited))
  }
}

/** Resolves as soon as `isSo`. After `seconds` it fails and says what did not happen. */
export const eventually = async (what: string, isSo: () => Promise<boolean>, seconds = usualSeconds): Promise<void> => {
  if (!(await until(isSo, Boolean, seconds))) throw new Error(`not so after ${seconds} s: ${what}`)
}
