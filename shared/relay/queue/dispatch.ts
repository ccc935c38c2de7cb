// Takes keys from the queues and makes calls, with a limit per function (`concurrency`) and for all functions together. A function without
// a running call can always start a call. A call that waits for a registry or a remote cluster frees its place. One timer serves all
// delays.
import type { Log } from '../../core/log.ts'
import type { RelayClock } from '../time/clock.ts'
import { OwnWriteEvents } from './own-write-events.ts'
import type { Queue, WorkResult } from './queue.ts'

/** The calls of one function, or its questions for keys. `name`: for logs and metrics. */
export type Lane = {
  name: string
  concurrency: number
  timeoutSeconds: number
  queue: Queue
  /** Whether this relay still serves the id. If not, the id is dropped. */
  isOurs(id: string): boolean
  /** Calls `waits` when the call waits for a registry or a remote cluster. */
  perform(work: LaneWork, signal: AbortSignal, waits: () => void): Promise<WorkResult>
}

/** Limit for calls of a function that wait without a place. A waiting call needs little memory in the host. */
const waitingMost = ({ concurrency }: Lane): number => 10 * concurrency

/**
 * The reason why an id is queued. `version`: the version in an event; absent if more may have changed, as after a list. `isRoutine`: a
 * round or a list found the object, and no event showed a change. `foundAt`: the time when it was found; default: now.
 */
export type Trigger = { version?: string; isRoutine?: boolean; foundAt?: number }

/** Whether both triggers are routine. Example: false if an event with a change follows a list. */
export const isStillRoutine = (before: Trigger | undefined, { isRoutine = false }: Trigger): boolean =>
  isRoutine && (before === undefined || before.isRoutine === true)

/** `isQuiet`: the previous call settled, and no event arrived since then. */
type LaneWork = { id: string; isQuiet: boolean }

type DispatchOptions = {
  lanes: readonly Lane[]
  maxInFlight: number
  clock: RelayClock
  log: Log
  taken?(lane: Lane, waitedSeconds: number): void
  ended?(lane: Lane, workedSeconds: number): void
}

type Work = { ended: Promise<WorkResult>; callOff(): void }

export class Dispatch {
  readonly #options: DispatchOptions
  readonly #inFlight: Map<Lane, Set<Work>>
  readonly #ownWrites: Map<Lane, OwnWriteEvents>
  #turn = 0
  #isStopped = false
  #timer = { at: Number.POSITIVE_INFINITY, callOff: () => {} }

  constructor(options: DispatchOptions) {
    this.#options = options
    this.#inFlight = new Map(options.lanes.map(lane => [lane, new Set()]))
    this.#ownWrites = new Map(options.lanes.map(lane => [lane, new OwnWriteEvents()]))
  }

  /** Queues the id, unless the event shows a version that a call for the id wrote. */
  add(lane: Lane, id: string, { version, isRoutine, foundAt }: Trigger = {}): void {
    const now = this.#options.clock.monotonic()
    if (this.#ownWrites.get(lane)?.isNews(id, version, now) === false) return
    lane.queue.add(id, now, { isRoutine, foundAt })
    if (this.#freePlaces(lane) > 0) this.#pump()
  }

  /** Call when keys that waited for their remote cluster may be called. */
  wake(): void {
    for (const { queue } of this.#options.lanes) queue.wake()
    this.#pump()
  }

  /** Starts no more work. Resolves when running work has ended. Work is aborted after `graceSeconds`. */
  async stop(graceSeconds: number): Promise<void> {
    this.#isStopped = true
    this.#timer.callOff()
    const works = [...this.#inFlight.values()].flatMap(set => [...set])
    const callOffAll = () => {
      for (const work of works) work.callOff()
    }
    const callOffGrace = this.#options.clock.after(graceSeconds * 1000, callOffAll)
    await Promise.all(works.map(work => work.ended))
    callOffGrace()
  }

  /** Lanes take turns and start one id per turn, until no lane can start another id. */
  #pump(): void {
    const { lanes } = this.#options
    for (let idle = 0; idle < lanes.length && !this.#isStopped; this.#turn = (this.#turn + 1) % lanes.length) {
      const lane = lanes[this.#turn]
      idle = lane && this.#advance(lane) ? 0 : idle + 1
    }
    if (!this.#isStopped) this.#setTimer()
  }

  /** Starts the next id. Returns false when no id is ready or no place is free. */
  #advance(lane: Lane): boolean {
    const free = this.#freePlaces(lane)
    const next = free > 0 ? lane.queue.take(this.#options.clock.monotonic(), free) : undefined
    if (next === undefined) return false
    if (lane.isOurs(next.id)) this.#begin(lane, next)
    else lane.queue.drop(next.id, this.#options.clock.monotonic())
    return true
  }

  #begin(lane: Lane, { id, waitedSeconds, isQuiet }: LaneWork & { waitedSeconds: number }): void {
    const begunAt = this.#options.clock.monotonic()
    this.#options.taken?.(lane, waitedSeconds)
    const ownWrites = this.#ownWrites.get(lane)
    ownWrites?.callBegins(id)
    let isOver = false
    // If too many calls of the function are waiting, the call keeps its place.
    const waits = (): void => {
      if (!isOver && lane.queue.waiting < waitingMost(lane) && lane.queue.waits(id)) this.#pump()
    }
    const work = startWork(lane, { id, isQuiet }, { ...this.#options, waits })
    this.#inFlight.get(lane)?.add(work)
    work.ended.then(verdict => {
      isOver = true
      this.#inFlight.get(lane)?.delete(work)
      const now = this.#options.clock.monotonic()
      this.#options.ended?.(lane, (now - begunAt) / 1000)
      const { wrote = [] } = verdict.is === 'failed' ? {} : verdict
      if (ownWrites?.callEnds(id, wrote, now)) lane.queue.add(id, now)
      lane.queue.done(id, verdict, now)
      this.#pump()
    })
  }

  #freePlaces({ queue, concurrency }: Lane): number {
    const { lanes, maxInFlight } = this.#options
    const total = lanes.reduce((sum, lane) => sum + lane.queue.placed, 0)
    const free = Math.min(concurrency - queue.placed, maxInFlight - total)
    return queue.placed === 0 ? Math.max(1, free) : free
  }

  /** Sets the timer to the earliest delay of a lane with a free place. A full lane continues when one of its calls ends. */
  #setTimer(): void {
    const { lanes, clock } = this.#options
    const now = clock.monotonic()
    const times = lanes.map(lane => {
      const free = this.#freePlaces(lane)
      return (free > 0 ? lane.queue.nextAt(now, free) : undefined) ?? Number.POSITIVE_INFINITY
    })
    const at = Math.min(...times)
    if (at === this.#timer.at) return
    this.#timer.callOff()
    const callOff = at === Number.POSITIVE_INFINITY ? () => {} : clock.after(at - now, () => this.#timeIsUp())
    this.#timer = { at, callOff }
  }

  #timeIsUp(): void {
    this.#timer = { at: Number.POSITIVE_INFINITY, callOff: () => {} }
    this.#pump()
  }
}

type Starting = Pick<DispatchOptions, 'clock' | 'log'> & { waits(): void }

const startWork = (lane: Lane, work: LaneWork, { clock, log, waits }: Starting): Work => {
  const controller = new AbortController()
  const callOff = () => controller.abort()
  const callOffDeadline = clock.after(lane.timeoutSeconds * 1000, callOff)
  const perform = async (): Promise<WorkResult> => {
    try {
      return await lane.perform(work, controller.signal, waits)
    } catch (error) {
      log.warn({ function: lane.name, key: work.id, isOverdue: controller.signal.aborted, err: error }, 'call failed')
      return { is: 'failed' }
    } finally {
      callOffDeadline()
    }
  }
  return { ended: perform(), callOff }
}
