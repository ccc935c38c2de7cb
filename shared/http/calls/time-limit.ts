// An end for every piece of work: its signal is aborted in time, and who waits for it is told even if the work is deaf.
import { Refused } from '../errors.ts'

/** What the work yields, or `outOfTime`. Clients bound to the signal let a deaf work write nothing more. */
export const timed = async <T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController()
  const { promise: end, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      controller.abort()
      reject(new Refused('outOfTime'))
    },
    Math.max(0, milliseconds),
  )
  try {
    return await Promise.race([work(controller.signal), end])
  } finally {
    clearTimeout(timer)
  }
}
