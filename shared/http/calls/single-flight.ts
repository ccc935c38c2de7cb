// Runs one call per key at a time on this host, to save work and avoid conflicts. Safety does not depend on this, because several hosts may
// run calls for the same key.

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
