// Waiting for what nothing tells of: by asking again.
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Far more than anything takes, for what hangs. Kubernetes takes its minutes itself: one until it looks again at a Namespace that goes, five
 * at a definition (tests/stories/istio-removal.test.ts).
 */
export const usualSeconds = 600
const pauseMilliseconds = 20

/** Looks until it is as wished, or the time is over: then the last look is the answer. */
export const until = async <T>(
  look: () => Promise<T> | T,
  isWished: (seen: T) => boolean,
  seconds = usualSeconds,
): Promise<T> => {
  const deadline = performance.now() + seconds * 1000
  for (;;) {
    const seen = await look()
    if (isWished(seen) || performance.now() > deadline) return seen
    await wait(pauseMilliseconds)
  }
}

/** Resolves as soon as it is so; fails after `seconds`, and says what did not come about. */
export const eventually = async (what: string, isSo: () => Promise<boolean>, seconds = usualSeconds): Promise<void> => {
  if (!(await until(isSo, Boolean, seconds))) throw new Error(`not so after ${seconds} s: ${what}`)
}
