// Limits the time of work. At the limit, the signal aborts, and the caller gets an answer even if the work ignores the signal.
import { Refused } from '../errors.ts'

/** Rejects with `outOfTime` when the time is over. Clients with this signal then write nothing more. */
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
