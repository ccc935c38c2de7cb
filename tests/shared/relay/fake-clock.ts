// A clock that stops until a test advances it. Both hands can be moved apart from each other.
import { setImmediate as turn } from 'node:timers/promises'
import type { RelayClock } from '../../../shared/relay/time/clock.ts'

export type FakeClock = RelayClock & {
  /** Moves both hands on; what becomes due on the way runs in its order, each with all that follows from it. */
  advance(seconds: number): Promise<void>
  /** The process is stopped for so long: time passes, nothing runs. */
  freeze(seconds: number): void
  /** Sets the time of day alone, as an administrator does. */
  setToday(time: Date): void
  readonly timers: number
}

type Timer = { at: number; run(): void }

export const fakeClock = (today = new Date('2030-01-01T00:00:00Z')): FakeClock => {
  const timers = new Set<Timer>()
  let now = 0
  let offset = today.getTime()
  const nextBefore = (end: number): Timer | undefined =>
    [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
  return {
    monotonic: () => now,
    today: () => new Date(offset + now),
    after: (milliseconds, run) => {
      const timer = { at: now + Math.max(0, milliseconds), run }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    advance: async seconds => {
      const end = now + seconds * 1000
      await settled()
      for (let timer = nextBefore(end); timer; timer = nextBefore(end)) {
        timers.delete(timer)
        now = Math.max(now, timer.at)
        timer.run()
        await settled()
      }
      now = end
    },
    freeze: seconds => {
      now += seconds * 1000
    },
    setToday: time => {
      offset = time.getTime() - now
    },
    get timers() {
      return timers.size
    },
  }
}

/** Promises that wait for nothing but each other have come to rest. */
export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 3; turns++) await turn()
}
