// The clock of the relay, which tests replace. Ages and waits use monotonic time: when somebody sets the time of day, no shard is taken
// early and no retry comes sooner.

export type RelayClock = {
  /** Milliseconds that only ever grow. */
  monotonic(): number
  /** The time of day: for schedules and for people. */
  today(): Date
  /** Runs once after so many milliseconds; the returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

/** setTimeout takes no more: a longer delay would fire at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: RelayClock = {
  monotonic: () => performance.now(),
  today: () => new Date(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** Ends after so many milliseconds, or early when the signal says so. */
export const pause = (clock: RelayClock, milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (signal.aborted) return resolve()
    const end = () => {
      callOff()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const callOff = clock.after(milliseconds, end)
    signal.addEventListener('abort', end)
  })
