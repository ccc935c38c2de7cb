// Limits the read rate of one API server: a burst, then a fixed rate. Reading pauses when the server sends faster, so that calls for other
// clusters are not delayed. Example: with a burst of 1,000 bytes and 100 bytes per second, the next read after 1,200 bytes waits 2 s.
import type { Limits } from '../limits.ts'

/**
 * Takes the number of received bytes and the monotonic time in milliseconds. Returns how many milliseconds to wait before the next read.
 */
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
