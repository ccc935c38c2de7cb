// How fast one API server is read: a burst at once, and so much a second from then on. Who sends more is not refused but
// waited for, so that its connections fill up and ours to others stay free. The time is always handed in.
import type { Limits } from '../limits.ts'

/** So many bytes came at that time (monotonic milliseconds): the milliseconds until more may be read. */
export type Pace = (bytes: number, now: number) => number

export const paceOf = ({ burstBytes, bytesPerSecond }: Pick<Limits, 'burstBytes' | 'bytesPerSecond'>): Pace => {
  let ahead = 0
  let before = 0
  return (bytes, now) => {
    if (bytesPerSecond === Number.POSITIVE_INFINITY) return 0
    ahead = Math.max(0, ahead - ((now - before) / 1000) * bytesPerSecond) + bytes
    before = now
    return Math.max(0, ((ahead - burstBytes) / bytesPerSecond) * 1000)
  }
}
