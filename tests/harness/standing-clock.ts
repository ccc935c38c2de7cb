// A clock that stands while this process does: what the machine gives to others, or to nobody, is not time that the
// function took. For rows that promise something within so many seconds, and for relays that forget after so many.
import { type RelayClock, systemClock } from '../../shared/relay/time/clock.ts'

const tickMilliseconds = 20
/** Two ticks lie further apart only when nobody here could do anything. */
const mostMilliseconds = 3 * tickMilliseconds

export type StandingClock = {
  /** To be called all the time. */
  tick(): void
  milliseconds(): number
}

/** `now` goes on whatever happens. */
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

/** On the monotonic clock, and on one that stands while this process does. */
export type Moment = { readonly milliseconds: number; readonly ownMilliseconds: number }

export const thisMoment = (): Moment => ({ milliseconds: performance.now(), ownMilliseconds: own.milliseconds() })

/** For a relay: a process that stood finds the same streams, delays and own writes as before. */
export const standing: RelayClock = {
  ...systemClock,
  monotonic: own.milliseconds,
  after: (milliseconds, run) => {
    const due = own.milliseconds() + milliseconds
    let callOff = () => {}
    const wait = () => {
      const left = due - own.milliseconds()
      callOff = systemClock.after(left, () => (own.milliseconds() < due ? wait() : run()))
    }
    wait()
    return () => callOff()
  },
}
