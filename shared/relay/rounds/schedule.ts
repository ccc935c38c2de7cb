// Schedules of serverless.yml: at each time of the cron expression the function is called for all its objects.
import { Cron } from 'croner'
import type { ScheduleSettings } from '../../api/serverless.ts'
import type { Reconciler } from '../reconcilers.ts'
import type { RelayClock } from '../time/clock.ts'
import type { Rounds } from './rounds.ts'

/** Somebody may set the time of day, so the schedule looks at it at least this often. */
const longestWaitMilliseconds = 60_000

/** Calls `tick` at every time of the schedule; the returned function stops it. Missed ticks are not caught up. */
export const startTicking = (settings: ScheduleSettings, clock: RelayClock, tick: () => void): (() => void) => {
  const cron = new Cron(settings.cron, { paused: true, ...(settings.timeZone ? { timezone: settings.timeZone } : {}) })
  let next = cron.nextRun(clock.today())
  let callOff = () => {}
  const look = () => {
    const now = clock.today()
    const isDue = next !== null && now >= next
    // Computed also when no tick is due, because the time of day may have been set back.
    next = cron.nextRun(now)
    if (isDue) tick()
    wait()
  }
  const wait = () => {
    if (next === null) return
    const milliseconds = next.getTime() - clock.today().getTime()
    callOff = clock.after(Math.min(milliseconds, longestWaitMilliseconds), look)
  }
  wait()
  return () => callOff()
}

/** Runs a round at every tick of every schedule; the returned function stops them. */
export const startSchedules = (
  reconcilers: readonly Reconciler[],
  { clock, rounds }: { clock: RelayClock; rounds: Rounds },
): (() => void) => {
  const stops = reconcilers.flatMap(reconciler =>
    reconciler.schedules.map(settings =>
      startTicking(settings, clock, () => {
        const after = (_key: unknown, place: number) => place * (settings.spreadSeconds ?? 0)
        void rounds.run({ reconciler, after, why: `schedule ${settings.cron}` })
      }),
    ),
  )
  return () => {
    for (const stop of stops) stop()
  }
}
