// Ends a stream that brings nothing for so many seconds, not even a bookmark.
import type { RelayClock } from '../time/clock.ts'

type Watchdog = { signal: AbortSignal; readonly isSilent: boolean; feed(): void; end(): void }

/** Aborts `signal` when `feed` was not called for so long, from the start on, and when `stopped` aborts. */
export const createWatchdog = (
  clock: RelayClock,
  { seconds, stopped }: { seconds: number; stopped: AbortSignal },
): Watchdog => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  let isSilent = false
  const bite = () => {
    isSilent = true
    abort()
  }
  const set = () => clock.after(seconds * 1000, bite)
  let callOff = set()
  stopped.addEventListener('abort', abort)
  return {
    signal: controller.signal,
    get isSilent() {
      return isSilent
    },
    feed: () => {
      callOff()
      callOff = set()
    },
    end: () => {
      callOff()
      stopped.removeEventListener('abort', abort)
    },
  }
}
