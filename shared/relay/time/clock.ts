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

// Ends a stream that brings nothing for so many seconds, not even a bookmark.
type Watchdog = { signal: AbortSignal; readonly isSilent: boolean; feed(): void; end(): void }

/** Aborts `signal` when `feed` was not called for so long, from the start on, and when `stopped` aborts. */
export const createWatchdog = (
  clock: RelayClock,
  { seconds, stopped }: { seconds: number; stopped: AbortSignal },
): Watchdog => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  let isSilent = false
  const bite = () => {
    isSilent = true
    abort()
  }
  const set = () => clock.after(seconds * 1000, bite)
  let callOff = set()
  stopped.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get isSilent() {
      return isSilent
    },
    feed: () => {
      callOff()
      callOff = set()
    },
    end: () => {
      callOff()
      stopped.removeEventListener('abort', abort)
    },
  }
}
