// Waiting for what nothing tells of: by asking again.
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Far more than anything takes, for what hangs. Kubernetes takes its minutes itself: one until it looks again at a Namespace that goes, five
 * at a definition (tests/stories/istio/removal.test.ts).
 */
export const usualSeconds = 600
/** Of the time that was waited already, so that long waits take no processor from whoever is waited for. */
const pauseShare = 0.05
const leastPauseMilliseconds = 20

/** Looks until it is as wished, or the time is over: then the last look is the answer. */
export const until = async <T>(
  look: () => Promise<T> | T,
  isWished: (seen: T) => boolean,
  seconds = usualSeconds,
): Promise<T> => {
  const began = performance.now()
  for (;;) {
    const seen = await look()
    const waited = performance.now() - began
    if (isWished(seen) || waited > seconds * 1000) return seen
    await wait(Math.max(leastPauseMilliseconds, pauseShare * waited))
  }
}

/** Resolves as soon as it is so; fails after `seconds`, and says what did not come about. */
export const eventually = async (what: string, isSo: () => Promise<boolean>, seconds = usualSeconds): Promise<void> => {
  if (!(await until(isSo, Boolean, seconds))) throw new Error(`not so after ${seconds} s: ${what}`)
}
