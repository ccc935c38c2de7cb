// Calls all objects of a function, spread over time. Objects are listed again for each round, by name only, so a round also finds objects
// that watches missed.
import { Cron } from 'croner'
import type { ScheduleSettings } from '../api/serverless.ts'
import { evenFraction } from '../core/digest.ts'
import type { Log } from '../core/log.ts'
import { type Key, type KubeObject, keyOf, keyText } from '../core/objects/object.ts'
import type { Client, ListQuery } from '../kube/client-types.ts'
import { isNotServed } from '../kube/errors.ts'
import type { Trigger } from './queue/dispatch.ts'
import type { Reconciler } from './reconcilers.ts'
import { Backoff, pause, type RelayClock } from './time/clock.ts'
import { DueHeap, type Timed } from './time/due-heap.ts'

type Round = {
  reconciler: Reconciler
  /** Seconds until the call of the key; undefined leaves the key out. `place`: the key's number of `evenFraction`. */
  after(key: Key, place: number): number | undefined
  /** For logs. Two rounds of a function with the same `why` call the same keys. */
  why: string
}

type RoundsOptions = {
  client: Client
  clock: RelayClock
  log: Log
  enqueue(functionName: string, key: Key, trigger: Trigger): void
}

export class Rounds {
  readonly #options: RoundsOptions
  readonly #client: Client
  readonly #stopped = new AbortController()
  readonly #drip: LaterDeliveries<{ name: string; key: Key }>
  readonly #waiting = new Set<string>()

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#client = options.client.bound({ signal: this.#stopped.signal })
    this.#drip = deliverLater(options.clock, ({ name, key }) => options.enqueue(name, key, { isRoutine: true }))
  }

  /** Retries until all keys are listed. Gives up if another round with the same `why` is already waiting for a retry. */
  async run(round: Round): Promise<void> {
    const { clock, log } = this.#options
    const { signal } = this.#stopped
    const { why, reconciler } = round
    const id = `${reconciler.name} ${why}`
    const backoff = new Backoff({ baseSeconds: 1, maxSeconds: 60 })
    while (!signal.aborted) {
      try {
        return await this.#list(round)
      } catch (error) {
        if (signal.aborted || this.#waiting.has(id)) return
        log.warn(
          { function: reconciler.name, why, err: error },
          'objects could not be listed for a periodic round of calls',
        )
        this.#waiting.add(id)
        await pause(clock, backoff.nextMilliseconds(), signal)
        this.#waiting.delete(id)
      }
    }
  }

  stop(): void {
    this.#stopped.abort()
    this.#drip.stop()
  }

  async #list(round: Round): Promise<void> {
    for (const key of round.reconciler.fixed) this.#put(round, key)
    for (const { apiVersion, kind, namespace, labelSelector, fieldSelector } of round.reconciler.own) {
      const query = { apiVersion, kind, namespace, labelSelector, fieldSelector, metadataOnly: true }
      for await (const objects of this.#objects(query)) for (const object of objects) this.#put(round, keyOf(object))
    }
  }

  /** Returns no objects for a kind that is not served. When the kind is served, its watch lists all objects and calls them. */
  async *#objects(query: ListQuery): AsyncGenerator<readonly KubeObject[]> {
    try {
      for await (const { objects } of this.#client.pages(query)) yield objects
    } catch (error) {
      if (!isNotServed(error)) throw error
    }
  }

  #put({ reconciler: { name }, after }: Round, key: Key): void {
    const seconds = after(key, evenFraction(`${name} ${keyText(key)}`))
    if (seconds !== undefined) this.#drip.put({ name, key }, seconds)
  }
}

// Schedules of serverless.yml call the function for all its objects at each time of the cron expression.
/** The system clock may be changed, so the schedule reads the clock at least this often. */
const longestWaitMilliseconds = 60_000

/** Calls `tick` at each time of the schedule. Missed ticks are not repeated. The returned function stops the schedule. */
export const startTicking = (settings: ScheduleSettings, clock: RelayClock, tick: () => void): (() => void) => {
  const cron = new Cron(settings.cron, { paused: true, ...(settings.timeZone ? { timezone: settings.timeZone } : {}) })
  let next = cron.nextRun(clock.today())
  let callOff = () => {}
  const look = () => {
    const now = clock.today()
    const isDue = next !== null && now >= next
    // Always computed, because the clock may have been set back.
    next = cron.nextRun(now)
    if (isDue) tick()
    wait()
  }
  const wait = () => {
    if (next === null) return
    const milliseconds = next.getTime() - clock.today().getTime()
    callOff = clock.after(Math.min(milliseconds, longestWaitMilliseconds), look)
  }
  wait()
  return () => callOff()
}

/** The returned function stops all schedules. */
export const startSchedules = (
  reconcilers: readonly Reconciler[],
  { clock, rounds }: { clock: RelayClock; rounds: Rounds },
): (() => void) => {
  const stops = reconcilers.flatMap(reconciler =>
    reconciler.schedules.map(settings =>
      startTicking(settings, clock, () => {
        const after = (_key: unknown, place: number) => place * (settings.spreadSeconds ?? 0)
        void rounds.run({ reconciler, after, why: `schedule ${settings.cron}` })
      }),
    ),
  )
  return () => {
    for (const stop of stops) stop()
  }
}

// Calls all objects of all functions again within `sweepSeconds`, so that a lost event only delays work.
/**
 * A turn has six slices. Each slice lists all objects, and calls the objects whose place is in this slice. An object that is created just
 * after the list of its slice waits at most for a turn and a slice. Example: sweepSeconds 3,500 means slices of 500 s and turns of 3,000 s.
 */
const slices = 6

/** Starts after the time of one slice, because the relay calls all objects at its start. The returned function ends the sweep. */
export const startSweep = (
  reconcilers: readonly Reconciler[],
  { sweepSeconds, clock, rounds }: { sweepSeconds: number; clock: RelayClock; rounds: Rounds },
): (() => void) => {
  const sliceSeconds = sweepSeconds / (slices + 1)
  const begun = clock.monotonic()
  let slice = 0
  let callOff = () => {}
  const sweep = () => {
    const current = slice % slices
    slice++
    for (const reconciler of reconcilers) {
      const after = (_key: unknown, place: number) => secondsInto(current, place * slices, sliceSeconds)
      void rounds.run({ reconciler, after, why: `sweep ${current}` })
    }
    wait()
  }
  const wait = () => {
    callOff = clock.after(begun + (slice + 1) * sliceSeconds * 1000 - clock.monotonic(), sweep)
  }
  wait()
  return () => callOff()
}

/** `place` in slices: 2.5 is the middle of the third slice. */
const secondsInto = (slice: number, place: number, sliceSeconds: number): number | undefined =>
  Math.floor(place) === slice ? (place - slice) * sliceSeconds : undefined

type LaterDeliveries<Item> = {
  put(item: Item, afterSeconds: number): void
  stop(): void
}

const deliverLater = <Item>(clock: RelayClock, deliver: (item: Item) => void): LaterDeliveries<Item> => {
  const heap = new DueHeap<Timed & { item: Item }>()
  let callOff = () => {}
  const deliverDue = () => {
    for (let due = heap.popDue(clock.monotonic()); due; due = heap.popDue(clock.monotonic())) deliver(due.item)
    setTimer()
  }
  const setTimer = () => {
    callOff()
    const first = heap.peek()
    callOff = first ? clock.after(first.at - clock.monotonic(), deliverDue) : () => {}
  }
  return {
    put: (item, afterSeconds) => {
      const entry = { item, at: clock.monotonic() + afterSeconds * 1000, place: -1 }
      heap.push(entry)
      if (heap.peek() === entry) setTimer()
    },
    stop: () => callOff(),
  }
}
