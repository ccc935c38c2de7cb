// The relay's clock, which tests replace. Ages and waits use monotonic time, so that setting the time of day neither takes shards early
// nor hastens retries.

export type RelayClock = {
  monotonic(): number
  /** The time of day, for schedules and people. */
  today(): Date
  /** Runs once. The returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

/** The limit of setTimeout. A longer delay would fire at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: RelayClock = {
  monotonic: () => performance.now(),
  today: () => new Date(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** Also ends when the signal aborts. */
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

// Ends a stream that has brought no data, not even a bookmark, for `seconds`.
type Watchdog = { signal: AbortSignal; readonly isSilent: boolean; feed(): void; end(): void }

/** Aborts `signal` when `feed` is not called for `seconds`, and when `stopped` aborts. */
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
