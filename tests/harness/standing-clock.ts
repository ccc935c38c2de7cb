// A clock that stands while this process stands: time that the machine gives to others is not time that the function took. It is for rows that
// promise something within so many seconds, and for relays that forget after so many.
import { type RelayClock, systemClock } from '../../shared/relay/time/clock.ts'

const tickMilliseconds = 20
/** Two ticks are further apart only if this process could do nothing. */
const mostMilliseconds = 3 * tickMilliseconds

export type StandingClock = {
  /** Must be called regularly. */
  tick(): void
  milliseconds(): number
}

/** `now` runs in any case. */
export const standingClock = (now: () => number): StandingClock => {
  let last = now()
  let passed = 0
  const sinceLast = () => Math.min(now() - last, mostMilliseconds)
  return {
    tick: () => {
      passed += sinceLast()
      last = now()
    },
    milliseconds: () => passed + sinceLast(),
  }
}

const own = standingClock(() => performance.now())
setInterval(own.tick, tickMilliseconds).unref()

/** The time on the monotonic clock, and on the clock that stands with this process. */
export type Moment = { readonly milliseconds: number; readonly ownMilliseconds: number }

export const thisMoment = (): Moment => ({ milliseconds: performance.now(), ownMilliseconds: own.milliseconds() })

/** For a relay: after the process stood, it finds the same streams, delays and own writes as before. */
export type StandingRelayClock = RelayClock & {
  /** Lets so many seconds pass at once, and runs what is due in them, the earliest first. */
  pass(seconds: number): void
}

export const standingRelayClock = (): StandingRelayClock => {
  let passed = 0
  const now = () => own.milliseconds() + passed
  const timers = new Set<{ due: number; look(): void }>()
  return {
    monotonic: now,
    today: () => new Date(Date.now() + passed),
    after: (milliseconds, run) => {
      const due = now() + milliseconds
      let callOff = () => {}
      const look = () => {
        callOff()
        if (now() < due) {
          callOff = systemClock.after(due - now(), look)
          return
        }
        timers.delete(timer)
        run()
      }
      const timer = { due, look }
      timers.add(timer)
      callOff = systemClock.after(milliseconds, look)
      return () => {
        callOff()
        timers.delete(timer)
      }
    },
    pass: seconds => {
      passed += seconds * 1000
      for (const timer of [...timers].sort((one, other) => one.due - other.due)) if (timers.has(timer)) timer.look()
    },
  }
}
