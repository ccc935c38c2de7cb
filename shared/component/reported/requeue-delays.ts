// Computes requeue delays from timestamps. Example: 1 s for an apply 15 s ago, 2 s for an apply 60 s ago.
import { evenFraction } from '../../core/even-fraction.ts'

const ages: readonly { readonly belowSeconds: number; readonly waitSeconds: number }[] = [
  { belowSeconds: 20, waitSeconds: 1 },
  { belowSeconds: 80, waitSeconds: 2 },
  { belowSeconds: Number.POSITIVE_INFINITY, waitSeconds: 10 },
]

/** The delay grows with the age of the latest time. A time in the future, from a fast clock, counts like a time equally far in the past. */
export const secondsByAge = (now: Date, since: readonly (string | undefined)[]): number => {
  const moments = since.flatMap(time => (time && Date.parse(time)) || [])
  const age = moments.length > 0 ? Math.abs(now.getTime() - Math.max(...moments)) / 1000 : 0
  return ages.find(({ belowSeconds }) => age < belowSeconds)?.waitSeconds ?? 10
}

/** The delay equals the time since the error began, so the delay doubles: 1 s, 2 s, 4 s, … 600 s. */
export const secondsAfterError = (now: Date, since: string | undefined): number => {
  const age = since === undefined ? 0 : Math.abs(now.getTime() - Date.parse(since)) / 1000 || 0
  return Math.min(600, Math.max(1, age))
}

/** Lengthens delays from 10 s by 1 to 5 %, by uid, so that a thousand components are not called at the same moment. */
export const spread = (seconds: number, uid: string): number =>
  seconds < 10 ? seconds : seconds * (1.01 + 0.04 * evenFraction(uid))
