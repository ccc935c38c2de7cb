// When to look again, from timestamps alone. Example: an apply 15 s ago is looked at again after 1 s, one 60 s ago after 2 s.
import { evenFraction } from '../../core/even-fraction.ts'

const ages: readonly { readonly belowSeconds: number; readonly waitSeconds: number }[] = [
  { belowSeconds: 20, waitSeconds: 1 },
  { belowSeconds: 80, waitSeconds: 2 },
  { belowSeconds: Number.POSITIVE_INFINITY, waitSeconds: 10 },
]

/** The wait for something that began at the latest of these moments. A moment to come, by a clock that was ahead, is as old as it is far. */
export const secondsByAge = (now: Date, since: readonly (string | undefined)[]): number => {
  const moments = since.flatMap(time => (time && Date.parse(time)) || [])
  const age = moments.length > 0 ? Math.abs(now.getTime() - Math.max(...moments)) / 1000 : 0
  return ages.find(({ belowSeconds }) => age < belowSeconds)?.waitSeconds ?? 10
}

/** As long as the error has lasted already, so the wait doubles: 1 s, 2 s, 4 s, … 600 s. */
export const secondsAfterError = (now: Date, since: string | undefined): number => {
  const age = since === undefined ? 0 : Math.abs(now.getTime() - Date.parse(since)) / 1000 || 0
  return Math.min(600, Math.max(1, age))
}

/** Waits of 10 s and more grow by 1 to 5 %, by the uid, so that a thousand components do not come back at once. */
export const spread = (seconds: number, uid: string): number =>
  seconds < 10 ? seconds : seconds * (1.01 + 0.04 * evenFraction(uid))
