// Waits that double with each failure and restart after a success, for watches, remote clusters and lists. queue.ts has its own rules for
// keys.

export type Backoff = {
  /** The wait before the next try. `atLeast`: a minimum, such as a Retry-After. */
  nextMilliseconds(atLeast?: number): number
  reset(): void
}

/** Doubles from base to max, plus up to 10 %, so that watches that failed together do not retry together. */
export const createBackoff = (
  { baseSeconds, maxSeconds }: { baseSeconds: number; maxSeconds: number },
  chance: () => number = Math.random,
): Backoff => {
  let failures = 0
  return {
    nextMilliseconds: (atLeast = 0) => {
      const own = Math.min(baseSeconds * 2 ** failures++, maxSeconds) * 1000
      return Math.max(own, atLeast) * (1 + chance() / 10)
    },
    reset: () => {
      failures = 0
    },
  }
}
