// The relay's clock, which tests replace, and waits. Ages and waits use monotonic time, so that a change of the system clock does not take
// shards or start retries too early.
export type RelayClock = {
  monotonic(): number
  /** The time of day, for schedules and for display. */
  today(): Date
  /** Runs once. The returned function cancels it. */
  after(milliseconds: number, run: () => void): () => void
}

/** The limit of setTimeout. A timer with a longer delay would run at once. */
const longestTimer = 2 ** 31 - 1

export const systemClock: RelayClock = {
  monotonic: () => performance.now(),
  today: () => new Date(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, Math.min(Math.max(milliseconds, 0), longestTimer))
    return () => clearTimeout(timer)
  },
}

/** Waits for this time. Ends early when the signal aborts. */
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

/** Aborts `signal` when `feed` is not called for `seconds`, not even for a bookmark, and when `stopped` aborts. */
export class Watchdog {
  readonly #clock: RelayClock
  readonly #seconds: number
  readonly #stopped: AbortSignal
  readonly #controller = new AbortController()
  isSilent = false
  #callOff: () => void

  constructor(clock: RelayClock, { seconds, stopped }: { seconds: number; stopped: AbortSignal }) {
    this.#clock = clock
    this.#seconds = seconds
    this.#stopped = stopped
    this.#callOff = this.#set()
    stopped.addEventListener('abort', this.#abort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  feed(): void {
    this.#callOff()
    this.#callOff = this.#set()
  }

  giveUp(): void {
    this.#abort()
  }

  end(): void {
    this.#callOff()
    this.#stopped.removeEventListener('abort', this.#abort)
  }

  #set(): () => void {
    return this.#clock.after(this.#seconds * 1000, () => {
      this.isSilent = true
      this.#abort()
    })
  }

  readonly #abort = (): void => this.#controller.abort()
}

type Waits = { readonly baseSeconds: number; readonly maxSeconds: number }

/** The wait doubles from base to max, plus up to 10 %, so that watches with the same failure retry at different times. */
export class Backoff {
  readonly #waits: Waits
  readonly #chance: () => number
  #failures = 0

  constructor(waits: Waits, chance: () => number = Math.random) {
    this.#waits = waits
    this.#chance = chance
  }

  /** The wait before the next try. `atLeast`: a minimum, such as a Retry-After. */
  nextMilliseconds(atLeast = 0): number {
    const { baseSeconds, maxSeconds } = this.#waits
    const own = Math.min(baseSeconds * 2 ** this.#failures++, maxSeconds) * 1000
    return Math.max(own, atLeast) * (1 + this.#chance() / 10)
  }

  reset(): void {
    this.#failures = 0
  }
}
