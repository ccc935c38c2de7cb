// Limits how fast one API server is read: a burst at once, then so many bytes a second. A server that sends faster is read more
// slowly, so that it waits and other clusters do not. Example: burst 1,000 bytes, 100 bytes a second; after 1,200 bytes at once the
// next read waits 2 s. The caller passes the time.
import type { Limits } from '../limits.ts'

/** Takes the bytes that arrived and the time (monotonic milliseconds); answers how many milliseconds to wait before reading on. */
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
