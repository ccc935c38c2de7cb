// One call per key at a time on this host. It saves work and keeps two passes from stepping on each other's writes;
// safety does not rest on it, for several hosts may call at once.

/** Runs `run` unless one is under way for `id`: then everybody who asks meanwhile shares the one run that follows it. */
type Flights<T> = (id: string, run: () => Promise<T>) => Promise<T>

type Flight<T> = { landed: Promise<void>; next?: Promise<T> }

/**
 * A caller is never given the result of a run that began before it asked: what made it ask might have been missed.
 * The shared run is that of the first who waits for it, with its deadline and its trace.
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

/** The result is the caller's matter; the flight only wants to know that it is over. */
const ignored = (): void => undefined
