// Events that the control plane has not accepted yet: one per object, in a lane per manager, with a common limit. Above the limit, a full
// sync replaces all events. Pure: the caller passes the time, and delivery.ts sends the events.
import { fullSyncEvent, type RuntimeEvent } from '../api/kyma/runtime-event.ts'
import { Backoff } from '../relay/time/clock.ts'

type QueueBounds = {
  readonly events: number
  readonly lanes: number
}

export type Sending = { readonly manager: string; readonly event: RuntimeEvent }

type Lane = {
  /** Events by their content. */
  readonly pending: Map<string, PendingEvent>
  readonly backoff: Backoff
  heldUntil: number
  inFlight: RuntimeEvent | undefined
  /** If true, the lane is removed when its event in flight is answered, unless the manager comes back before. */
  isForgotten: boolean
}

/** An event to send as soon as possible (`isDue`), at a later time (`againAt`), or both. */
type PendingEvent = { readonly event: RuntimeEvent; isDue: boolean; againAt: number | undefined }

type Failed = { readonly now: number; readonly retryAfterSeconds?: number; readonly isBroken?: boolean }

const usualBounds: QueueBounds = { events: 1_000, lanes: 20 }

const patience = { baseSeconds: 1, maxSeconds: 60 }

export class EventQueue {
  readonly #lanes = new Map<string, Lane>()
  readonly #bounds: QueueBounds
  readonly #chance: () => number

  /** `chance`: random numbers in [0, 1). */
  constructor(bounds: QueueBounds = usualBounds, chance: () => number = Math.random) {
    this.#bounds = bounds
    this.#chance = chance
  }

  get length(): number {
    return this.#waiting + [...this.#lanes.values()].filter(({ inFlight }) => inFlight).length
  }

  /**
   * Sends the event as soon as possible, and again at `againAt`. The first event of a manager is a full sync. Returns false when there are
   * too many managers.
   */
  add({ manager, event }: Sending, againAt?: number): boolean {
    const lane = this.#laneOf(manager)
    if (lane === undefined) return false
    const covers = lane.pending.get(idOf(fullSyncEvent))
    note(lane, covers?.isDue ? fullSyncEvent : event, againAt)
    if (this.#waiting > this.#bounds.events) this.#coverByFullSyncs()
    return true
  }

  /** Drops the events of all other managers, because the control plane no longer accepts these events. */
  keepOnly(managers: ReadonlySet<string>): void {
    for (const [manager, lane] of this.#lanes) if (!managers.has(manager)) this.#forget(manager, lane)
  }

  #forget(manager: string, lane: Lane): void {
    lane.isForgotten = true
    lane.pending.clear()
    if (lane.inFlight === undefined) this.#lanes.delete(manager)
  }

  /** Returns an event to send now. The event is in flight until `taken` or `failed` is called. */
  take(now: number): Sending | undefined {
    for (const [manager, lane] of this.#lanes) {
      if (lane.inFlight || lane.heldUntil > now) continue
      const found = [...lane.pending].find(([, next]) => dueAt(next) <= now)
      if (found === undefined) continue
      const [id, next] = found
      lane.inFlight = next.event
      next.isDue = false
      if (next.againAt === undefined || next.againAt <= now) lane.pending.delete(id)
      return { manager, event: next.event }
    }
    return undefined
  }

  taken(manager: string): void {
    const lane = this.#lanes.get(manager)
    if (lane === undefined) return
    lane.inFlight = undefined
    lane.backoff.reset()
    if (lane.isForgotten) this.#forget(manager, lane)
  }

  /** A full sync replaces a broken event, which would never be accepted. The control plane requests `retryAfterSeconds`. */
  failed(manager: string, { now, retryAfterSeconds = 0, isBroken = false }: Failed): void {
    const lane = this.#lanes.get(manager)
    if (lane?.inFlight === undefined) return
    const event = lane.inFlight
    lane.inFlight = undefined
    lane.heldUntil = now + lane.backoff.nextMilliseconds(retryAfterSeconds * 1000)
    if (lane.isForgotten) this.#forget(manager, lane)
    else this.add({ manager, event: isBroken ? fullSyncEvent : event })
  }

  /** The time of the next event to send; undefined when no event waits, or when the next event must wait for an answer. */
  nextAt(): number | undefined {
    const times = [...this.#lanes.values()]
      .filter(({ inFlight, pending }) => inFlight === undefined && pending.size > 0)
      .map(({ heldUntil, pending }) => Math.max(heldUntil, Math.min(...[...pending.values()].map(dueAt))))
    return times.length > 0 ? Math.min(...times) : undefined
  }

  get #waiting(): number {
    return [...this.#lanes.values()].reduce((sum, { pending }) => sum + pending.size, 0)
  }

  #laneOf(manager: string): Lane | undefined {
    const known = this.#lanes.get(manager)
    if (known && !known.isForgotten) return known
    if (!known && this.#lanes.size >= this.#bounds.lanes) return undefined
    const lane = known ?? newLane(new Backoff(patience, this.#chance))
    lane.isForgotten = false
    note(lane, fullSyncEvent, undefined)
    this.#lanes.set(manager, lane)
    return lane
  }

  #coverByFullSyncs(): void {
    for (const lane of this.#lanes.values()) {
      if (lane.pending.size === 0) continue
      const againAt = [...lane.pending.values()].map(next => next.againAt).reduce(later, undefined)
      lane.pending.clear()
      note(lane, fullSyncEvent, againAt)
    }
  }
}

const newLane = (backoff: Backoff): Lane => ({
  pending: new Map(),
  backoff,
  heldUntil: 0,
  inFlight: undefined,
  isForgotten: false,
})

const note = ({ pending }: Lane, event: RuntimeEvent, againAt: number | undefined): void => {
  const known = pending.get(idOf(event))
  if (known === undefined) pending.set(idOf(event), { event, isDue: true, againAt })
  else Object.assign(known, { isDue: true, againAt: later(known.againAt, againAt) })
}

/** Equal events have the same id. */
const idOf = (event: RuntimeEvent): string => JSON.stringify(event)

const later = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)

const dueAt = ({ isDue, againAt = Number.POSITIVE_INFINITY }: PendingEvent): number => (isDue ? 0 : againAt)
