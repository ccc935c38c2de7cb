// Limits of calls: the time of work, one run per key at a time, and how long a call waits for registries and remote clusters.
import type { Outside } from '../kube/client-types.ts'
import { Refused } from './errors.ts'

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

/** A wait up to this time is normal for a healthy registry. */
const longMilliseconds = 50

/** Calls `tell` once, when the waits of the call exceed 50 ms in total. */
export const outsideWait = (tell: () => void): Outside => {
  let left = longMilliseconds
  let waits = 0
  let since = 0
  let timer: NodeJS.Timeout | undefined
  const isLong = (): void => {
    left = 0
    tell()
  }
  return async answer => {
    if (waits++ === 0 && left > 0) {
      since = performance.now()
      timer = setTimeout(isLong, left)
    }
    try {
      return await answer
    } finally {
      if (--waits === 0 && left > 0) {
        clearTimeout(timer)
        left = Math.max(1, left - (performance.now() - since))
      }
    }
  }
}

/** Calls `run`. While a run for `id` is active, all later callers share the next run. */
type Flights<T> = (id: string, run: () => Promise<T>) => Promise<T>

type Flight<T> = { landed: Promise<void>; next?: Promise<T> }

/**
 * A caller never gets the result of a run that started earlier, because that run may have missed the reason for the call. The shared run
 * has the time and trace of its first caller.
 */
export const singleFlights = <T>(): Flights<T> => {
  const underWay = new Map<string, Flight<T>>()

  const takeOff = (id: string, run: () => Promise<T>): Promise<T> => {
    const result = run()
    const flight: Flight<T> = { landed: result.then(ignored, ignored) }
    underWay.set(id, flight)
    flight.landed.then(() => {
      if (flight.next === undefined) underWay.delete(id)
    })
    return result
  }

  return (id, run) => {
    const flight = underWay.get(id)
    if (flight === undefined) return takeOff(id, run)
    flight.next ??= flight.landed.then(() => takeOff(id, run))
    return flight.next
  }
}

/** Ignores the result, because only the end of the run counts. */
const ignored = (): void => undefined
