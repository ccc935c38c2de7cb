// Runs one call per key at a time on this host. That saves work and conflicts, but safety does not depend on it, because several
// hosts may run calls for the same key.

/** Runs `run`. While a run for `id` is under way, all further callers share one run that follows it. */
type Flights<T> = (id: string, run: () => Promise<T>) => Promise<T>

type Flight<T> = { landed: Promise<void>; next?: Promise<T> }

/**
 * A caller never gets the result of a run that began before it asked, because that run may have missed the reason for asking. The
 * shared run has the time and the trace of the first caller that waits for it.
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

/** The caller handles the result; here only the end of the run matters. */
const ignored = (): void => undefined
